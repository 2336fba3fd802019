// Pieces of the dealer's screen. Elements are made, never written as text, so nothing that somebody typed becomes markup.

import { cents, money, shown, words } from "./dealer_next.js";

const SUITS = { c: ["♣", "clubs"], d: ["♦", "diamonds"], h: ["♥", "hearts"], s: ["♠", "spades"] };
const RANKS = "AKQJT98765432";
const RANK_NAMES = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten", 9: "nine", 8: "eight", 7: "seven", 6: "six", 5: "five", 4: "four", 3: "three", 2: "two" };
const CHIPS = [100, 500, 2500, 10000, 50000];

/** An element; `on` are listeners, `id` a name by which focus finds it again after the screen was drawn anew. */
export function h(tag, { id, on = {}, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  if (id) element.dataset.id = id;
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const button = (id, text, press, { kind = "", pressed, disabled, label } = {}) =>
  h("button", { id, type: "button", class: kind, "aria-pressed": pressed === undefined ? null : String(pressed), disabled, "aria-label": label, on: { click: press } }, text);

export function field(id, label, value, input, attributes = {}) {
  return h("label", { class: "field" }, label, h("input", { id, value, autocomplete: "off", on: { input: (event) => input(event.target.value) }, ...attributes }));
}

export function select(id, label, options, value, change) {
  const made = h("select", { id, on: { change: (event) => change(event.target.value) } },
    options.map(([code, text]) => h("option", { value: code, selected: code === value }, text)));
  return h("label", { class: "field" }, label, made);
}

// ---- cards

const rankText = (rank) => (rank === "T" ? "10" : rank);
const cardName = (card) => `${RANK_NAMES[card[0]]} of ${SUITS[card[1]][1]}`;

export function card(value, size = "") {
  if (value === null) return h("span", { class: `card back ${size}`, role: "img", "aria-label": "face-down card" });
  return h("span", { class: `card ${size}`, role: "img", "aria-label": cardName(value), "data-suit": value[1] },
    h("span", { class: "rank", "aria-hidden": "true" }, rankText(value[0])), h("span", { class: "suit", "aria-hidden": "true" }, SUITS[value[1]][0]));
}

export const cards = (values, size = "") => h("span", { class: "cards" }, values.map((value) => card(value, size)));

/** First the rank, then the suit: large targets on a phone too. `out(card)`: all copies of it lie on the table. */
export function cardPad(ui, out, picked, draw) {
  const rank = ui.rank;
  const ranks = [...RANKS].map((one) => button(`rank-${one}`, rankText(one), () => { ui.rank = one; draw(); },
    { kind: "pad", pressed: rank === one, disabled: Object.keys(SUITS).every((suit) => out(one + suit)), label: RANK_NAMES[one] }));
  const suits = Object.entries(SUITS).map(([suit, [sign, name]]) => {
    const made = button(`suit-${suit}`, sign, () => picked(rank + suit),
      { kind: "pad suit", disabled: !rank || out(rank + suit), label: rank ? cardName(rank + suit) : name });
    made.dataset.suit = suit;
    return made;
  });
  return h("div", { class: "card-pad" },
    h("div", { class: "ranks", role: "group", "aria-label": "Rank" }, ranks), h("div", { class: "suits", role: "group", "aria-label": "Suit" }, suits));
}

// ---- chips

/** Chips add up to `ui.amount`, in cents; whoever wants another amount writes it, and sees it as he wrote it. */
export function chipPad(ui, unit, draw) {
  const chips = CHIPS.filter((chip) => chip >= unit);
  const written = ui.written && cents(ui.written) === ui.amount ? ui.written : null;
  const press = (chip) => () => { ui.amount += chip; draw(); };
  return h("div", { class: "chip-pad", role: "group", "aria-label": "Amount" },
    (chips.length ? chips : [unit]).map((chip) => button(`chip-${chip}`, `$${chip / 100}`, press(chip), { kind: "chip", label: `Add $${chip / 100}` })),
    field("amount", "Amount", written ?? (ui.amount ? money(ui.amount) : ""), (text) => { ui.written = text; ui.amount = cents(text) || 0; draw(); }, { inputmode: "decimal", class: "amount", placeholder: "0.00" }),
    button("clear-amount", "Clear", () => { ui.amount = 0; draw(); }, { kind: "second" }));
}

// ---- the table

export function felt(picture, rules) {
  if (!picture) return null;
  const bank = picture.bank.wager === null ? null : `wager ${shown(picture.bank.wager)}`;
  return h("div", { class: "felt" },
    h("div", { class: "felt-middle" },
      h("div", { class: "place" }, h("p", { class: "place-name" }, "Dealer hand", made(picture.dealer)), cards(picture.dealer?.cards ?? [])),
      picture.board.length ? h("div", { class: "place" }, h("p", { class: "place-name" }, "Board"), cards(picture.board)) : null,
      h("p", { class: "facts-line" },
        [bank, picture.fee === null ? null : `fee ${shown(picture.fee)}`, picture.liability === null ? null : `could owe ${shown(picture.liability)}`]
          .filter(Boolean).join(" · "))),
    h("ol", { class: "seats" }, picture.seats.map((seat) => feltSeat(seat))));
}

const made = (hand) => (hand?.made ? h("span", { class: "made" }, ` ${hand.made}`) : null);

function feltSeat(seat) {
  const taken = seat.bettor || seat.piles.length;
  return h("li", { class: `felt-seat${seat.acting ? " acting" : ""}${taken ? "" : " free"}`, "data-seat": seat.seat },
    h("p", { class: "place-name" }, h("b", {}, String(seat.seat)), " ", seat.bettor ?? "",
      seat.banks ? h("span", { class: "badge info" }, "banks") : null, seat.button ? h("span", { class: "badge warn" }, "button") : null),
    seat.hands.map((hand) => h("div", { class: "felt-hand" }, cards(hand.cards), made(hand), hand.state ? h("span", { class: "badge" }, hand.state) : null)),
    h("ul", { class: "piles" }, seat.piles.map((pile) => h("li", {}, `${words(pile.spot)} ${shown(pile.wager)}`,
      pile.kind ? ` (${pile.bettor})` : "", pile.outcome ? h("span", { class: `outcome ${pile.outcome}` }, ` ${words(pile.outcome)}`) : null))));
}

/** What was paid and why, line by line. */
export function settlement(round, ruleset) {
  const rows = round.lines.map((line) => h("tr", {},
    h("th", { scope: "row" }, `${line.seat}${line.hand > 1 ? ` · ${line.hand}` : ""}`),
    h("td", {}, h("b", {}, words(line.spot)), h("br"), h("span", { class: "muted" }, line.bettor)),
    h("td", { class: "num" }, shown(line.wager)),
    h("td", {}, h("span", { class: `badge ${{ win: "good", lose: "bad" }[line.outcome] ?? ""}` }, words(line.outcome)), line.odds ? ` ${line.odds}` : ""),
    h("td", { class: "num" }, line.paid !== "0.00" ? `pay ${shown(line.paid)}` : line.collected !== "0.00" ? `take ${shown(line.collected)}` : "–"),
    h("td", { class: "why" }, line.reason, " ", h("a", { class: "clause", href: `/rules/${ruleset}#${line.clause}` }, line.clause))));
  const head = ["Seat", "Wager", "Stake", "Outcome", "Chips", "Why"].map((name) => h("th", { scope: "col" }, name));
  return h("div", { class: "scroll", role: "region", "aria-label": "Settlement", tabindex: "0" },
    h("table", { class: "settlement" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
}
