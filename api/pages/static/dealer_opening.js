// Between rounds: opening a table, who sits where, who banks the next round.

import { ID, button, field, folded, h, select } from "./dealer_drawing.js";
import { chipPad } from "./dealer_parts.js";
import { cents, money, shown, words } from "./dealer_words.js";

const NONE = "none";
const SUPPLIED = "supplied";
const MOST_TIERS = 5;

/** The form that opens a session: what the chosen rule set leaves open, and nothing else. */
export function openTable(ui, rulesets, open, draw) {
  const form = (ui.session ??= { ruleset: rulesets[0].id, given: {}, limits: {}, tiers: [["", ""]], players: {} });
  const rules = rulesets.find((one) => one.id === form.ruleset);
  const given = form.given;
  const choose = (name) => (value) => { given[name] = value; draw(); };
  const write = (name) => (value) => { given[name] = value; };
  const option = (name, label, options, usual) =>
    options.length > 1 ? select(`terms-${name}`, label, options.map((one) => [String(one), words(one)]), given[name] ?? String(usual ?? options[0]), choose(name)) : null;
  return h("form", { id: "opening", class: "opening", on: { submit: (event) => { event.preventDefault(); open(session(form, rules)); } } },
    h("h2", {}, "Open the table"),
    h("div", { class: "fields" },
      select("ruleset", "Rule set", rulesets.map((one) => [one.id, `${one.title} (${one.id})`]), rules.id, (value) => { if (value !== form.ruleset) Object.assign(form, { ruleset: value, given: {}, limits: {} }); draw(); }),
      option("trips", "Trips pays by", rules.trips, rules.usual_trips),
      rules.schedules.length || rules.supplied_schedule ? select("terms-schedule", "Collection schedule", schedules(rules), given.schedule ?? usualSchedule(rules), choose("schedule")) : null,
      option("dealing", "Cards come from", rules.dealings, rules.usual_dealing),
      rules.decks[0] !== rules.decks[1] ? field("terms-decks", `Decks, ${rules.decks.join(" to ")}`, given.decks ?? rules.usual_decks, write("decks"), { inputmode: "numeric" }) : null,
      field("terms-chip", "Smallest chip", given.chip ?? "1.00", write("chip"), { inputmode: "decimal" }),
      rules.player_banked ? field("terms-box", "Drop box", given.box ?? "", write("box"), { placeholder: "the table's next one", ...ID }) : null,
      rules.player_banked ? option("coverage", "Coverage", ["single-pool", "separate-limits"], "single-pool") : null,
      rules.progressives.length ? option("progressive", "Progressive", [NONE, ...rules.progressives], NONE) : null),
    given.schedule === SUPPLIED ? tiers(form, draw) : null,
    given.progressive && given.progressive !== NONE ? meter(given, write) : null,
    h("fieldset", {}, h("legend", {}, "Limits, where they are narrower than the rule set's"),
      h("div", { class: "fields" }, rules.spots.map((spot) => [spot.name, limitsOf(rules, form, spot.name)]).filter(([, bounds]) => bounds).map(([name, [low, high]]) => [
        field(`low-${name}`, `${words(name)} from`, form.limits[name]?.[0] ?? "", (text) => { limit(form, name)[0] = text; }, { inputmode: "decimal", placeholder: low }),
        field(`high-${name}`, `${words(name)} to`, form.limits[name]?.[1] ?? "", (text) => { limit(form, name)[1] = text; }, { inputmode: "decimal", placeholder: high })]))),
    h("fieldset", {}, h("legend", {}, "Who sits where"),
      h("div", { class: "fields" }, Array.from({ length: rules.seats }, (_, at) => field(`player-${at + 1}`, `Seat ${at + 1}`, form.players[at + 1] ?? "", (text) => { form.players[at + 1] = text; }, { placeholder: "nobody", ...ID })))),
    h("button", { id: "open-table" }, "Open the table"));
}

const limit = (form, spot) => (form.limits[spot] ??= ["", ""]);

/** What a table's own limits lie inside: the schedule's for the base wager, else the rule set's; null where there are none. */
function limitsOf(rules, form, name) {
  const option = form.given.schedule ?? usualSchedule(rules);
  const schedule = name === rules.base ? rules.schedules.find((one) => String(one.option) === option) : null;
  return schedule?.limits ?? rules.spots.find((one) => one.name === name).limits;
}

function schedules(rules) {
  const printed = rules.schedules.map((one) => [String(one.option), `Option ${one.option}: ${one.tiers.map(([bound, fee]) => `${bound === null ? "above" : `to $${bound}`} $${fee}`).join(", ")}`]);
  return rules.supplied_schedule ? [[NONE, "No fee"], [SUPPLIED, "One of our own"]] : printed;
}

const usualSchedule = (rules) => (rules.schedules.length ? String(rules.schedules[0].option) : NONE);

function tiers(form, draw) {
  const low = limit(form, "schedule");
  return h("fieldset", {}, h("legend", {}, "The schedule: total action up to, and the fee; the last bound is empty"),
    h("div", { class: "fields" },
      field("schedule-low", "Ante from", low[0], (text) => { low[0] = text; }, { inputmode: "decimal", placeholder: "5.00" }),
      field("schedule-high", "Ante to", low[1], (text) => { low[1] = text; }, { inputmode: "decimal", placeholder: "500.00" }),
      form.tiers.map((tier, at) => [
        field(`bound-${at}`, `Up to (${at + 1})`, tier[0], (text) => { tier[0] = text; }, { inputmode: "decimal", placeholder: "everything above" }),
        field(`fee-${at}`, `Fee (${at + 1})`, tier[1], (text) => { tier[1] = text; }, { inputmode: "decimal", placeholder: "1.00" })])),
    form.tiers.length < MOST_TIERS ? button("more-tiers", "Another tier", () => { form.tiers.push(["", ""]); draw(); }, { kind: "second" }) : null);
}

function meter(given, write) {
  const one = (name, label, usual) => field(`meter-${name}`, label, (given[`meter-${name}`] ??= usual), write(`meter-${name}`), { inputmode: "decimal" });
  return h("fieldset", {}, h("legend", {}, "The meter, where none is stored yet"), h("div", { class: "fields" },
    field("meter-id", "Shared meter", given["meter-id"] ?? "", write("meter-id"), { placeholder: "this table's own", ...ID }),
    one("seed", "Seed", "10000.00"), one("shown", "Shown", "10000.00"), one("reserve", "Reserve", "0.00"), one("percent", "Percent of each wager", "25"), one("reserve_percent", "Percent for the reserve", "5")));
}

/** The body that opens the session; what was left as it is usual is left out. */
function session(form, rules) {
  const given = form.given;
  const terms = {};
  for (const name of ["trips", "dealing", "coverage"]) if (given[name]) terms[name] = given[name];
  if (rules.trips.length && !rules.usual_trips) terms.trips ??= rules.trips[0]; // as the form shows it
  if (given.decks) terms.decks = Number(given.decks);
  if (given.chip && given.chip !== "1.00") terms.chip = given.chip;
  const schedule = given.schedule ?? usualSchedule(rules);
  if (schedule === SUPPLIED) {
    const rows = form.tiers.filter(([, fee]) => fee).map(([bound, fee]) => [bound || null, fee]);
    terms.schedule = { limits: form.limits.schedule, tiers: rows };
  } else if (schedule && schedule !== NONE) terms.schedule = Number(schedule);
  if (given.progressive && given.progressive !== NONE) {
    terms.progressive = given.progressive;
    terms.meter = { ...(given["meter-id"] ? { id: given["meter-id"] } : {}), seed: given["meter-seed"], shown: given["meter-shown"], reserve: given["meter-reserve"], percent: Number(given["meter-percent"]), reserve_percent: Number(given["meter-reserve_percent"]) };
  }
  const limits = Object.entries(form.limits).filter(([spot, [low, high]]) => spot !== "schedule" && (low || high))
    .map(([spot, [low, high]]) => [spot, [low || limitsOf(rules, form, spot)[0], high || limitsOf(rules, form, spot)[1]]]);
  if (limits.length) terms.limits = Object.fromEntries(limits);
  return { ruleset: rules.id, terms, ...(given.box ? { box: given.box } : {}), players: Object.fromEntries(Object.entries(form.players).filter(([, bettor]) => bettor)) };
}

// ---- the next round

/** Who banks, for how much, and who declined before them; at a house bank only a button. */
export function nextRound(ui, state, open, draw) {
  const { rules, session } = state;
  if (!rules.player_banked) return h("div", { id: "next-round" }, h("h2", {}, "Next round"), button("open-round", "Open the round", () => open({}), { kind: "big" }));
  const run = session.banked;
  const bank = offered(ui, state);
  const seats = Object.keys(session.players).map(Number);
  const press = (seat) => () => {
    bank.chosen = true;
    if (bank.asking === "declined" && seat !== bank.seat) bank.declined = bank.declined.includes(seat) ? bank.declined.filter((one) => one !== seat) : [...bank.declined, seat];
    else {
      bank.seat = seat;
      bank.declined = bank.declined.filter((one) => one !== seat);
    }
    draw();
  };
  const begin = () => open({ player_dealer: { seat: bank.seat, wager: money(ui.amount), ...(bank.declined.length ? { declined: bank.declined } : {}) } });
  // The button comes first: mostly everything is as before, and Enter in the amount presses it as well.
  return h("form", { id: "next-round", class: "stack", on: { submit: (event) => { event.preventDefault(); begin(); } } },
    h("h2", {}, "Next round: who banks?"),
    h("button", { id: "open-round", class: "big", disabled: !bank.seat || !ui.amount }, !bank.seat ? "Who banks?" : !ui.amount ? `How much does seat ${bank.seat} put up?` : `Open the round: seat ${bank.seat} banks ${shown(money(ui.amount))}`),
    run ? h("p", { class: "muted" }, `${run.bettor} at seat ${run.seat} banked last, ${run.rounds === 1 ? "one round" : `${run.rounds} rounds in a row`}.`) : null,
    seats.length ? null : h("p", { class: "muted" }, "Nobody is seated. Seat the player-dealer below first."),
    h("div", { class: "row-buttons", role: "group", "aria-label": "Player-dealer" },
      seats.map((seat) => button(`bank-${seat}`, `${seat} ${session.players[seat]}`, () => { bank.asking = "bank"; press(seat)(); }, { kind: "pad roomy", pressed: bank.seat === seat }))),
    seats.length > 1 ? h("p", { class: "step" }, "Offered the bank before them, and declined, in this order:") : null,
    seats.length > 1 ? h("div", { class: "row-buttons", role: "group", "aria-label": "Declined" },
      seats.filter((seat) => seat !== bank.seat).map((seat) => {
        const at = bank.declined.indexOf(seat);
        return button(`declined-${seat}`, at < 0 ? `${seat}` : `${seat} (${at + 1}.)`, () => { bank.asking = "declined"; press(seat)(); }, { kind: "pad", pressed: at >= 0, label: `Seat ${seat} declined` });
      })) : null,
    h("p", { class: "step" }, "Their wager:"),
    chipPad(ui, cents(rules.chip), draw));
}

/** Who banks next, for as much as before, until the dealer chooses otherwise: known only once the round is over. */
function offered(ui, { bank, round }) {
  if (!ui.bank?.chosen && ui.bank?.of !== bank?.seat) {
    ui.bank = null;
    if (round?.bank?.wager && !ui.written) ui.amount = cents(round.bank.wager);
  }
  return (ui.bank ??= { seat: bank?.seat ?? null, of: bank?.seat, declined: [] });
}

/** Sitting down, getting up, and closing the table. */
export function seating(ui, state, { take, leave, close, tap }, draw) {
  const { rules, session } = state;
  const form = (ui.seating ??= { seat: "", bettor: "", dealer: "" });
  const free = Array.from({ length: rules.seats }, (_, at) => at + 1).filter((seat) => !(seat in session.players));
  const seat = form.seat || String(free[0] ?? "");
  ui.seatingOpen ??= rules.player_banked && free.length === rules.seats; // without a player-dealer nothing goes on
  return folded("seating", "seatingOpen", ui, "Seats, dealer, closing",
    h("form", { class: "row-form", on: { submit: (event) => { event.preventDefault(); tap(form.dealer); } } },
      field("dealer-in", `Dealer${session.dealer ? `, now ${session.dealer}` : ""}`, form.dealer, (text) => { form.dealer = text; }, { required: true, placeholder: "staff id", ...ID }),
      h("button", { id: "tap-in", class: "second" }, "Tap in")),
    free.length ? h("form", { class: "row-form", on: { submit: (event) => { event.preventDefault(); take(Number(seat), form.bettor); form.bettor = ""; form.seat = ""; draw(); } } },
      select("seat-free", "Free seat", free.map((one) => [String(one), String(one)]), seat, (value) => { form.seat = value; }),
      field("seat-bettor", "Bettor's id", form.bettor, (text) => { form.bettor = text; }, { required: true, ...ID }),
      h("button", { id: "sit-down", class: "second" }, "Sit down")) : null,
    h("div", { class: "row-buttons" }, Object.entries(session.players).map(([one, bettor]) => button(`leave-${one}`, `${bettor} leaves seat ${one}`, () => leave(Number(one)), { kind: "second" }))),
    h("div", { class: "row-buttons" }, button("close-table", "Close the table", close, { kind: "second" })));
}
