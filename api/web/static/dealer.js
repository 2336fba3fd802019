// The dealer's screen: shows the table as the service tells it, offers what `expects` lists, and sends what was tapped.

import { Outbox } from "./dealer_outbox.js";
import { cents, choiceWords, left, many, money, place, said, shown, words } from "./dealer_next.js";
import { button, cardPad, cards, chipPad, felt, field, h, select, settlement } from "./dealer_parts.js";
import { nextRound, openTable, seating } from "./dealer_opening.js";

const LOOK_EVERY_MS = 2000;
const LONGEST_ID = 40;
const root = document.getElementById("dealer");
const table = root.dataset.table;
const part = (name) => root.querySelector(`[data-part="${name}"]`);

let state = null; // what the service told last
let drawn = ""; // of what the screen was drawn, so that nothing is drawn anew for nothing
let problem = null; // why something was refused
const ui = { amount: 0, seat: null, spot: null, rank: null, picked: [], task: null, behind: { kind: "", bettor: "" }, void: { reason: "misdeal", detail: "" } };
const lastRound = { // shown until the next one opens, after a reload too
  name: `roundledger.dealer.${table}.round`,
  get id() { return localStorage.getItem(this.name); },
  set id(value) { localStorage.setItem(this.name, value); },
};

// ---- sending

const outbox = new Outbox(table, (happened, facts) => {
  if (happened === "refused") problem = { ...facts.problem, what: facts.item.what };
  if (happened === "sent") {
    if (facts.value.expects) { lastRound.id = facts.value.id; state = { ...state, round: facts.value, picture: null, down: null }; }
    if (!outbox.items.length) look();
  }
  if (happened === "refused" || (happened === "stopped" && facts.why !== "signed-out")) look();
  draw();
});

const under = `/v1/tables/${encodeURIComponent(table)}`;

function act(action) {
  problem = null;
  const path = `/v1/rounds/${encodeURIComponent(state.round.id)}/actions`;
  Object.assign(ui, { rank: null, picked: [], task: null });
  if (action.do !== "bet") ui.amount = 0;
  outbox.add({ method: "POST", path, body: { actions: [action] }, version: state.round.version, conditional: true, action, what: said(action) });
}

function command(method, path, body, what) {
  problem = null;
  outbox.add({ method, path: under + path, body, what });
}

// ---- looking

/** Asks for the table as it is now; by itself now and then, because another terminal may have acted. */
async function look(byItself = false) {
  const headers = { Accept: "application/json" };
  if (byItself) headers["Page-Refresh"] = "1";
  const round = lastRound.id ? `?round=${encodeURIComponent(lastRound.id)}` : "";
  try {
    const response = await fetch(location.pathname + round, { headers, credentials: "same-origin" });
    if (response.status === 401) {
      const reason = await response.json();
      if (!outbox.stopped) outbox.stop("signed-out", reason);
    }
    else if (response.ok) {
      state = await response.json();
      if (state.round) lastRound.id = state.round.id;
      if (outbox.stopped?.why === "signed-out" && !outbox.items.length) outbox.throwAway(); // signed in again, and nothing was lost
      outbox.reachable = true;
    }
  } catch {
    outbox.reachable = false;
  }
  draw();
}

setInterval(() => { if (!document.hidden && !outbox.busy) look(true); }, LOOK_EVERY_MS);
document.addEventListener("visibilitychange", () => { if (!document.hidden) look(true); });

// ---- drawing

function draw() {
  const kept = outbox.kept;
  const now = JSON.stringify([state, kept, outbox.reachable, outbox.busy, problem, ui]);
  if (now === drawn) return;
  drawn = now;
  const focused = document.activeElement?.dataset?.id;
  const caret = document.activeElement?.selectionStart;
  part("network").replaceChildren(network(kept));
  part("said").replaceChildren(...[stopped(kept), refused()].filter(Boolean));
  if (state) {
    part("about").replaceChildren(about());
    part("table").replaceChildren(...[felt(state.picture, state.rules)].filter(Boolean));
    part("next").replaceChildren(...next(kept).filter(Boolean));
    part("lines").replaceChildren(...lines().filter(Boolean));
  }
  if (!focused) return;
  const again = root.querySelector(`[data-id="${CSS.escape(focused)}"]`);
  again?.focus({ preventScroll: true });
  if (typeof caret === "number" && again?.setSelectionRange && again.type === "text") again.setSelectionRange(caret, caret);
}

function network(kept) {
  const waiting = kept.items.length;
  const list = waiting ? h("ol", { class: "waiting" }, kept.items.map((item) => h("li", {}, item.what))) : null;
  if (!outbox.reachable) return h("div", { class: "net bad" }, h("b", {}, waiting ? `No network: ${waiting} waiting` : "No network"), waiting ? h("span", {}, "Kept here, and sent in this order when it is back.") : null, list);
  if (kept.stopped) return h("div", { class: "net warn" }, h("b", {}, `${waiting} waiting`), list);
  if (waiting) return h("div", { class: "net" }, h("b", {}, `Sending: ${waiting} waiting`), list);
  return h("div", { class: "net good" }, h("b", {}, "Everything is stored"));
}

/** What waits was meant for a table that is no longer as it was: somebody decides. */
function stopped(kept) {
  if (!kept.stopped) return null;
  const { why, problem: reason } = kept.stopped;
  if (why === "signed-out") {
    const back = `/sign-in?next=${encodeURIComponent(location.pathname)}`;
    return h("div", { class: "refused", role: "alert" }, h("p", {}, reason.detail ?? "You have to sign in again.", " What waits is kept."),
      h("div", { class: "row-buttons" }, h("a", { class: "button", href: back }, "Sign in"), button("try-again", "Try again", () => outbox.goOn(state?.round?.version), { kind: "second" }), throwAway()));
  }
  const text = why === "conflict" ? "Another terminal has acted at this table. It is shown as it is now." : "What was to follow waits, because something before it was refused.";
  return h("div", { class: "refused", role: "alert" }, h("p", {}, h("b", {}, text), " ", reason.detail ?? ""),
    h("p", {}, "Do you still want to send what waits here?"), h("ol", {}, kept.items.map((item) => h("li", {}, item.what))),
    h("div", { class: "row-buttons" }, button("send-anyway", "Send it", () => outbox.goOn(state.round?.version), { kind: "second" }), throwAway()));
}

const throwAway = () => button("throw-away", "Throw it away", () => { outbox.throwAway(); look(); }, { kind: "danger" });

function refused() {
  if (!problem) return null;
  return h("div", { class: "refused", role: "alert" }, h("p", {}, h("b", {}, `${problem.what}: `), problem.detail ?? problem.title ?? "That was refused."),
    problem.clause ? h("p", {}, h("a", { class: "clause", href: `/rules/${state?.rules?.id}#${problem.clause}` }, problem.clause)) : null);
}

function about() {
  const { session, rules, round } = state;
  if (!session || !session.open) return h("p", { class: "muted" }, "The table is closed.");
  const facts = [rules.title, session.dealer ? `dealer ${session.dealer}` : null, session.box ? `box ${session.box}` : null, session.deck ? `${session.deck} deck` : null].filter(Boolean).join(" · ");
  return h("p", { class: "muted" }, facts, round ? [" · ", h("a", { href: `/rounds/${round.id}` }, round.id), " ", h("span", { class: "badge" }, round.status)] : null);
}

/** What may be done now; while something else waits, only what can be known without its answer. */
function next(kept) {
  if (kept.stopped) return [];
  const waiting = kept.items;
  const { session, round } = state;
  const playing = round && round.status === "open";
  if (waiting.some((item) => !item.action)) return [hold()];
  if (!session || !session.open) return [openTable(ui, state.rulesets, (body) => command("POST", "/sessions", body, "Open the table"), draw)];
  if (playing) {
    const entries = left(round.expects, waiting.map((item) => item.action));
    return entries === null || !state.down ? [hold()] : offers(entries, waiting.length > 0);
  }
  return waiting.length ? [hold()] : [nextRound(ui, state, openRound, draw), seating(ui, state, hands, draw)];
}

const hold = () => h("p", { class: "hold", role: "status" }, outbox.reachable ? "A moment…" : "What comes next depends on what waits: it goes on when the network is back.");

/** The round is named here, by table and time, so that people can say its name; where that is too long, by the service. */
function openRound(body) {
  Object.assign(ui, { amount: 0, bank: null, seat: null, spot: null });
  const name = `${table}-${new Date().toISOString().slice(2, 19).replace("T", "-").replace(/(\d\d)-(\d\d)-(\d\d)-/, "$1$2$3-").replaceAll(":", "")}`;
  command("POST", "/rounds", name.length <= LONGEST_ID ? { round: name, ...body } : body, "Open the round");
}

const hands = {
  take: (seat, bettor) => command("PUT", `/seats/${seat}`, { bettor }, `${bettor} sits down at seat ${seat}`),
  leave: (seat) => command("DELETE", `/seats/${seat}`, undefined, `Seat ${seat} is left`),
  close: () => command("POST", "/sessions/current/close", {}, "Close the table"),
  tap: (dealer) => command("POST", "/dealer", { dealer }, `${dealer} taps in`),
};

/** A piece of the screen for each kind of entry. */
function offers(entries, guessed) {
  const of = (what) => entries.filter((entry) => entry.do === what);
  const tasks = cardTasks(entries);
  return [
    ...of("bet").map(betting),
    of("decide").length ? decisions(of("decide")) : null,
    tasks.length ? cardWork(tasks, of("decide").length + of("settle").length === 0) : null,
    ...of("reveal").filter((entry) => !entry.count).map((entry) => many(entry.of).map((one) => button(`reveal-${one}`, `Turn over ${place(one)}`, () => act({ do: "reveal", of: one }), { kind: "big second" }))).flat(),
    of("peek").length ? h("div", {}, h("h2", {}, "The hole card"), h("div", { class: "row-buttons" },
      button("peek-no", "No Pure 21.5", () => act({ do: "peek", pure: false }), { kind: "big" }), button("peek-yes", "It is a Pure 21.5", () => act({ do: "peek", pure: true }), { kind: "big second" }))) : null,
    of("close_bets").length ? button("close-bets", "No more bets", () => act({ do: "close_bets" }), { kind: "big" }) : null,
    of("settle").length ? button("settle", "Settle", () => act({ do: "settle" }), { kind: "big" }) : null,
    of("void").length && !guessed ? voiding() : null,
  ].filter(Boolean);
}

function betting(entry) {
  const { rules, session } = state;
  const seats = many(entry.seat);
  const spots = many(entry.spot);
  if (!seats.includes(ui.seat)) ui.seat = seats.find((seat) => seat in session.players) ?? seats[0];
  if (!spots.includes(ui.spot)) ui.spot = spots[0];
  const limits = rules.spots.find((spot) => spot.name === ui.spot)?.limits;
  const behind = ui.behind.kind && ui.behind.bettor ? ui.behind : {};
  const bet = () => {
    const action = { do: "bet", seat: ui.seat, spot: ui.spot, amount: money(ui.amount), ...behind };
    ui.spot = spots[(spots.indexOf(ui.spot) + 1) % spots.length];
    act(action);
  };
  return h("div", { class: "betting" },
    h("h2", {}, "Bets"),
    h("div", { class: "row-buttons", role: "group", "aria-label": "Seat" },
      seats.map((seat) => button(`seat-${seat}`, h("span", {}, String(seat), h("small", {}, session.players[seat] ?? "free")), () => { ui.seat = seat; draw(); }, { kind: "pad", pressed: ui.seat === seat, label: `Seat ${seat}${session.players[seat] ? `, ${session.players[seat]}` : ""}` }))),
    h("div", { class: "row-buttons", role: "group", "aria-label": "Spot" },
      spots.map((spot) => button(`spot-${spot}`, words(spot), () => { ui.spot = spot; draw(); }, { kind: "pad wide", pressed: ui.spot === spot }))),
    limits ? h("p", { class: "hint" }, `${words(ui.spot)} from ${shown(limits[0])} to ${shown(limits[1])}`) : null,
    chipPad(ui, cents(rules.chip), draw),
    rules.kinds.length ? h("details", { open: ui.behindOpen, on: { toggle: (event) => { ui.behindOpen = event.target.open; } } },
      h("summary", { id: "behind" }, "For somebody else at the seat"),
      h("div", { class: "fields" },
        select("behind-kind", "As", [["", "nobody else"], ...rules.kinds.map((kind) => [kind, kind])], ui.behind.kind, (value) => { ui.behind.kind = value; if (value === "toke") ui.behind.bettor ||= "toke"; draw(); }),
        field("behind-bettor", "His id", ui.behind.bettor, (text) => { ui.behind.bettor = text; }, { pattern: "[a-z0-9][a-z0-9\\-]{0,39}" }))) : null,
    button("bet", ui.amount ? `${shown(money(ui.amount))} on ${words(ui.spot)}, seat ${ui.seat}${behind.bettor ? `, ${behind.bettor}` : ""}` : "Bet", bet, { kind: "big second", disabled: !ui.amount }));
}

function decisions(entries) {
  return h("div", {}, h("h2", {}, "Decisions"), entries.map((entry) => {
    const who = entry.bettor ? `${entry.bettor}, behind seat ${entry.seat}` : `Seat ${entry.seat}${state.session.players[entry.seat] ? `, ${state.session.players[entry.seat]}` : ""}`;
    const name = `${who}${entry.hand && entry.hand > 1 ? `, hand ${entry.hand}` : ""}`;
    const action = { do: "decide", seat: entry.seat, ...(entry.hand ? { hand: entry.hand } : {}), ...(entry.bettor ? { bettor: entry.bettor } : {}) };
    return h("div", { class: "decision", role: "group", "aria-label": name }, h("p", { class: "step" }, name),
      h("div", { class: "row-buttons" }, entry.choices.flatMap((choice) => choiceButtons(action, choice))));
  }));
}

function choiceButtons(action, choice) {
  const id = `decide-${action.seat}-${action.hand ?? 1}-${action.bettor ?? ""}-${choice.choice}`;
  const one = (decided, key) => button(key, choiceWords(decided), () => act({ ...action, ...decided }), { kind: `pad wide ${choice.choice === "fold" || choice.choice === "surrender" ? "second" : ""}` });
  if (choice.times) return many(choice.times).map((times) => one({ choice: choice.choice, times }, `${id}-${times}`));
  if (!choice.max) return [one({ choice: choice.choice }, id)];
  const wanted = ui[id] ?? choice.max;
  return [h("span", { class: "with-amount" }, field(`${id}-amount`, `${choice.choice}, at most ${shown(choice.max)}`, wanted, (text) => { ui[id] = text; }, { inputmode: "decimal" }),
    button(id, choice.choice, () => { const amount = money(cents(ui[id] ?? choice.max)); delete ui[id]; act({ ...action, choice: choice.choice, amount }); }, { kind: "pad wide" }))];
}

// ---- cards

/** What cards are wanted for: packets to deal, and unseen cards that are turned over. `down` of them lie face down. */
function cardTasks(entries) {
  const at = (entry) => state.down[state.round.expects.indexOf(entry)] ?? 0;
  return entries.flatMap((entry) => {
    if (entry.do === "deal") return many(entry.to).map((to) => ({ name: `deal-${to}-${entry.hand ?? 1}`, action: { do: "deal", to, ...(entry.hand ? { hand: entry.hand } : {}) }, count: entry.count, down: at(entry) }));
    if (entry.do === "reveal" && entry.count) return many(entry.of).map((of) => ({ name: `reveal-${of}`, action: { do: "reveal", of }, count: entry.count, down: 0 }));
    return [];
  });
}

/** The first task is at hand unless there is something else to do: a hand may be turned over early, but need not. */
function cardWork(tasks, atHand) {
  const chosen = tasks.find((task) => task.name === ui.task) ?? (atHand ? tasks[0] : null);
  const others = tasks.length > 1 || !chosen ? h("div", { class: "row-buttons", role: "group", "aria-label": "Cards" },
    tasks.map((task) => button(`task-${task.name}`, title(task), () => { Object.assign(ui, { task: task.name, picked: [], rank: null }); draw(); }, { kind: "pad wide", pressed: task === chosen }))) : null;
  return h("div", { class: "card-work", "data-task": chosen?.name }, h("h2", {}, chosen ? title(chosen) : "Turn over"), others, chosen ? cardEntry(chosen) : null);
}

const title = (task) => (task.action.do === "reveal" ? said(task.action) : said({ ...task.action, cards: Array(task.count).fill(null) }));

function cardEntry(task) {
  const wanted = task.count - task.down;
  const full = ui.picked.length >= wanted;
  const send = () => act({ ...task.action, cards: [...Array(task.down).fill(null), ...ui.picked] });
  if (!wanted) return button("deal-down", task.count === 1 ? "Dealt face down" : `${task.count} dealt face down`, send, { kind: "big" });
  const out = (card) => ui.picked.filter((one) => one === card).length + onTable(card) >= state.rules.decks;
  const lie = [...Array(task.down).fill(null), ...ui.picked];
  return h("div", {},
    h("p", { class: "picked", role: "status" }, lie.length ? cards(lie, "large") : h("span", { class: "hint" }, `${wanted === 1 ? "One card" : `${wanted} cards`}, rank and suit`)),
    full ? null : cardPad(ui, out, (card) => { ui.picked = [...ui.picked, card]; ui.rank = null; draw(); }, draw),
    h("div", { class: "row-buttons" },
      button("send-cards", task.action.do === "deal" ? "Deal" : "Turn over", send, { kind: "big", disabled: !full }),
      ui.picked.length ? button("clear-cards", "Clear", () => { Object.assign(ui, { picked: [], rank: null }); draw(); }, { kind: "second" }) : null));
}

/** Copies of a card that lie face up. */
function onTable(card) {
  const { dealer, board, seats } = state.picture ?? { board: [], seats: [] };
  const faces = [...(dealer?.cards ?? []), ...board, ...seats.flatMap((seat) => seat.hands.flatMap((hand) => hand.cards))];
  return faces.filter((one) => one === card).length;
}

// ---- the end of a round

function voiding() {
  return h("details", { class: "voiding", open: ui.voidOpen, on: { toggle: (event) => { ui.voidOpen = event.target.open; } } },
    h("summary", { id: "void-open" }, "Void the round"),
    h("p", { class: "hint" }, "Nothing is undone: what was recorded stays, and a voided round gives every wager back."),
    h("div", { class: "fields" },
      select("void-reason", "Reason", [["misdeal", "misdeal"], ["malfunction", "malfunction"], ["irregularity", "irregularity"]], ui.void.reason, (value) => { ui.void.reason = value; }),
      field("void-detail", "What happened", ui.void.detail, (text) => { ui.void.detail = text; }, { maxlength: "500" })),
    button("void", "Void the round", () => { const { reason, detail } = ui.void; ui.void = { reason: "misdeal", detail: "" }; ui.voidOpen = false; act({ do: "void", reason, ...(detail.trim() ? { detail: detail.trim() } : {}) }); }, { kind: "danger" }));
}

function lines() {
  const { round, rules } = state;
  if (!round || round.status === "open") return [];
  if (round.status === "void") return [h("h2", {}, "Void"), h("p", {}, "Every wager goes back to whoever made it.")];
  return [h("h2", {}, "Settlement"), settlement(round, round.ruleset)];
}

look().then(() => outbox.flush());
