// Pieces of the dealer's screen: cards, chips, the table.

import { button, field, h } from "./dealer_drawing.js";
import { cents, money, shown, words } from "./dealer_words.js";

export const SUITS = { c: ["♣", "clubs"], d: ["♦", "diamonds"], h: ["♥", "hearts"], s: ["♠", "spades"] };
const RANKS = "AKQJT98765432";
const RANK_NAMES = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten", 9: "nine", 8: "eight", 7: "seven", 6: "six", 5: "five", 4: "four", 3: "three", 2: "two" };
/** The whole deck, suit by suit. */
export const deck = ["s", "h", "d", "c"].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
const CHIPS = [100, 500, 2500, 10000, 50000];

// ---- cards

export const rankText = (rank) => (rank === "T" ? "10" : rank);
export const cardName = (card) => `${RANK_NAMES[card[0]]} of ${SUITS[card[1]][1]}`;

export function card(value, size = "") {
  if (value === null) return h("span", { class: `card back ${size}`, role: "img", "aria-label": "face-down card" });
  return h("span", { class: `card ${size}`, role: "img", "aria-label": cardName(value), "data-suit": value[1] },
    h("span", { class: "rank", "aria-hidden": "true" }, rankText(value[0])), h("span", { class: "suit", "aria-hidden": "true" }, SUITS[value[1]][0]));
}

export const cards = (values, size = "") => h("span", { class: "cards" }, values.map((value) => card(value, size)));

/** Cards of a packet in their places; undefined is one that has still to be named. */
export const slots = (values) => h("p", { class: "picked", role: "status" }, values.map((value) =>
  (value === undefined ? h("span", { class: "card large wanted", role: "img", "aria-label": "a card to be named" }) : card(value, "large"))));

// ---- chips

const chipText = (chip) => (chip < 100 ? `${chip}¢` : shown(money(chip)).replace(".00", ""));

/** Chips add up to `ui.amount`, in cents; another amount can be typed, and is shown as typed. */
export function chipPad(ui, unit, draw) {
  const chips = [...new Set([unit, ...CHIPS])].filter((chip) => chip >= unit);
  const written = ui.written && (cents(ui.written) || 0) === ui.amount ? ui.written : null;
  const press = (chip) => () => { ui.amount += chip; draw(); };
  return h("div", { class: "chip-pad", role: "group", "aria-label": "Amount" },
    chips.map((chip) => button(`chip-${chip}`, chipText(chip), press(chip), { kind: "chip", label: `Add ${chipText(chip)}` })),
    field("amount", null, written ?? (ui.amount ? money(ui.amount) : ""), (text) => { ui.written = text; ui.amount = cents(text) || 0; draw(); }, { inputmode: "decimal", class: "amount", placeholder: "Amount", "aria-label": "Amount" }),
    button("clear-amount", "Clear", () => { Object.assign(ui, { amount: 0, written: "" }); draw(); }, { kind: "second", disabled: !ui.amount && !ui.written, label: "Clear the amount" }));
}

// ---- the table

export function felt(picture) {
  if (!picture) return null;
  const bank = picture.bank.wager === null ? null : `wager ${shown(picture.bank.wager)}`;
  return h("div", { class: "felt" },
    h("div", { class: "felt-middle" },
      h("div", { class: "place" }, h("p", { class: "place-name" }, "Dealer hand", made(picture.dealer)), cards(picture.dealer?.cards ?? [])),
      picture.board.length ? h("div", { class: "place" }, h("p", { class: "place-name" }, "Board"), cards(picture.board)) : null,
      h("p", { class: "facts-line" },
        [bank, picture.meter ? `meter ${shown(picture.meter.shown)}` : null, picture.fee === null ? null : `fee ${shown(picture.fee)}${picture.waived ? ", waived" : ""}`, picture.liability === null ? null : `could owe ${shown(picture.liability)}`]
          .filter(Boolean).join(" · "))),
    h("ol", { class: "seats" }, picture.seats.map((seat) => feltSeat(seat))));
}

const made = (hand) => (hand?.made ? h("span", { class: "made" }, ` ${hand.made}`) : null);

function feltSeat(seat) {
  const taken = seat.bettor || seat.piles.length;
  const behind = [...new Set(seat.piles.filter((pile) => pile.kind).map((pile) => pile.bettor))];
  const own = seat.piles.filter((pile) => !pile.kind);
  return h("li", { id: `felt-${seat.seat}`, class: `felt-seat${seat.acting ? " acting" : ""}${taken ? "" : " free"}`, "data-seat": seat.seat },
    h("p", { class: "place-name" }, h("b", {}, String(seat.seat)), " ", seat.bettor ?? "",
      seat.banks ? h("span", { class: "badge info" }, "banks") : null, seat.button ? h("span", { class: "badge warn" }, "button") : null),
    seat.hands.map((hand) => h("div", { class: "felt-hand" }, cards(hand.cards), made(hand), hand.state ? h("span", { class: "badge" }, hand.state) : null)),
    own.length ? h("ul", { class: "piles" }, own.map(feltPile)) : null,
    behind.map((bettor) => [h("p", { class: "behind" }, `${bettor}, behind`), h("ul", { class: "piles" }, seat.piles.filter((pile) => pile.kind && pile.bettor === bettor).map(feltPile))]));
}

/** What lies on a spot; once it is settled, what the dealer does with it. */
function feltPile(pile) {
  const moves = !pile.outcome ? null : pile.paid !== "0.00" ? `pay ${shown(pile.paid)}` : pile.collected !== "0.00" ? `take ${shown(pile.collected)}` : words(pile.outcome);
  return h("li", {}, h("span", {}, `${words(pile.spot)}${pile.hand > 1 ? ` ${pile.hand}` : ""} `), h("span", { class: "stake" }, shown(pile.wager)),
    moves ? h("span", { class: `outcome ${pile.outcome}` }, ` ${moves}`) : null);
}
