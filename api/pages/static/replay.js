// Steps through a round. Everything on the felt has its place in the page already (data-k); each step says
// which of them look different. No rule is known here.

import { page } from "./app.js";
import { follow } from "./live.js";
import { seal } from "./seal.js";

const RANKS = { 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
const SUITS = { c: ["clubs", "♣"], d: ["diamonds", "♦"], h: ["hearts", "♥"], s: ["spades", "♠"] };
const STEP_MS = 1100;

const replay = document.getElementById("replay");
let sealed, marks, last;
const places = new Map();
const states = []; // what is where at each step

function read(given) {
  let changes;
  ({ changes, marks, sealed } = given);
  last = changes.length;
  places.clear();
  for (const element of replay.querySelectorAll("[data-k]")) {
    const name = element.dataset.k;
    if (!places.has(name)) places.set(name, []);
    places.get(name).push(element);
  }
  states.length = 0;
  for (const changed of changes) {
    const state = { ...states.at(-1), ...changed };
    for (const name in changed) if (changed[name] === null) delete state[name];
    states.push(state);
  }
}
read(JSON.parse(document.getElementById("steps").textContent));

const money = (amount) => {
  if (amount === undefined) return "–";
  const [whole, decimals] = amount.replace("-", "").split(".");
  return `${amount.startsWith("-") ? "−" : ""}$${Number(whole).toLocaleString("en-US")}.${decimals}`;
};

const draw = {
  card(element, card) {
    const gone = card === undefined;
    const turned = card && element.classList.contains("back");
    element.classList.toggle("gone", gone);
    element.classList.toggle("back", card === "");
    element.classList.toggle("turning", Boolean(turned));
    const [rank, suit] = card || [];
    element.querySelector(".rank").textContent = rank ? (rank === "T" ? "10" : rank) : "";
    element.querySelector(".suit").textContent = suit ? SUITS[suit][1] : "";
    if (suit) element.dataset.suit = suit; else delete element.dataset.suit;
    if (gone) element.removeAttribute("aria-label");
    else element.setAttribute("aria-label", card ? `${RANKS[rank]} of ${SUITS[suit][0]}` : "face-down card");
  },
  text(element, words) { element.textContent = words ?? ""; element.hidden = !words; },
  money(element, amount) { element.textContent = money(amount); },
  whole(element, value) { element.hidden = value === undefined; },
  there(element, value) { element.classList.toggle("gone", value === undefined); },
  bar(element, part) { element.setAttribute("width", part ?? 0); },
  hand(element, words) {
    element.classList.toggle("gone", words === undefined);
    element.querySelector(".made-name").textContent = words ?? "";
  },
  looks(element, looks) {
    for (const look of ["acting", "folded"]) element.classList.toggle(look, (looks ?? "").split(" ").includes(look));
  },
  pile(element, pile) {
    element.className = `pile ${pile ? pile[2] : "gone"}`;
    element.querySelector(".chip").textContent = pile ? pile[0] : "";
    element.querySelector(".moved").textContent = pile ? pile[1] : "";
  },
};

let step = Number(replay.dataset.step);
let timer = null;

function lay(before, after) {
  for (const [name, elements] of places) {
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) continue;
    for (const element of elements) draw[element.dataset.kind](element, after[name]);
  }
}

function address(number) {
  const query = new URLSearchParams(location.search);
  query.delete("closed");
  if (number === null) query.delete("step"); else query.set("step", number);
  return `?${query}`;
}

export function show(number, { announced = true } = {}) {
  const wanted = Math.min(Math.max(number, 1), last);
  lay(states[step - 1], states[wanted - 1]);
  step = wanted;
  mark();
  replay.dataset.step = step;
  const moving = step === last && replay.dataset.open === "yes"; // the last step of an open round is another one soon
  history.replaceState(null, "", address(moving ? null : step));
  point(announced);
}

function mark() {
  for (const [name, elements] of places) for (const element of elements) element.classList.toggle("marked", marks[step - 1].includes(name));
}

function point(announced) {
  const item = document.getElementById(`step-${step}`);
  for (const link of replay.querySelectorAll("#timeline [aria-current]")) link.removeAttribute("aria-current");
  item.querySelector("a").setAttribute("aria-current", "step");
  const list = document.getElementById("timeline");
  const top = item.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top + item.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 3;

  const why = document.getElementById("why");
  const what = document.createElement("p");
  what.className = "what";
  what.append(item.querySelector(".number-of").cloneNode(true), " ", ...[...item.querySelector(".what").childNodes].filter((node) => !node.classList?.contains("cards")).map((node) => node.cloneNode(true)));
  why.replaceChildren(what, ...[...item.querySelector(".because").childNodes].map((node) => node.cloneNode(true)));

  for (const row of replay.querySelectorAll("tr[data-line]")) {
    if (Number(row.dataset.line) === step) row.setAttribute("aria-current", "true"); else row.removeAttribute("aria-current");
  }
  const streets = [...replay.querySelectorAll(".streets a")];
  const here = streets.findLast((street) => Number(street.dataset.step) <= step);
  for (const street of streets) if (street === here) street.setAttribute("aria-current", "true"); else street.removeAttribute("aria-current");

  replay.querySelector("[data-now]").textContent = step;
  count();
  if (announced) document.getElementById("announcement").textContent = spoken(step);
}

function count() {
  replay.querySelector("[data-last]").textContent = last;
  const slide = replay.querySelector("[data-slide]");
  slide.max = last;
  slide.value = step;
  slide.setAttribute("aria-valuetext", `${step} of ${last}`);
  const goes = { first: 1, back: step - 1, on: step + 1, last };
  for (const link of replay.querySelectorAll("[data-go]")) {
    const to = goes[link.dataset.go];
    link.href = address(Math.min(Math.max(to, 1), last));
    link.setAttribute("aria-disabled", String(to < 1 || to > last || to === step));
  }
}

function spoken(number) {
  const item = document.getElementById(`step-${number}`);
  const sentence = item.querySelector(".sentence")?.textContent ?? "";
  const words = [...item.querySelector(".what").childNodes].map((node) => node.classList?.contains("cards") ? [...node.children].map((card) => card.getAttribute("aria-label")).join(", ") : node.textContent.trim());
  return `Step ${number} of ${last}. ${words.filter(Boolean).join(" ")}. ${sentence}`;
}

// ---- playing

const playButton = replay.querySelector("[data-play]");
const speed = replay.querySelector("[data-speed]");

function playing(on) {
  playButton.querySelector("[data-play-words]").textContent = on ? "Pause" : "Play";
  playButton.querySelector('[data-glyph="play"]').hidden = on;
  playButton.querySelector('[data-glyph="pause"]').hidden = !on;
}

function pause() {
  clearTimeout(timer);
  timer = null;
  playing(false);
}

function tick() {
  if (step >= last) return pause();
  show(step + 1);
  timer = setTimeout(tick, STEP_MS / Number(speed.value));
}

function play() {
  if (step >= last) show(1);
  playing(true);
  timer = setTimeout(tick, STEP_MS / Number(speed.value));
}

const toggle = () => (timer === null ? play() : pause());
const go = (number) => { pause(); show(number); };

// ---- hands on it

playButton.addEventListener("click", toggle);
replay.querySelector("[data-slide]").addEventListener("input", (event) => go(Number(event.target.value)));
replay.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest("a[data-step], a[data-go]");
  if (!link) return;
  event.preventDefault();
  const goes = { first: 1, back: step - 1, on: step + 1, last };
  go(link.dataset.go ? goes[link.dataset.go] : Number(link.dataset.step));
});

const KEYS = { ArrowLeft: () => go(step - 1), ArrowRight: () => go(step + 1), Home: () => go(1), End: () => go(last), " ": toggle };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !(event.key in KEYS)) return;
  if (event.target.closest("input, select, textarea, summary, [contenteditable]")) return;
  if (event.key === " " && event.target.closest("button")) return;
  event.preventDefault();
  const link = event.key === " " && event.target.closest("a[data-step], a[data-go]"); // which look like buttons
  if (link) link.click(); else KEYS[event.key]();
});
addEventListener("beforeprint", () => { pause(); show(last, { announced: false }); });

// ---- a round that is still played

/** Steps are only ever added, so that what is read, pointed at or being written stays where it is. Whoever is at the last
 * step is taken along. */
async function grow() {
  const drawn = step;
  const found = await page(address(drawn));
  const fresh = found?.getElementById("replay");
  if (!fresh) return false;
  const given = JSON.parse(found.getElementById("steps").textContent);
  const before = last;
  const ended = fresh.dataset.open === "no";
  if (given.changes.length === before && !ended) return true;

  const [now, along] = [step, step === before];
  replay.querySelector(".felt").replaceWith(fresh.querySelector(".felt"));
  for (const list of ["#timeline", ".streets"]) {
    const here = replay.querySelector(list);
    here.append(...[...fresh.querySelector(list).children].slice(here.children.length));
  }
  replay.querySelector(".lines")?.remove();
  const lines = fresh.querySelector(".lines");
  if (lines) replay.querySelector(".timeline").after(lines);
  replay.dataset.open = fresh.dataset.open;
  replay.dataset.last = given.changes.length;
  read(given);
  step = Number(fresh.dataset.step); // as the felt was drawn
  if (along) {
    show(last, { announced: false });
    const added = Array.from({ length: last - before }, (_, at) => spoken(before + at + 1));
    document.getElementById("announcement").textContent = added.join(" ");
  } else {
    lay(states[step - 1], states[now - 1]);
    step = now;
    mark();
    count();
  }
  if (!ended) {
    const badge = document.getElementById("seal"); // it spoke of fewer steps
    badge.className = "seal badge";
    badge.textContent = "checked again at its end";
    return true;
  }
  document.querySelector(".about").replaceWith(found.querySelector(".about"));
  begin();
  return null;
}

function begin() {
  seal(document.getElementById("seal"), document.getElementById("seal-more"), sealed.events, sealed.namespace);
}

for (const hidden of replay.querySelectorAll(".controls [data-play], .slide, .speed")) hidden.hidden = false;
point(false);
replay.dataset.ready = "yes";
begin();
const live = document.getElementById("live");
if (live) follow(live, grow);
