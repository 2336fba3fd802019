// Bets: a chip value, and a tap for each wager. What is beyond a limit or off the chip unit is said before it is sent.

import { ID, button, field, folded, h, select } from "./dealer_drawing.js";
import { seatedIn, wagersOf } from "./dealer_forecast.js";
import { chipPad } from "./dealer_parts.js";
import { cents, many, money, shown, words } from "./dealer_words.js";

const MODES = [["add", "Add"], ["replace", "Replace"], ["back", "Take back"]];

export function betting(screen, entry, facts) {
  const { ui, state, draw } = screen;
  const { rules } = state;
  const lying = wagersOf(facts, seatedIn(state));
  const mode = (value, text) => button(`mode-${value}`, text, () => { ui.mode = value; draw(); }, { kind: "pad roomy", pressed: ui.mode === value });
  return h("div", { id: "betting", class: "betting" },
    h("div", { class: "betting-head" }, h("h2", {}, "Bets"),
      ui.wrong ? h("p", { id: "wrong", class: "wrong", role: "alert" }, ui.wrong) : h("p", { id: "hint", class: "hint" }, hint(ui))),
    chipPad(ui, cents(rules.chip), draw),
    h("div", { class: "row-buttons modes" }, h("div", { class: "row-buttons", role: "group", "aria-label": "What a tap does" }, MODES.map(([value, text]) => mode(value, text))), asBefore(screen, lying)),
    grid(screen, entry, lying),
    rules.kinds.length ? behindSeat(screen) : null);
}

const hint = (ui) => (ui.mode === "back" ? "Tap the wager that is taken back." : !ui.amount ? "Choose an amount, then tap where it goes."
  : ui.mode === "replace" ? `Tap the wager that becomes ${shown(money(ui.amount))}.` : `A tap adds ${shown(money(ui.amount))}.`);

function behindSeat({ ui, state, draw }) {
  return folded("behind", "behindOpen", ui, ui.behind.kind && ui.behind.bettor ? `For ${ui.behind.bettor}, ${ui.behind.kind}` : "For somebody else at the seat",
    h("div", { class: "fields" },
      select("behind-kind", "As", [["", "nobody else"], ...state.rules.kinds.map((kind) => [kind, kind])], ui.behind.kind, (value) => { ui.behind.kind = value; if (value === "toke") ui.behind.bettor ||= "toke"; draw(); }),
      field("behind-bettor", "Their id", ui.behind.bettor, (text) => { ui.behind.bettor = text; draw(); }, ID)));
}

// ---- the layout: a row for each seat, a column for each spot

function grid(screen, entry, lying) {
  const { state } = screen;
  const spots = state.rules.spots.filter((spot) => many(entry.spot).includes(spot.name));
  const head = h("tr", {}, h("th", { scope: "col" }, "Seat"), spots.map((spot) => h("th", { scope: "col" }, words(spot.name))));
  return h("table", { class: "bet-grid", "data-grid": "" }, h("thead", {}, head), h("tbody", {}, many(entry.seat).map((seat) => h("tr", { id: `bets-${seat}` },
    h("th", { scope: "row" }, h("b", {}, String(seat)), " ", h("small", {}, state.session.players[seat] ?? ""), again(screen, seat, lying)),
    spots.map((spot) => h("td", {}, cell(screen, seat, spot, lying)))))));
}

function cell(screen, seat, spot, lying) {
  const { ui, state } = screen;
  const behind = ui.behind.kind && ui.behind.bettor ? ui.behind.bettor : "";
  const bettors = lying.get(seat) ?? new Map();
  const lies = bettors.get(behind)?.spots[spot.name] ?? 0;
  const others = [...bettors].filter(([bettor]) => bettor !== behind).reduce((sum, [, stakes]) => sum + (stakes.spots[spot.name] ?? 0), 0);
  const amount = spot.wager ? cents(spot.wager) : ui.amount;
  const idle = ui.mode === "back" ? !lies : !amount || (ui.mode === "replace" && !lies);
  const name = `Seat ${seat}${state.session.players[seat] ? `, ${state.session.players[seat]}` : ""}${behind ? `, ${behind}` : ""}: ${words(spot.name)}, ${lies ? shown(money(lies)) : "nothing"}`;
  const low = lies && spot.limits && !tipsFreely(ui, spot) && lies < cents(spot.limits[0]);
  return button(`bet-${seat}-${spot.name}`, [lies ? shown(money(lies)) : "+", others ? h("small", {}, `+${shown(money(others))}`) : null], () => tap(screen, seat, spot, lies, bettors.get(behind)),
    { kind: `pad cell${low ? " low" : ""}`, disabled: idle, label: name });
}

const tipsFreely = (ui, spot) => ui.behind.kind === "toke" && !spot.tip_minimum;

/** What the tap stands for is one request: the wager, and the one that is equal to it. */
function tap(screen, seat, spot, lies, stakes) {
  const { ui, state, act, draw } = screen;
  const amount = spot.wager ? cents(spot.wager) : ui.amount;
  const behind = ui.behind.kind && ui.behind.bettor ? { bettor: ui.behind.bettor, kind: ui.behind.kind } : {};
  const equal = ui.behind.kind === "toke" && behind.bettor ? [] : state.rules.spots.filter((one) => one.follows === spot.name).map((one) => one.name);
  const spots = [spot.name, ...equal];
  const taken = spots.filter((name) => stakes?.spots[name]).map((name) => ({ do: "withdraw", seat, spot: name, ...(behind.bettor ? { bettor: behind.bettor } : {}) }));
  const bets = spots.map((name) => ({ do: "bet", seat, spot: name, amount: money(amount), ...behind }));
  if (ui.mode === "back") { ui.wrong = null; act(taken); return; }
  ui.wrong = beyond(state, ui, seat, spot, ui.mode === "replace" ? amount : lies + amount);
  if (ui.wrong) { draw(); return; }
  act(ui.mode === "replace" ? [...taken, ...bets] : bets);
}

/** Why no wager of that amount is entered; a wager that is too low for now is entered, and marked. */
function beyond({ rules }, ui, seat, spot, total) {
  if (spot.wager) return total > cents(spot.wager) ? `${words(spot.name)} is ${shown(spot.wager)}, once.` : null;
  const wager = `Seat ${seat}'s ${words(spot.name)} wager of ${shown(money(total))}`;
  if (total % cents(rules.chip)) return `${wager} is off the chip unit of ${shown(rules.chip)}.`;
  if (!spot.limits) return null;
  const [low, high] = spot.limits.map(cents);
  if (total > high) return `${wager} is more than the ${shown(spot.limits[1])} of this table.`;
  if (ui.mode === "replace" && total < low && !tipsFreely(ui, spot)) return `${wager} is less than the ${shown(spot.limits[0])} of this table.`;
  return null;
}

// ---- as in the round before

/** The wagers of a seat in the round before, while the same person sits there; the others' too. */
function earlier(state, seat) {
  const { before } = state;
  const seated = seatedIn(state)(seat);
  if (!before || before.seated[seat] !== seated) return [];
  const bettors = wagersOf(before.facts, (one) => before.seated[one]).get(seat) ?? new Map();
  return [...bettors].flatMap(([bettor, { kind, spots }]) => Object.entries(spots).map(([spot, amount]) => ({ do: "bet", seat, spot, amount: money(amount), ...(bettor ? { bettor, kind } : {}) })));
}

function again({ state, act }, seat, lying) {
  const bets = lying.has(seat) ? [] : earlier(state, seat);
  return bets.length ? button(`again-${seat}`, "↺", () => act(bets), { kind: "second again", label: `Seat ${seat}: as last round` }) : null;
}

function asBefore({ state, act }, lying) {
  const seats = Object.keys(state.before?.seated ?? {}).map(Number).filter((seat) => !lying.has(seat));
  const bets = seats.flatMap((seat) => earlier(state, seat));
  return bets.length ? button("again-all", "As last round", () => act(bets), { kind: "roomy" }) : null;
}
