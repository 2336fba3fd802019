// Bouncing fingers: of two taps on one place, too fast to be intended, the second enters nothing.
//
// An intended second tap is not lost: the screen says that it was tapped twice, and another tap enters it again. If
// something else has come under the finger meanwhile, nobody can have intended it.

const BOUNCE_MS = 350; // of fingers; of mice the system says what is a double click
const BOUNCE_PX = 24;
const COUNTED = /^chip-/; // chips are tapped as often as they are to be counted
const ENTERED = /^(bet|card|deal)-/; // where a second one could be intended

let last = { id: null, at: -Infinity, x: 0, y: 0 };

/** What to do with a click: "take" it, "ask" whether the second one was meant, or "leave" it. */
export function judged(event) {
  const id = event.target.closest("[data-id]")?.dataset.id ?? null;
  const before = last;
  last = { id, at: event.timeStamp, x: event.clientX, y: event.clientY };
  const near = Math.hypot(event.clientX - before.x, event.clientY - before.y) < BOUNCE_PX;
  const bounced = event.pointerType === "touch" ? event.timeStamp - before.at < BOUNCE_MS : event.detail > 1;
  if (!near || !bounced || COUNTED.test(id)) return "take";
  return id === before.id && ENTERED.test(id) ? "ask" : "leave";
}
