// What the screen has to send, kept in the browser's storage until the service has answered: in order, each once.
//
// Every item carries its own Idempotency-Key, so sending it again after a lost answer changes nothing. It also carries
// the version of the round that it was meant for: the first one that the screen showed, the next ones the version that
// the one before led to. A round that has moved on meanwhile stops the queue, and somebody decides.

import { ask } from "./app.js";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;
const PATIENCE_MS = 15000;
const MOVED_ON = ["stale", "conflict"]; // the round is no longer at the version that the screen showed

export class Outbox {
  /** `told` is called with the name of what happened (sent, refused, stopped, changed) and its facts. */
  constructor(table, by, told) {
    this.name = `roundledger.dealer.${table}`;
    this.by = by; // who is signed in; what somebody else has tapped is never sent without asking
    this.told = told;
    this.busy = false;
    this.reachable = true;
    this.pauseMs = FIRST_PAUSE_MS;
    this.timer = null;
    addEventListener("online", () => this.flush());
    addEventListener("offline", () => this.unreachable());
    addEventListener("storage", (event) => { if (event.key === this.name) told("changed"); });
  }

  // ---- what is kept; read anew each time, because another window of this browser may share it

  get kept() {
    const nothing = { items: [], parked: [], stopped: null, version: null };
    try { return { ...nothing, ...JSON.parse(localStorage.getItem(this.name)) }; }
    catch { return nothing; }
  }

  change(how) {
    const kept = this.kept;
    how(kept);
    localStorage.setItem(this.name, JSON.stringify(kept));
  }

  get items() { return this.kept.items; }

  /** Why nothing more is sent before somebody has decided: {why, problem}, or null. */
  get stopped() { return this.kept.stopped; }

  // ---- adding, and deciding about what waits

  /** `version`: the one that the screen shows, for the first of a round's actions; later ones follow from it. */
  add({ method, path, body, version = null, conditional = false, actions = null, fact = null, what }) {
    this.change((kept) => {
      const follows = kept.items.some((item) => item.conditional);
      kept.items.push({ key: newKey(), by: this.by, method, path, body, conditional, version: follows ? null : version, actions, fact, what });
    });
    this.told("changed");
    this.flush();
  }

  /** Send what waits after all, onto the round as it is now; `mine`: in the name of who is signed in, whoever tapped it. */
  goOn(version, mine = false) {
    this.change((kept) => {
      kept.stopped = null;
      if (mine) for (const item of kept.items) item.by = this.by;
      const first = kept.items.find((item) => item.conditional);
      if (first) first.version = version;
    });
    this.told("changed");
    this.flush();
  }

  /** Whether the last of what waits has certainly not arrived: only the first one is ever sent. */
  get canDrop() {
    const { items } = this.kept;
    return items.length > 1 || Boolean(items[0] && !items[0].tried);
  }

  /** The last of what waits was a mistake. */
  dropLast() {
    if (this.busy) return;
    if (this.canDrop) this.change((kept) => { kept.items.pop(); });
    this.told("changed");
  }

  /** What waits is put aside, so that what came before it can be put right by other entries. */
  park() {
    this.change((kept) => { kept.parked = [...kept.items, ...kept.parked]; kept.items = []; kept.stopped = null; });
    this.told("changed");
  }

  goOnWithParked(version) {
    this.change((kept) => { kept.items = [...kept.items, ...kept.parked]; kept.parked = []; });
    this.goOn(version);
  }

  throwParkedAway() {
    this.change((kept) => { kept.parked = []; });
    this.told("changed");
  }

  throwAway() {
    this.change((kept) => { kept.items = []; kept.stopped = null; });
    this.told("changed");
  }

  // ---- sending

  async flush() {
    if (this.busy) return;
    await this.alone(() => this.sendAll());
    if (this.items.length && !this.stopped) this.later();
  }

  /** The first of what waits, with the signatures of two people; `post(item, ifMatch)` sends it. */
  async sendSigned(post) {
    if (this.busy) return;
    const item = this.items[0];
    await this.alone(async () => {
      if (item?.key !== this.items[0]?.key) return; // another window has sent it
      this.change((kept) => { kept.stopped = null; });
      await this.send(item, (ifMatch) => post(item, ifMatch));
    });
    if (!this.stopped) this.flush();
  }

  /** Where the browser has locks, only one window of it sends; where it has none, the keys still hold. */
  async alone(work) {
    this.busy = true;
    clearTimeout(this.timer);
    try {
      if (navigator.locks) await navigator.locks.request(this.name, work);
      else await work();
    } finally {
      this.busy = false;
      this.told("changed");
    }
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
  }

  async sendAll() {
    let item;
    while (!this.stopped && (item = this.items[0])) {
      if (item.by !== this.by) { this.stop("another", { by: item.by }); return; }
      if (!(await this.send(item))) return;
    }
  }

  /** True where the next one may go. */
  async send(item, post = (ifMatch) => ask(item.method, item.path, item.body, { key: item.key, ifMatch, signal: patience() })) {
    const ifMatch = item.conditional ? (item.version ?? this.kept.version) : undefined;
    const tried = item.tried || navigator.onLine; // without any network it has not left this browser
    this.change((kept) => { if (kept.items[0]?.key === item.key) Object.assign(kept.items[0], { version: ifMatch ?? null, tried }); });
    let answer;
    try {
      answer = await post(ifMatch);
    } catch {
      return this.unreachable();
    }
    if (answer.status >= 500 || answer.status === 429) return this.unreachable();
    this.reachable = true;
    this.pauseMs = FIRST_PAUSE_MS;
    if (answer.ok) return this.done(item, answer.value);
    const problem = answer.value ?? {};
    if (answer.status === 401) return this.stop("signed-out", problem);
    if (answer.status === 403) return this.stop("forbidden", problem);
    if (item.conditional && MOVED_ON.includes(problem.code)) return this.stop("conflict", problem);
    return this.refused(item, problem);
  }

  unreachable() {
    this.reachable = false;
    this.told("changed");
    return false;
  }

  done(item, value) {
    this.change((kept) => {
      kept.items = kept.items.filter((other) => other.key !== item.key);
      if (item.conditional) kept.version = value.version;
    });
    this.told("sent", { item, value });
    return true;
  }

  /** What the rules refuse is not asked again; what was to follow it may no longer be meant. */
  refused(item, problem) {
    this.change((kept) => {
      kept.items = kept.items.filter((other) => other.key !== item.key);
      if (kept.items.length && !item.fact) kept.stopped = { why: "refused", problem };
    });
    this.told("refused", { item, problem });
    return Boolean(item.fact); // nothing depends on what somebody says of the round
  }

  stop(why, problem) {
    this.change((kept) => { kept.stopped = { why, problem }; });
    this.told("stopped", { why, problem });
    return false;
  }
}

/** For a network that neither carries a request nor refuses it. */
export const patience = () => AbortSignal.timeout(PATIENCE_MS);

/** Not crypto.randomUUID: a tablet may reach the service over plain http, where browsers do not offer it. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `dealer-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
