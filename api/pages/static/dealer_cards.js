// Cards: one tap each on a grid of the deck, sent by themselves once the packet is whole; all that is dealt face down in
// one tap.

import { GIVES_UP } from "./dealer_decisions.js";
import { button, folded, h } from "./dealer_drawing.js";
import { packetsAhead, seatedIn } from "./dealer_forecast.js";
import { cardName, deck, rankText, slots, SUITS } from "./dealer_parts.js";
import { many, place, said } from "./dealer_words.js";

/** What cards are wanted for: packets to deal, and cards that are turned over. `lie` has them in their places: null face
 * down, and undefined where one has still to be named. */
function cardTasks({ state, facts }, entries) {
  const [packet] = packetsAhead(state, facts);
  const places = (count, known) => Array.from({ length: count }, (_, at) => known(at));
  return entries.flatMap((entry) => {
    if (entry.do === "deal") {
      const down = packet?.to === entry.to ? packet.down : 0;
      const lie = places(entry.count, (at) => (at < down ? null : undefined));
      return many(entry.to).map((to) => ({ name: `deal-${to}-${entry.hand ?? 1}`, action: { do: "deal", to, ...(entry.hand ? { hand: entry.hand } : {}) }, lie }));
    }
    if (entry.do === "reveal" && entry.count) {
      return many(entry.of).map((of) => ({ name: `reveal-${of}`, action: { do: "reveal", of }, lie: places(entry.count, (at) => (of === "dealer" ? state.picture?.dealer?.cards[at] ?? undefined : undefined)) }));
    }
    return [];
  });
}

/** The first task is selected unless there is something else to do: a hand may be turned over early, but need not. */
export function cardWork(screen, entries, atHand) {
  const { ui, draw, state } = screen;
  const tasks = cardTasks(screen, entries).sort((one, other) => folds(screen, one) - folds(screen, other));
  if (!tasks.length) return [];
  const chosen = tasks.find((task) => task.name === ui.task) ?? (atHand ? tasks[0] : null);
  const wanted = chosen ? `${state.round.id} ${chosen.name}` : null;
  if (ui.pickedFor !== wanted) Object.assign(ui, { pickedFor: wanted, picked: [], rank: null }); // another terminal has gone on
  const choose = tasks.map((task) => button(`task-${task.name}`, short(task), () => { Object.assign(ui, { task: task.name, picked: [], rank: null }); draw(); }, { kind: "pad roomy", pressed: task === chosen, label: title(task) }));
  const others = tasks.length > 1 || !chosen ? h("div", { class: "row-buttons", role: "group", "aria-label": "Cards" }, choose) : null;
  const work = chosen ? h("div", { id: "cards", class: "card-work", "data-task": chosen.name }, h("h2", {}, title(chosen)), cardEntry(screen, chosen)) : null;
  const showing = typeof chosen?.action.of === "number"; // hand after hand; before that, one is turned over early at most
  return [work, others && (showing ? others : folded("turn-early", "turnOpen", ui, "Turn over a hand", others))];
}

/** A hand that was folded is turned over last, if at all. */
function folds({ state, facts }, { action }) {
  const own = (fact) => !fact.bettor || fact.bettor === seatedIn(state)(fact.seat);
  return Number(action.do === "reveal" && facts.some((fact) => fact.do === "decide" && fact.seat === action.of && own(fact) && GIVES_UP.includes(fact.choice)));
}

const title = (task) => (task.action.do === "reveal" ? said(task.action) : said({ ...task.action, cards: task.lie }));
const short = (task) => (task.action.do === "reveal" ? place(task.action.of) : place(task.action.to));

function cardEntry(screen, task) {
  const { ui, state, act, draw } = screen;
  const wanted = task.lie.filter((card) => card === undefined).length;
  if (!wanted && task.action.do === "deal") return faceDown(screen, task);
  const full = (picked) => { const named = [...picked]; return task.lie.map((card) => (card === undefined ? named.shift() : card)); };
  const pick = (card) => {
    Object.assign(ui, { picked: [...ui.picked, card], rank: null, task: task.name }); // which it stays, whatever is heard meanwhile
    if (ui.picked.length >= wanted) act({ ...task.action, cards: full(ui.picked) });
    else draw();
  };
  const out = (card) => ui.picked.filter((one) => one === card).length + known(screen, card) >= state.rules.decks;
  return h("div", {},
    h("div", { class: "picked-row" }, slots(full(ui.picked)),
      h("p", { id: "typed", class: "typed", role: "status" }, ui.rank ? `${rankText(ui.rank)} of …` : ""),
      button("clear-cards", "Clear", () => { Object.assign(ui, { picked: [], rank: null }); draw(); }, { kind: "second", disabled: !ui.picked.length && !ui.rank, label: "Clear the cards that are named" })),
    h("div", { class: "deck-grid", role: "group", "aria-label": "The deck", "data-grid": "" }, deck.map((card) => {
      const made = button(`card-${card}`, [h("b", {}, rankText(card[0])), h("span", { "aria-hidden": "true" }, SUITS[card[1]][0])], () => pick(card), { kind: "pad deck-card", disabled: out(card), label: cardName(card) });
      made.dataset.suit = card[1];
      return made;
    })));
}

/** All packets from here on that are face down as a whole. */
function faceDown({ state, facts, act }, task) {
  const ahead = packetsAhead(state, facts);
  const end = ahead.findIndex((packet) => packet.down < packet.count);
  const whole = ahead.slice(0, end < 0 ? undefined : end);
  const deals = (packets) => packets.map(({ to, count }) => ({ do: "deal", to, cards: Array(count).fill(null) }));
  const cards = whole.reduce((sum, packet) => sum + packet.count, 0);
  const one = () => act({ ...task.action, cards: task.lie });
  const single = task.lie.length === 1 ? "Dealt face down" : `${task.lie.length} dealt face down`;
  if (whole.length < 2) return button("deal-down", single, one, { kind: "big" });
  return h("div", { class: "stack" }, button("deal-all", `The whole deal: ${cards} cards face down`, () => act(deals(whole)), { kind: "big" }),
    button("deal-down", `Only ${place(task.action.to)}: ${single.toLowerCase()}`, one, { kind: "second" }));
}

/** Copies of a card that everybody can see, or that wait to be turned over. */
function known({ state, waiting }, card) {
  const { dealer, board, seats } = state.picture ?? { board: [], seats: [] };
  const lie = [...(dealer?.cards ?? []), ...board, ...seats.flatMap((seat) => seat.hands.flatMap((hand) => hand.cards))];
  const sent = waiting.flatMap((action) => (action.cards ?? []).filter((one) => !(action.do === "reveal" && lie.includes(one))));
  return [...lie, ...sent].filter((one) => one === card).length;
}
