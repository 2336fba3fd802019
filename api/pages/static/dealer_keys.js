// The keyboard alone: arrows move in a grid, and a card is typed as its rank and suit.

const CARD = /^[2-9ajkqt1cdhs]$/i;
const WRITTEN = "input, select, textarea";

/** `typed` is called with a rank or a suit. */
export function listenToKeys(typed) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches(WRITTEN)) return;
    if (event.repeat && event.key === "Enter") { event.preventDefault(); return; } // a key that is held down presses once
    if (event.key.startsWith("Arrow")) { if (move(event.target, event.key)) event.preventDefault(); return; }
    if (CARD.test(event.key)) typed(event.key === "1" ? "T" : event.key); // 10 begins with a one
  });
}

/** To the nearest button of the same grid in that direction. */
function move(from, key) {
  const grid = from.closest("[data-grid]");
  if (!grid || from.nodeName !== "BUTTON") return false;
  const at = middle(from);
  const [along, across, sign] = { ArrowRight: ["x", "y", 1], ArrowLeft: ["x", "y", -1], ArrowDown: ["y", "x", 1], ArrowUp: ["y", "x", -1] }[key];
  const ways = [...grid.querySelectorAll("button:enabled")].filter((one) => one !== from).map((one) => ({ one, to: middle(one) }))
    .map(({ one, to }) => ({ one, far: (to[along] - at[along]) * sign, aside: Math.abs(to[across] - at[across]) })).filter(({ far }) => far > 1);
  const best = ways.sort((one, other) => one.far + one.aside * 3 - other.far - other.aside * 3)[0];
  best?.one.focus();
  return true;
}

function middle(element) {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
}
