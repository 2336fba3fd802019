// Follows the floor: whenever something is stored, the part of the page that shows the tables is fetched again.
import { refresh } from "./app.js";

const PAUSE_MS = 700; // so that a busy floor is not asked for with every card
const ASKING_MS = 5000;
const state = document.getElementById("live");
let asked = false;
let waiting = false;

function say(on, words) {
  state.toggleAttribute("data-on", on);
  state.textContent = words;
}

async function fetchAgain() {
  if (waiting) { asked = true; return; }
  waiting = true;
  let fine = false;
  try { fine = document.hidden || await refresh("floor"); } catch { fine = false; }
  say(fine, fine ? "live" : "not live: reload the page");
  setTimeout(() => { waiting = false; if (asked) { asked = false; fetchAgain(); } }, PAUSE_MS);
}

if (state.dataset.follows === "feed") {
  const feed = new EventSource("/v1/feed");
  feed.onopen = () => say(true, "live");
  feed.onerror = () => say(false, "connecting again …");
  for (const topic of state.dataset.topics.split(" ")) feed.addEventListener(topic, fetchAgain);
  addEventListener("pagehide", () => feed.close());
} else {
  say(true, "live");
  setInterval(fetchAgain, ASKING_MS);
}
document.addEventListener("visibilitychange", () => { if (!document.hidden) fetchAgain(); });
