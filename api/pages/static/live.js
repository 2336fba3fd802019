// Follows what happens: whenever something is stored, a page fetches again what it shows of it.

const PAUSE_MS = 700; // so that a busy floor is not asked for with every card
const ASKING_MS = 5000;

/** `state` is the element that says whether the page is live, with where to listen. `again` fetches, and says whether
 * all is well; null means that there is nothing left to follow. */
export function follow(state, again) {
  let feed = null;
  let timer = null;
  let asked = false;
  let waiting = false;

  function say(on, words) {
    state.toggleAttribute("data-on", on);
    if (state.textContent !== words) state.textContent = words; // a screen reader announces it whenever it is written
  }

  function end() {
    feed?.close();
    clearInterval(timer);
    document.removeEventListener("visibilitychange", seen);
    state.hidden = true;
  }

  async function fetchAgain() {
    if (waiting) { asked = true; return; }
    waiting = true;
    let fine = false;
    try { fine = document.hidden || await again(); } catch { fine = false; }
    if (fine === null) return end();
    say(fine, fine ? "live" : "not live: reload the page");
    setTimeout(() => { waiting = false; if (asked) { asked = false; fetchAgain(); } }, PAUSE_MS);
  }

  function seen() { if (!document.hidden) fetchAgain(); }

  if (state.dataset.feed) {
    feed = new EventSource(state.dataset.feed);
    feed.onopen = fetchAgain; // for what was stored since the page was made
    feed.onerror = () => say(false, "connecting again …");
    for (const topic of state.dataset.topics.split(" ")) feed.addEventListener(topic, fetchAgain);
    addEventListener("pagehide", () => feed.close());
  } else {
    say(true, "live");
    timer = setInterval(fetchAgain, ASKING_MS);
  }
  document.addEventListener("visibilitychange", seen);
}
