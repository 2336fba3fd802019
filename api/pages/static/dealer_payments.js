// After a round: what was paid and why, what the dealer reports to have paid, a waived fee.

import { button, field, folded, h, select } from "./dealer_drawing.js";
import { asAmount, cents, money, shown, words } from "./dealer_words.js";

const wagerOf = ({ seat, bettor, hand, spot }) => `${seat}-${bettor}-${hand}-${spot}`;

/** The wagers of a settled round that nobody has reported on; an envy bonus may have several lines. */
function unreported({ round, reported }) {
  const done = new Set(reported.map(wagerOf));
  const wagers = new Map();
  for (const line of round.lines.filter((one) => !done.has(wagerOf(one)))) {
    const { seat, bettor, hand, spot } = line;
    const before = wagers.get(wagerOf(line)) ?? { seat, bettor, hand, spot, paid: 0, collected: 0 };
    wagers.set(wagerOf(line), { ...before, paid: before.paid + cents(line.paid), collected: before.collected + cents(line.collected) });
  }
  return [...wagers.values()];
}

/** Who is paid what: the net of each bettor at a seat, the bank's chips that move. */
function payout(lines) {
  const nets = new Map();
  for (const { seat, bettor, paid, collected } of lines) nets.set(`${seat} ${bettor}`, (nets.get(`${seat} ${bettor}`) ?? 0) + cents(paid) - cents(collected));
  return h("ul", { id: "payout", class: "payout", "aria-label": "Who is paid what" }, [...nets].map(([who, net]) => {
    const [seat, bettor] = who.split(" ");
    return h("li", { class: net > 0 ? "pays" : net < 0 ? "takes" : "" }, h("b", {}, seat), ` ${bettor} `, h("span", { class: "stake" }, net > 0 ? `pay ${shown(money(net))}` : net < 0 ? `take ${shown(money(-net))}` : "even"));
  }));
}

/** Rounds that are still to be paid though another one has begun; those before the last one are folded. */
export function unpaid(ui, rounds, confirm, draw) {
  if (!rounds?.length) return null;
  const [last, ...earlier] = rounds;
  const one = (round, name) => [h("p", { class: "step" }, `Round ${round.id} is not confirmed as paid:`), payout(round.wagers),
    ...confirmation(ui, round.id, round.wagers.map(inCents), (body) => confirm(round, body), draw, { name, otherwise: `${name}-otherwise`, place: `${round.id}-`, label: `Round ${round.id}: ` })];
  return h("div", { id: "unpaid", class: "unpaid", role: "group", "aria-label": "Not confirmed as paid" }, one(last, "paid-before"),
    earlier.length ? folded("unpaid-earlier", "unpaidOpen", ui, earlier.length === 1 ? "And one before it" : `And ${earlier.length} before it`, earlier.map((round) => one(round, `paid-${round.id}`))) : null);
}

const inCents = (wager) => ({ ...wager, paid: cents(wager.paid), collected: cents(wager.collected) });

/** What the dealer paid and collected in the round that has just ended. */
export function payments(ui, state, report, draw) {
  const { round, reported } = state;
  if (!round || round.status !== "settled") return null;
  const wagers = unreported(state);
  if (!wagers.length) return h("p", { id: "paid", class: "reported", role: "status" }, differing(reported) ? `Reported: ${differing(reported)} paid otherwise than worked out.` : "Reported: paid as worked out.");
  return h("div", { id: "payments" },
    h("h2", {}, "Chips to pay"),
    payout(round.lines),
    confirmation(ui, round.id, wagers, report, draw, { name: "paid-as-computed", otherwise: "paid-otherwise", place: "", label: "", big: true }));
}

/** As it was worked out, with one tap, or otherwise, wager by wager. */
function confirmation(ui, id, wagers, report, draw, { name, otherwise, place, label, big }) {
  const written = (ui.payments[id] ??= {});
  const amount = (wager, what) => written[`${wagerOf(wager)}-${what}`] ?? money(wager[what]);
  const body = (of) => ({ payments: wagers.map((wager) => ({ seat: wager.seat, bettor: wager.bettor, hand: wager.hand, spot: wager.spot, paid: of(wager, "paid"), collected: of(wager, "collected") })) });
  const both = (what) => shown(money(wagers.reduce((sum, wager) => sum + wager[what], 0)));
  const part = (wager, what, words) => field(`${what}-${place}${wagerOf(wager)}`, words, amount(wager, what), (text) => { written[`${wagerOf(wager)}-${what}`] = text; draw(); }, { inputmode: "decimal" });
  const differs = wagers.some((wager) => ["paid", "collected"].some((what) => cents(amount(wager, what)) !== wager[what]));
  const asComputed = `As worked out: pay ${both("paid")}, take ${both("collected")}`;
  return [
    button(name, asComputed, () => report(body((wager, what) => money(wager[what]))), { kind: big ? "big second" : "second", label: label + asComputed }),
    folded(otherwise, `${otherwise}Open`, ui, "Something else was paid",
      h("p", { class: "hint" }, "Write what really moved. Nothing is booked by it: the floor sees where it differs."),
      wagers.map((wager) => h("div", { id: `paying-${place}${wagerOf(wager)}`, class: "paying", role: "group", "aria-label": label + named(wager) }, h("p", { class: "step" }, named(wager)),
        h("div", { class: "two-fields" }, part(wager, "paid", "paid"), part(wager, "collected", "taken")))),
      button(`paid-${place}so`, "Report this", () => { ui[`${otherwise}Open`] = false; report(body((wager, what) => asAmount(amount(wager, what)))); }, { kind: "big second", disabled: !differs }))];
}

const named = ({ seat, bettor, hand, spot }) => `Seat ${seat}${hand > 1 ? `, hand ${hand}` : ""}: ${words(spot)}, ${bettor}`;
const differing = (reported) => reported.filter((one) => one.difference !== "0.00").length;

/** The fee of a voided round stays in the box unless the floor waives it. */
export function waiver(ui, state, waive) {
  const { round, picture, may } = state;
  if (round?.status !== "void" || !round.fee || !picture) return null;
  if (picture.waived) return h("p", { id: "waived", class: "reported", role: "status" }, `The fee of ${shown(round.fee.amount)} is waived: ${picture.waived}.`);
  if (!may.waive) return h("p", { id: "kept", class: "muted" }, `The fee of ${shown(round.fee.amount)} stays in the box unless the floor waives it.`);
  const form = ui.waiver;
  return folded("waiver", "waiverOpen", ui, `Waive the fee of ${shown(round.fee.amount)}`,
    h("form", { on: { submit: (event) => { event.preventDefault(); waive({ how: form.how, reason: form.reason.trim() }); form.reason = ""; } } },
      h("div", { class: "fields" },
        select("waiver-how", "Its chips", [["not dropped", "were not dropped"], ["refunded", "are refunded by the cage"]], form.how, (value) => { form.how = value; }),
        field("waiver-reason", "Why", form.reason, (text) => { form.reason = text; }, { required: true, maxlength: "500" })),
      h("button", { id: "waive", class: "second" }, "Waive the fee")));
}

/** How the round ended. */
export function ending({ round, reported, may }) {
  if (!round || round.status === "open") return [];
  if (round.status === "void") return [h("h2", {}, "Void"), h("p", {}, "Every wager goes back to whoever made it.")];
  return [h("h2", {}, "Settlement"), settlement(round, reported), notRight(round, may)];
}

/** A dealer does not correct a settlement: a ruling does, by somebody who was not involved. */
const notRight = ({ id }, may) => h("p", { id: "not-right", class: "muted" }, "Not right? ",
  may.dispute ? [h("a", { href: `/disputes/new?round=${encodeURIComponent(id)}` }, "Open a dispute"), ": its ruling corrects what was paid."] : "Call the floor: a ruling corrects what was paid.");

/** What is paid and why, line by line. */
function settlement(round, reported) {
  const otherwise = new Map(reported.filter((one) => one.difference !== "0.00").map((one) => [wagerOf(one), one]));
  const chips = ({ paid, collected }) => (paid !== "0.00" ? `pay ${shown(paid)}` : collected !== "0.00" ? `take ${shown(collected)}` : "–");
  const rows = round.lines.map((line) => {
    const told = otherwise.get(wagerOf(line));
    return h("tr", {},
      h("th", { scope: "row" }, `${line.seat}${line.hand > 1 ? ` · ${line.hand}` : ""}`),
      h("td", {}, h("b", {}, words(line.spot)), h("br"), h("span", { class: "muted" }, line.bettor)),
      h("td", { class: "num" }, shown(line.wager)),
      h("td", {}, h("span", { class: `badge ${{ win: "good", lose: "bad" }[line.outcome] ?? ""}` }, words(line.outcome)), line.odds ? ` ${line.odds}` : ""),
      h("td", { class: "num" }, chips(line), told ? h("span", { class: "sub told" }, `reported: ${chips(told)}`) : null),
      h("td", { class: "why" }, line.reason, " ", h("a", { class: "clause", href: `/rules/${round.ruleset}#${line.clause}` }, line.clause)));
  });
  const head = ["Seat", "Wager", "Stake", "Outcome", "Chips", "Why"].map((name) => h("th", { scope: "col" }, name));
  return h("div", { class: "scroll", role: "region", "aria-label": "Settlement", tabindex: "0" },
    h("table", { class: "settlement" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
}
