// What may be done now in a round: a piece of the screen for each kind of entry of `expects`.

import { ID, button, field, folded, h, select } from "./dealer_drawing.js";
import { asAmount, cents, choiceWords, many, money, place, said, shown, words } from "./dealer_next.js";
import { cardPad, chipPad, slots } from "./dealer_parts.js";

const REST_MS = 350;

/** `guessed`: something waits to be sent, and these are the entries that still hold after it. */
export function offers(screen, entries, guessed) {
  const { act } = screen;
  const of = (what) => entries.filter((entry) => entry.do === what);
  const tasks = cardTasks(screen.state, entries);
  // Where the cards go on as well, whoever may decide need not: insurance, following a double, a tip's play wager.
  const optional = ["deal", "peek", "settle"].some((what) => of(what).length) || of("reveal").some((entry) => typeof many(entry.of)[0] === "string");
  if (!of("decide").length) Object.assign(screen.ui, { rows: [], decided: {}, wanted: {} });
  return [
    ...of("bet").map((entry) => betting(screen, entry, of("withdraw")[0], guessed)),
    of("decide").length ? decisions(screen, of("decide"), optional) : null,
    tasks.length ? cardWork(screen, tasks, (!of("decide").length || optional) && !of("settle").length) : null,
    ...of("reveal").filter((entry) => !entry.count).flatMap((entry) => many(entry.of))
      .map((one) => button(`reveal-${one}`, `Turn over ${place(one)}`, () => act({ do: "reveal", of: one }), { kind: "big second" })),
    of("peek").length ? h("div", { id: "peek" }, h("h2", {}, "The hole card"), h("div", { class: "row-buttons" },
      button("peek-no", "No Pure 21.5", () => act({ do: "peek", pure: false }), { kind: "big" }), button("peek-yes", "It is a Pure 21.5", () => act({ do: "peek", pure: true }), { kind: "big second" }))) : null,
    of("close_bets").length ? button("close-bets", "No more bets", () => act({ do: "close_bets" }), { kind: "big" }) : null,
    of("settle").length ? button("settle", "Settle", () => act({ do: "settle" }), { kind: "big" }) : null,
    of("void").length && !guessed ? voiding(screen) : null,
  ];
}

// ---- bets

function betting(screen, entry, withdrawal, guessed) {
  const { ui, state, act, draw } = screen;
  const { rules, session } = state;
  const seats = many(entry.seat);
  const spots = many(entry.spot);
  if (!seats.includes(ui.seat)) ui.seat = seats.find((seat) => seat in session.players) ?? seats[0];
  if (!spots.includes(ui.spot)) ui.spot = spots[0];
  const { limits, wager } = rules.spots.find((spot) => spot.name === ui.spot) ?? {};
  const amount = wager ? cents(wager) : ui.amount; // the progressive wager is the same for everybody
  const behind = ui.behind.kind && ui.behind.bettor ? ui.behind : {};
  const bet = () => {
    if (ui.resting) return; // the second tap of a double one would bet on the next spot
    const action = { do: "bet", seat: ui.seat, spot: ui.spot, amount: money(amount), ...behind };
    ui.spot = spots[(spots.indexOf(ui.spot) + 1) % spots.length];
    rest(screen);
    act(action);
  };
  const seatButton = (seat) => button(`seat-${seat}`, h("span", {}, String(seat), h("small", {}, session.players[seat] ?? "free")), () => { ui.seat = seat; draw(); },
    { kind: "pad", pressed: ui.seat === seat, label: `Seat ${seat}${session.players[seat] ? `, ${session.players[seat]}` : ", free"}` });
  return h("div", { id: "betting", class: "betting" },
    h("h2", {}, "Bets"),
    h("div", { class: "seat-buttons", role: "group", "aria-label": "Seat" }, seats.map(seatButton)),
    h("div", { class: "row-buttons", role: "group", "aria-label": "Spot" },
      spots.map((spot) => button(`spot-${spot}`, words(spot), () => { ui.spot = spot; draw(); }, { kind: "pad roomy", pressed: ui.spot === spot }))),
    h("p", { class: "hint" }, wager ? `${words(ui.spot)} is ${shown(wager)}` : limits ? `${words(ui.spot)} from ${shown(limits[0])} to ${shown(limits[1])}` : `${words(ui.spot)} has no limits of its own`),
    chipPad(ui, cents(rules.chip), draw),
    rules.kinds.length ? folded("behind", "behindOpen", ui, "For somebody else at the seat",
      h("div", { class: "fields" },
        select("behind-kind", "As", [["", "nobody else"], ...rules.kinds.map((kind) => [kind, kind])], ui.behind.kind, (value) => { ui.behind.kind = value; if (value === "toke") ui.behind.bettor ||= "toke"; draw(); }),
        field("behind-bettor", "His id", ui.behind.bettor, (text) => { ui.behind.bettor = text; draw(); }, ID))) : null,
    button("bet", amount ? `${shown(money(amount))} on ${words(ui.spot)}, seat ${ui.seat}${behind.bettor ? `, ${behind.bettor}` : ""}` : `How much on ${words(ui.spot)}, seat ${ui.seat}?`, bet, { kind: "big second", disabled: !amount, resting: ui.resting }),
    withdrawal ? takingBack(screen, withdrawal, wager ? 0 : ui.amount, behind.bettor, guessed) : null);
}

function rest({ ui, draw }) {
  ui.resting = true;
  setTimeout(() => { ui.resting = false; draw(); }, REST_MS);
}

/** Of the seat, spot and bettor that are chosen for a bet: the amount that is named, or all. */
function takingBack(screen, entry, amount, bettor, guessed) {
  const { ui, state, act } = screen;
  const offered = many(entry.seat).includes(ui.seat) && many(entry.spot).includes(ui.spot);
  const lies = offered && (guessed || !state.picture || hasPile(state.picture, ui.seat, ui.spot, bettor));
  const all = { do: "withdraw", seat: ui.seat, spot: ui.spot, ...(bettor ? { bettor } : {}) };
  const take = (action) => () => {
    if (ui.resting) return; // the second tap of a double one would take back twice as much
    rest(screen);
    act(action);
  };
  const part = { ...all, amount: money(amount) };
  const looks = { kind: "second", resting: ui.resting };
  return h("div", { id: "taking-back", class: "row-buttons", role: "group", "aria-label": "Take back" },
    button("withdraw", amount ? said(part) : "Take back how much?", take(part), { ...looks, disabled: !lies || !amount }),
    button("withdraw-all", said(all), take(all), { ...looks, disabled: !lies }));
}

/** The seated player's wagers have no kind; what somebody else has there is theirs by name. */
const hasPile = (picture, seat, spot, bettor) => picture.seats.some((one) => one.seat === seat
  && one.piles.some((pile) => pile.spot === spot && (bettor ? pile.bettor === bettor : !pile.kind)));

// ---- decisions

/** A decision that was taken keeps its row while others are open: nothing moves under the finger that takes the next. */
function decisions(screen, entries, optional) {
  const { ui, state } = screen;
  const open = new Map(entries.map((entry) => [keyOf(entry), entry]));
  for (const [key, entry] of open) if (!ui.rows.some((row) => row.key === key)) ui.rows.push({ key, name: deciding(state, entry) });
  return h("div", { id: "decisions" }, h("h2", {}, optional ? "Decisions, for those who want them" : "Decisions"), ui.rows.map(({ key, name }) => {
    const entry = open.get(key);
    if (!entry) return h("div", { id: `decided-${key}`, class: "decision" }, h("p", { class: "step" }, name), h("p", { class: "decided" }, ui.decided[key] ?? "decided"));
    const action = { do: "decide", seat: entry.seat, ...(entry.hand ? { hand: entry.hand } : {}), ...(entry.bettor ? { bettor: entry.bettor } : {}) };
    return h("div", { id: `decision-${key}`, class: "decision", role: "group", "aria-label": name }, h("p", { class: "step" }, name),
      h("div", { class: "row-buttons" }, entry.choices.flatMap((choice) => choiceButtons(screen, action, choice, name))));
  }));
}

const keyOf = ({ seat, hand, bettor }) => `${seat}-${hand ?? 1}-${bettor ?? ""}`;

function deciding({ session }, entry) {
  const seated = session.players[entry.seat];
  const who = entry.bettor ? `${entry.bettor}, behind seat ${entry.seat}` : `Seat ${entry.seat}${seated ? `, ${seated}` : ""}`;
  return `${who}${entry.hand && entry.hand > 1 ? `, hand ${entry.hand}` : ""}`;
}

function choiceButtons({ ui, state, act }, action, choice, who) {
  const id = `decide-${keyOf(action)}-${choice.choice}`;
  const take = (decided) => { ui.decided[keyOf(action)] = choiceWords(decided); act({ ...action, ...decided }); };
  const one = (decided, key) => button(key, choiceWords(decided), () => take(decided),
    { kind: `pad roomy ${choice.choice === "fold" || choice.choice === "surrender" ? "second" : ""}`, label: `${who}: ${choiceWords(decided)}` });
  if (choice.times) return many(choice.times).map((times) => one({ choice: choice.choice, times }, `${id}-${times}`));
  if (!choice.max) return [one({ choice: choice.choice }, id)];
  const chip = cents(state.rules.chip);
  const most = cents(choice.max);
  const wanted = ui.wanted[id] ?? money(most - (most % chip) || most); // at most so much, in whole chips
  return [h("span", { class: "with-amount" }, field(`${id}-amount`, `${choice.choice}, at most ${shown(choice.max)}`, wanted, (text) => { ui.wanted[id] = text; }, { inputmode: "decimal" }),
    button(id, choice.choice, () => take({ choice: choice.choice, amount: asAmount(ui.wanted[id] ?? wanted) }), { kind: "pad roomy", label: `${who}: ${choice.choice}` }))];
}

// ---- cards

/** What cards are wanted for: packets to deal, and cards that are turned over. `lie` has them in their places: null face
 * down, and undefined where one has still to be named. */
function cardTasks(state, entries) {
  const down = (entry) => state.down[state.round.expects.indexOf(entry)] ?? 0;
  const places = (count, known) => Array.from({ length: count }, (_, at) => known(at));
  return entries.flatMap((entry) => {
    if (entry.do === "deal") {
      const lie = places(entry.count, (at) => (at < down(entry) ? null : undefined));
      return many(entry.to).map((to) => ({ name: `deal-${to}-${entry.hand ?? 1}`, action: { do: "deal", to, ...(entry.hand ? { hand: entry.hand } : {}) }, lie }));
    }
    if (entry.do === "reveal" && entry.count) {
      return many(entry.of).map((of) => ({ name: `reveal-${of}`, action: { do: "reveal", of }, lie: places(entry.count, (at) => (of === "dealer" ? state.picture?.dealer?.cards[at] ?? undefined : undefined)) }));
    }
    return [];
  });
}

/** The first task is at hand unless there is something else to do: a hand may be turned over early, but need not. */
function cardWork(screen, tasks, atHand) {
  const { ui, draw, state } = screen;
  const chosen = tasks.find((task) => task.name === ui.task) ?? (atHand ? tasks[0] : null);
  const others = tasks.length > 1 || !chosen ? h("div", { class: "row-buttons", role: "group", "aria-label": "Cards" },
    tasks.map((task) => button(`task-${task.name}`, title(task), () => { Object.assign(ui, { task: task.name, picked: [], rank: null }); draw(); }, { kind: "pad roomy", pressed: task === chosen }))) : null;
  return h("div", { id: `cards-${state.round.version}`, class: "card-work", "data-task": chosen?.name }, h("h2", {}, chosen ? title(chosen) : "Turn over"), others, chosen ? cardEntry(screen, chosen) : null);
}

const title = (task) => (task.action.do === "reveal" ? said(task.action) : said({ ...task.action, cards: task.lie }));

function cardEntry({ ui, state, act, draw }, task) {
  const wanted = task.lie.filter((card) => card === undefined).length;
  const named = [...ui.picked];
  const lie = task.lie.map((card) => (card === undefined ? named.shift() : card));
  const send = () => act({ ...task.action, cards: lie });
  if (!wanted && task.action.do === "deal") return button("deal-down", lie.length === 1 ? "Dealt face down" : `${lie.length} dealt face down`, send, { kind: "big" });
  const full = ui.picked.length >= wanted;
  const out = (card) => ui.picked.filter((one) => one === card).length + onTable(state.picture, card) >= state.rules.decks;
  return h("div", {},
    slots(lie),
    h("p", { class: "hint typed" }, "Tap rank and suit, or type them: K and H."),
    cardPad(ui, (card) => full || out(card), (card) => { ui.picked = [...ui.picked, card]; ui.rank = null; draw(); }, draw),
    h("div", { class: "row-buttons" },
      button("send-cards", task.action.do === "deal" ? "Deal" : "Turn over", send, { kind: "big", disabled: !full }),
      button("clear-cards", "Clear", () => { Object.assign(ui, { picked: [], rank: null }); draw(); }, { kind: "second", disabled: !ui.picked.length && !ui.rank })));
}

/** Copies of a card that lie face up. */
function onTable(picture, card) {
  const { dealer, board, seats } = picture ?? { board: [], seats: [] };
  const faces = [...(dealer?.cards ?? []), ...board, ...seats.flatMap((seat) => seat.hands.flatMap((hand) => hand.cards))];
  return faces.filter((one) => one === card).length;
}

// ---- a round that does not count

function voiding({ ui, act }) {
  return folded("void-open", "voidOpen", ui, "Void the round",
    h("p", { class: "hint" }, "Nothing is undone: what was recorded stays, and a voided round gives every wager back."),
    h("div", { class: "fields" },
      select("void-reason", "Reason", [["misdeal", "misdeal"], ["malfunction", "malfunction"], ["irregularity", "irregularity"]], ui.void.reason, (value) => { ui.void.reason = value; }),
      field("void-detail", "What happened", ui.void.detail, (text) => { ui.void.detail = text; }, { maxlength: "500" })),
    button("void", "Void the round", () => { const { reason, detail } = ui.void; ui.void = { reason: "misdeal", detail: "" }; ui.voidOpen = false; act({ do: "void", reason, ...(detail.trim() ? { detail: detail.trim() } : {}) }); }, { kind: "danger" }));
}
