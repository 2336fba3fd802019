// The dealer's screen: shows the table as the service reports it, offers what `expects` lists, and sends what was tapped.

import { csrfToken } from "./app.js";
import { button, h, renew } from "./dealer_drawing.js";
import { entriesAfter } from "./dealer_forecast.js";
import { listenToKeys } from "./dealer_keys.js";
import { offers } from "./dealer_offers.js";
import { nextRound, openTable, seating } from "./dealer_opening.js";
import { newKey, Outbox, patience } from "./dealer_outbox.js";
import { felt } from "./dealer_parts.js";
import { ending, payments, unpaid, waiver } from "./dealer_payments.js";
import { handsHeld, supervisorCalled } from "./dealer_round_facts.js";
import { signing } from "./dealer_signing.js";
import { takingBack } from "./dealer_take_back.js";
import { judged } from "./dealer_taps.js";
import { inWords, saidOfAll } from "./dealer_words.js";

const UNHEARD_MS = 3000; // between polls while the feed is down
const HEARD_MS = 20000; // and while it is up: a connection may be dead without notice
const LONGEST_ID = 40;
const root = document.getElementById("dealer");
const table = root.dataset.table;
const part = (name) => document.querySelector(`[data-part="${name}"]`);

let state = null; // the last state from the service
let drawn = ""; // what the screen shows, to avoid redrawing for nothing
let problem = null; // why something was refused
const ui = { // what the dealer has started and the service does not know
  amount: 0, written: "", mode: "add", wrong: null, twice: null, unseen: false, rank: null, picked: [], task: null,
  rows: [], decided: {}, wanted: {}, planned: {},
  back: { of: null, reason: "", floor: "" },
  behind: { kind: "", bettor: "" }, void: { reason: "misdeal", detail: "" }, waiver: { how: "not dropped", reason: "" }, payments: {},
};
const screen = {
  ui, act, draw, tell, stating,
  get state() { return state; },
  get waiting() { return outbox.items.flatMap((item) => item.actions ?? []); }, // actions that are on their way
  get facts() { return [...(state.round?.status === "open" ? state.facts : []), ...this.waiting]; }, // with what was stored before them
};

// ---- sending

const outbox = new Outbox(table, root.dataset.by, (happened, facts) => {
  if (happened === "refused") problem = { ...facts.problem, what: facts.item.what };
  if (happened === "sent") {
    // The picture stays until the next one arrives, so that the table does not vanish after each tap.
    if (facts.value.expects && !facts.item.fact) stored(facts.value, facts.item.actions ?? []);
    const { of, said } = facts.item.fact ?? {};
    if (said?.paid) state = { ...state, unpaid: state.unpaid.filter(({ id }) => id !== of) };
    else if (of && of === state?.round?.id) state = { ...state, stated: withFact(state.stated, said) };
    if (!outbox.items.length) look();
  }
  if (happened === "stopped") ui.unseen = true; // the table as it is now
  if (happened === "refused" || (happened === "stopped" && facts.why !== "signed-out")) look();
  draw();
});

/** What an answer shows of the round, until the next look shows the rest; cards are not remembered. */
function stored(round, actions) {
  answers += 1;
  const begins = round.id !== state?.round?.id;
  if (!begins && round.version <= state.round.version) return; // a look has shown it already
  if (begins) begin();
  state = { ...state, round, closing: null, ...(begins ? { facts: [], ahead: null, before: null, stated: null } : { facts: [...state.facts, ...actions.map(({ cards, ...fact }) => fact)] }) };
  remember(state);
}

/** Nothing that was chosen for another round is left. */
const begin = () => Object.assign(ui, { amount: 0, written: "", mode: "add", bank: null, rank: null, picked: [], task: null });

/** Something is said about the round that is shown; entries do not wait for it, and it does not depend on them. */
function tell(what, body, said, words) {
  problem = null;
  outbox.add({ method: "POST", path: `${ofRound()}/${what}`, body, actions: [], fact: { of: state.round.id, said }, what: words });
  draw();
}

/** What is said of the round and on its way. */
function stating(name) {
  return outbox.items.find(({ fact }) => fact?.of === state.round?.id && name in fact.said)?.fact.said[name];
}

/** As the service will tell it in a moment. */
function withFact(stated, { deck, supervisor, held, misdeal }) {
  const { supervisors, misdeals } = stated;
  return { ...stated, ...(deck ? { deck } : {}), ...(held ? { held } : {}), supervisors: [...supervisors, ...(supervisor ? [supervisor] : [])], misdeals: [...misdeals, ...(misdeal ? [misdeal] : [])] };
}

const ofTable = `/v1/tables/${encodeURIComponent(table)}`;
const ofRound = () => `/v1/rounds/${encodeURIComponent(state.round.id)}`;

/** One action, or several that are stored all or none. */
function act(given) {
  const actions = [given].flat();
  const kinds = actions.map((action) => action.do);
  problem = null;
  Object.assign(ui, { rank: null, picked: [], task: null, wrong: null, twice: null });
  if (kinds.includes("close_bets")) Object.assign(ui, { amount: 0, written: "" });
  if (!kinds.includes("decide")) Object.assign(ui, { rows: [], planned: {} }); // earlier decisions are of another street
  outbox.add({ method: "POST", path: `${ofRound()}/actions`, body: { actions }, version: state.round.version, conditional: true, actions, what: saidOfAll(actions) });
}

/** One action with the signatures of two people: at once, because passwords are not kept. */
function sendSigned(signatures) {
  outbox.sendSigned(async (item, ifMatch) => {
    const body = new URLSearchParams({ ...signatures, key: item.key, round: state.round.id, version: ifMatch, actions: JSON.stringify(item.actions) });
    const headers = { Accept: "application/json", "CSRF-Token": csrfToken() };
    const response = await fetch(location.pathname, { method: "POST", headers, body, credentials: "same-origin", signal: patience() });
    return { ok: response.ok, status: response.status, value: await response.json() };
  });
}

/** The last entry was a mistake; sent at once, and retried with the same key if the answer is lost. */
async function sendTakeBack(form) {
  const { id, version } = state.round;
  const kept = ui.back;
  kept.key ??= newKey();
  const body = new URLSearchParams({ ...form, key: kept.key, round: id, version });
  Object.assign(ui, { rows: [], planned: {}, picked: [], task: null });
  try {
    const response = await fetch(`${location.pathname}/take-back`, { method: "POST", headers: { Accept: "application/json", "CSRF-Token": csrfToken() }, body, credentials: "same-origin", signal: patience() });
    const value = await response.json();
    problem = response.ok ? null : { ...value, what: "Take back" };
    kept.key = null;
  } catch {
    problem = { what: "Take back", detail: "No answer came. When the network is back, the table shows whether it was taken back." };
  }
  await look();
}

function command(method, path, body, what) {
  problem = null;
  outbox.add({ method, path, body, what });
}

// ---- looking

/** Fetches the table; also by itself now and then, because another terminal may have acted. One at a time, because answers
 * overtake one another: what is heard meanwhile leads to one more. */
function look(byItself = false) {
  again = looking ? { byItself: byItself && (again?.byItself ?? true) } : null;
  looking ??= lookUntilNothingIsHeard(byItself).finally(() => { looking = null; });
  return looking;
}

let looking = null;
let again = null;
let answers = 0; // that changed the round: an older look shows less

async function lookUntilNothingIsHeard(byItself) {
  await lookOnce(byItself);
  while (again) {
    const { byItself: once } = again;
    again = null;
    await lookOnce(once);
  }
}

async function lookOnce(byItself) {
  const headers = { Accept: "application/json" };
  if (byItself) headers["Page-Refresh"] = "1";
  looked = performance.now();
  const answered = answers;
  try {
    const response = await fetch(location.pathname, { headers, credentials: "same-origin", signal: patience() });
    refusedToTell = !response.ok;
    if (response.status === 401) {
      const reason = await response.json();
      feed?.close();
      if (!outbox.stopped) outbox.stop("signed-out", reason);
    }
    else if (response.ok) {
      const told = await response.json();
      if (answered !== answers) { again ??= { byItself: true }; return; } // something was stored since it was asked
      if (told.round?.id === state?.round?.id && told.round?.version < state?.round?.version) return;
      if (told.round?.id !== state?.round?.id && told.round?.status === "open") begin();
      state = told;
      ui.unseen = false;
      remember(state);
      if (outbox.stopped?.why === "signed-out" && !outbox.items.length) outbox.throwAway(); // signed in again, and nothing was lost
      outbox.reachable = true;
      if (outbox.items.length && !outbox.stopped) outbox.flush();
      if (state.hears && (!feed || feed.readyState === EventSource.CLOSED)) follow();
    }
  } catch {
    outbox.reachable = false;
    state ??= remembered();
  }
  draw();
}

// What the screen was offering is remembered for a reload without a network: what may come next, and by which terms.
// No picture and no line of the round, so no card.

const memory = `roundledger.dealer.${table}.offered`;

function remember({ round, ...others }) {
  const open = round?.status === "open" ? { id: round.id, version: round.version, ruleset: round.ruleset, status: "open", expects: round.expects } : null;
  sessionStorage.setItem(memory, JSON.stringify({ ...others, picture: null, reported: [], hears: [], round: open }));
}

const remembered = () => JSON.parse(sessionStorage.getItem(memory));

let feed = null;
let looked = 0;
let refusedToTell = false; // too many questions, or the service is ill

/** Follows what is stored of this table; what this screen has sent is fetched anyway. */
function follow() {
  feed = new EventSource(`${ofTable}/feed`);
  feed.addEventListener("open", () => look(true)); // what was stored since the last look and before this is not told
  const heard = ({ data }) => {
    const { round, version, event } = JSON.parse(data);
    const known = !event.startsWith("fact.") && state?.round && round === state.round.id && version <= state.round.version;
    const occupied = outbox.busy || (outbox.items.length && !outbox.stopped);
    if (!known && !occupied && !document.hidden) look(true);
  };
  for (const topic of state.hears) feed.addEventListener(topic, heard);
}

setInterval(() => {
  if (document.hidden || outbox.busy) return;
  const pause = feed?.readyState === EventSource.OPEN && outbox.reachable && !refusedToTell ? HEARD_MS : UNHEARD_MS;
  if (performance.now() - looked >= pause) look(true);
}, UNHEARD_MS / 3);
document.addEventListener("visibilitychange", () => { if (!document.hidden) look(true); });
addEventListener("online", () => look(true));
addEventListener("pagehide", () => feed?.close());
addEventListener("pageshow", (event) => { if (event.persisted) look(true); });

// ---- drawing

/** Redraw even if only the signature fields changed, which are not compared. */
function redraw() { drawn = ""; draw(); }

function draw() {
  const kept = outbox.kept;
  const now = JSON.stringify([state, kept, outbox.reachable, outbox.busy, problem, ui]);
  if (now === drawn) return;
  const focused = document.activeElement;
  renew(part("network"), [network(kept)]);
  renew(part("said"), [stopped(kept), parked(kept), refused(), twice()].filter(Boolean));
  if (state) {
    renew(part("about"), [about()]);
    renew(part("table"), [felt(state.picture) ?? unseen()].filter(Boolean));
    const offered = next(kept);
    part("next").setAttribute("aria-busy", String(offered === null));
    if (offered) renew(part("next"), offered.flat().filter(Boolean));
    renew(part("owed"), [kept.stopped ? null : unpaid(ui, state.unpaid?.filter(({ id }) => !confirming(id)), reportBefore, draw)].filter(Boolean));
    renew(part("lines"), ending(state));
    const heading = part("next").querySelector("h2")?.textContent ?? "";
    if (part("told").textContent !== heading) {
      part("told").textContent = heading;
      if (part("next").getBoundingClientRect().top < 0) part("next").scrollIntoView(); // something else is to be done: from its beginning
    }
  }
  drawn = JSON.stringify([state, kept, outbox.reachable, outbox.busy, problem, ui]);
  if (!focused.isConnected) part("next").focus({ preventScroll: true });
  else if (focused.disabled) (part("next").querySelector(GOES_ON) ?? part("next")).focus({ preventScroll: true });
}

/** Where the focus goes from a button that is done: the next card, or another amount. */
const GOES_ON = '.deck-grid button:enabled, .amount';

/** After a reload without a network, the table is unknown. */
const unseen = () => (state.round && !outbox.reachable ? h("p", { class: "felt unseen" }, "The table is shown when the network is back.") : null);

/** Always one line, so that nothing below it moves; what waits unfolds over the table. */
function network(kept) {
  const waiting = kept.items.length;
  const [kind, text] = !outbox.reachable ? ["bad", waiting ? `No network: ${waiting} waiting` : "No network"]
    : kept.stopped ? ["warn", `${waiting} waiting`]
      : waiting ? ["", `Sending: ${waiting} waiting`]
        : kept.parked.length ? ["warn", `${kept.parked.length} waiting`] : ["good", "Everything is stored"];
  const words = h("b", {}, text);
  if (outbox.reachable || !waiting) return h("div", { class: `net ${kind}` }, words);
  return h("details", { class: `net ${kind}`, id: "waiting-folded", open: ui.waitingOpen, on: { toggle: (event) => { ui.waitingOpen = event.target.open; } } }, h("summary", { id: "waiting" }, words),
    h("div", { class: "waiting" }, h("p", {}, "Kept here, and sent in this order when the network is back:"), h("ol", {}, kept.items.map((item) => h("li", {}, item.what)))));
}

/** What waits was meant for a table that has changed: somebody decides. */
function stopped(kept) {
  if (!kept.stopped) return null;
  const { why, problem: reason } = kept.stopped;
  const [first] = kept.items;
  if (why === "forbidden" && state?.signatures && first?.actions && !first.fact) {
    return signing(state.signatures, first.what, reason.detail, sendSigned, throwAway(), redraw);
  }
  if (why === "signed-out" || why === "forbidden") {
    const back = `/sign-in?next=${encodeURIComponent(location.pathname)}`;
    return h("div", { id: "stopped", class: "refused", role: "alert" }, h("p", {}, reason.detail ?? "You have to sign in again.", " What waits is kept."),
      h("div", { class: "row-buttons" }, h("a", { class: "button", href: back }, "Sign in"), button("try-again", "Try again", () => outbox.goOn(state?.round?.version), { kind: "second" }), throwAway()));
  }
  const text = {
    conflict: "Another terminal has acted at this table. It is shown as it is now.",
    another: `${reason.by} tapped this, and ${outbox.by} is signed in now. Whoever sends it, it is recorded in that name.`,
    refused: "What was to follow waits, because something before it was refused.",
  }[why];
  return h("div", { id: "stopped", class: "refused", role: "alert" }, h("p", {}, h("b", {}, text), " ", reason.code === "stale" ? "" : reason.detail ?? ""),
    h("p", {}, "Do you still want to send what waits here?"), h("ol", {}, kept.items.map((item) => h("li", {}, item.what))),
    h("div", { class: "row-buttons" }, button("send-anyway", "Send it", () => outbox.goOn(state.round?.version, true), { kind: "second", disabled: why === "conflict" && ui.unseen }),
      button("put-right", "Put it right first", () => { problem = null; outbox.park(); look(); }, { kind: "second" }), throwAway()));
}

/** What waits while somebody corrects what came before it: the screen takes entries as usual. */
function parked(kept) {
  if (!kept.parked.length) return null;
  return h("div", { id: "parked", class: "refused", role: "group", "aria-label": "What waits" }, h("p", { role: "status" }, h("b", {}, "Enter what is right. "), "These follow when you say so:"),
    h("ol", {}, kept.parked.map((item) => h("li", {}, item.what))),
    h("div", { class: "row-buttons" }, button("go-on", "Go on with these", () => outbox.goOnWithParked(state.round?.version), { disabled: kept.items.length > 0 }),
      button("throw-parked", "Throw them away", () => outbox.throwParkedAway(), { kind: "danger" })));
}

/** A second tap that was too fast to be intended. Face-down cards are not named. */
function twice() {
  if (!ui.twice) return null;
  const again = () => { const id = ui.twice; ui.twice = null; part("next").querySelector(`[data-id="${id}"]:enabled`)?.click(); draw(); };
  return h("div", { id: "twice", class: "banner twice", role: "status" }, h("p", {}, "Tapped twice, entered once."),
    h("div", { class: "row-buttons" }, button("once-more", "Enter it once more", again, { kind: "second" }), button("once", "Once is right", () => { ui.twice = null; draw(); }, { kind: "second" })));
}

const throwAway = () => button("throw-away", "Throw it away", () => { outbox.throwAway(); look(); }, { kind: "danger" });

function refused() {
  if (!problem) return null;
  const ruleset = state?.rules?.id ?? ui.session?.ruleset;
  return h("div", { id: "refused", class: "refused", role: "alert" }, button("dismiss", "×", () => { problem = null; draw(); }, { kind: "dismiss", label: "Put this message away" }), h("p", {}, h("b", {}, `${problem.what}: `), inWords(problem.detail ?? problem.title ?? "That was refused."),
    problem.clause ? [" ", h("a", { class: "clause", href: `/rules/${ruleset}#${problem.clause}` }, problem.clause)] : null));
}

function about() {
  const { session, rules, round } = state;
  if (!session || !session.open) return h("p", { class: "muted" }, "The table is closed.");
  const facts = [rules.title, session.dealer ? `dealer ${session.dealer}` : null, session.box ? `box ${session.box}` : null, state.stated?.deck ? `${state.stated.deck} deck` : null].filter(Boolean).join(" · ");
  return h("p", { class: "muted" }, facts, round ? [" · ", h("a", { href: `/rounds/${round.id}` }, round.id), " ", h("span", { class: "badge" }, round.status)] : null);
}

/** What may be done now; while something waits, only what is certain without its answer. Null: it is known in a
 * moment, and until then the screen stays as it is. */
function next(kept) {
  if (kept.stopped) return [];
  const waiting = kept.items.filter((item) => !item.fact);
  const { session, round } = state;
  const playing = round && round.status === "open";
  const first = waiting.find((item) => item.conditional);
  const arrived = first && (first.version ?? kept.version) < round?.version; // or something else has: its answer will tell
  const known = arrived || waiting.some((item) => !item.actions) ? null : !waiting.length ? round?.expects ?? [] : playing ? entriesAfter(state, screen.facts) : null;
  if (!known) return outbox.reachable ? null : [hold()];
  if (!session || !session.open) return [payments(ui, state, report, draw), openTable(ui, state.rulesets, (body) => command("POST", `${ofTable}/sessions`, body, "Open the table"), draw)];
  if (playing) return offers(screen, known, waiting.length > 0, waiting.length || (kept.items.length && !outbox.reachable) ? lastOne(kept.items) : takingBack(screen, sendTakeBack, redraw));
  return [supervisorCalled(screen), payments(ui, state, report, draw), handsHeld(screen), waiver(ui, state, (body) => annotate("waiver", body, "Waive the fee")), nextRound(ui, state, openRound, draw), seating(ui, state, hands, draw)];
}

/** What was not sent yet need not be taken back: it is dropped. */
function lastOne(waiting) {
  if (outbox.reachable) return null;
  if (!outbox.canDrop) return h("p", { id: "sent-already", class: "hint" }, `“${waiting.at(-1).what}” may have arrived. If it was a mistake, take it back when the network is back.`);
  return button("drop-last", `Drop: ${waiting.at(-1).what}`, () => { outbox.dropLast(); }, { kind: "second" });
}

const hold = () => h("p", { class: "hold", role: "status" }, "What comes next depends on what waits: it goes on when the network is back.");

/** The round is named here, by table and time, so that people can say its name; where that is too long, by the service. */
function openRound(body) {
  const name = `${table}-${new Date().toISOString().slice(2, 19).replace("T", "-").replace(/(\d\d)-(\d\d)-(\d\d)-/, "$1$2$3-").replaceAll(":", "")}`;
  command("POST", `${ofTable}/rounds`, name.length <= LONGEST_ID ? { round: name, ...body } : body, "Open the round");
}

const hands = {
  take: (seat, bettor) => command("PUT", `${ofTable}/seats/${seat}`, { bettor }, `${bettor} sits down at seat ${seat}`),
  leave: (seat) => command("DELETE", `${ofTable}/seats/${seat}`, undefined, `Seat ${seat} is left`),
  close: () => command("POST", `${ofTable}/sessions/current/close`, {}, "Close the table"),
  tap: (dealer) => command("POST", `${ofTable}/dealer`, { dealer }, `${dealer} taps in`),
};

/** Annotates a round that is over, at the version that the screen shows. */
function annotate(what, body, words) {
  problem = null;
  outbox.add({ method: "POST", path: `${ofRound()}/${what}`, body, version: state.round.version, conditional: true, what: words });
}

/** Annotates a round before the current one, whose entries do not wait for it. */
function reportBefore({ id }, body) {
  problem = null;
  outbox.add({ method: "POST", path: `/v1/rounds/${encodeURIComponent(id)}/payments`, body, actions: [], fact: { of: id, said: { paid: true } }, what: `What was paid in ${id}` });
}

/** That an earlier round was paid is on its way. */
const confirming = (id) => outbox.items.some(({ fact }) => fact?.of === id && fact.said.paid);

const report = (body) => annotate("payments", body, "What was paid");

// ---- beginning

for (const name of ["next", "owed"]) part(name).addEventListener("click", (event) => {
  const judgement = event.target.closest("button") ? judged(event) : "take";
  if (judgement === "take" && part("next").ariaBusy !== "true") return;
  event.stopPropagation();
  event.preventDefault();
  if (judgement === "ask") { ui.twice = event.target.closest("[data-id]").dataset.id; draw(); }
}, true);
listenToKeys((key) => {
  const rank = key.toUpperCase();
  const card = part("next").querySelector(`[data-id="card-${ui.rank}${key.toLowerCase()}"]:enabled`);
  if (card) { ui.rank = null; card.click(); return; }
  const { task } = part("next").querySelector("[data-task]:has(.deck-grid)")?.dataset ?? {};
  if (task && !"CDHS".includes(rank)) { Object.assign(ui, { rank, task }); draw(); }
});
look().then(() => outbox.flush());
// So that the screen itself can be loaded without a network; browsers have this with https and on loopback only.
navigator.serviceWorker?.register("/dealer/worker.js").catch(() => { /* it works without, as long as it is open */ });
