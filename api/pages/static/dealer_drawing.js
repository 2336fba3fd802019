// Elements are made, never written as text, so nothing that somebody typed becomes markup. What is drawn anew keeps the
// elements that stay: a finger on a button, the caret in a field and an open list outlive an answer of the service.

/** An element; `on` are listeners, `id` a name by which the same element is found again when the screen is drawn anew. */
export function h(tag, { id, on = {}, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  if (id) element.dataset.id = id;
  listen(element, on);
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function listen(element, on) {
  for (const name of Object.keys(on)) {
    if (!(name in (element.hears ?? {}))) element.addEventListener(name, (event) => element.hears[name]?.(event));
  }
  element.hears = { ...Object.fromEntries(Object.keys(element.hears ?? {}).map((name) => [name, null])), ...on };
}

/** Makes the children of an element what was drawn. */
export function renew(parent, drawn) {
  const left = new Set(parent.childNodes);
  const kept = drawn.map((node) => {
    const same = [...left].find((old) => isSame(old, node));
    if (same) { left.delete(same); become(same, node); }
    return same ?? node;
  });
  for (const old of left) old.remove();
  kept.forEach((node, at) => { if (parent.childNodes[at] !== node) parent.insertBefore(node, parent.childNodes[at] ?? null); });
}

const isSame = (old, node) => old.nodeName === node.nodeName && old.dataset?.id === node.dataset?.id;

function become(old, node) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.nodeValue !== node.nodeValue) old.nodeValue = node.nodeValue;
    return;
  }
  // The reader decides whether it is unfolded: that event comes later than a redraw in between.
  const ours = (name) => !(name === "open" && old.nodeName === "DETAILS");
  for (const { name } of [...old.attributes]) if (ours(name) && !node.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of node.attributes) if (ours(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  listen(old, node.hears ?? {});
  renew(old, [...node.childNodes]);
  if ("value" in node && old.nodeName !== "BUTTON" && old.nodeName !== "LI" && old.value !== node.value) old.value = node.value;
}

/** `resting`: not for a moment, and the focus stays. */
export const button = (id, text, press, { kind = "", pressed, disabled, resting, label } = {}) =>
  h("button", { id, type: "button", class: kind, "aria-pressed": pressed === undefined ? null : String(pressed), disabled, "aria-disabled": resting ? "true" : null, "aria-label": label, on: { click: press } }, text);

export function field(id, label, value, input, attributes = {}) {
  return h("label", { class: "field" }, label, h("input", { id, value, autocomplete: "off", on: { input: (event) => input(event.target.value) }, ...attributes }));
}

/** What a field for an id accepts, and the browser's message for anything else. */
export const ID = { pattern: "[a-z0-9][a-z0-9\\-]{0,39}", title: "Small letters, digits and hyphens, at most 40" };

export function select(id, label, options, value, change) {
  const made = h("select", { id, on: { change: (event) => change(event.target.value) } },
    options.map(([code, text]) => h("option", { value: code, selected: code === value }, text)));
  return h("label", { class: "field" }, label, made);
}

/** What is folded away until somebody opens it; `ui` remembers that under `name`. */
export function folded(id, name, ui, summary, ...children) {
  return h("details", { id: `${id}-folded`, open: ui[name], on: { toggle: (event) => { ui[name] = event.target.open; } } }, h("summary", { id }, summary), ...children);
}
