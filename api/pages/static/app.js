// Small things that make the pages quicker to use. Everything works without them.

/** The token that requests with changes must carry, for scripts that call operations themselves. */
export const csrfToken = () => document.querySelector('meta[name="csrf-token"]').content;

/** Call an operation under /v1; changes are sent with the token and, given a key, are safe to retry. */
export async function ask(method, path, body, { key, ifMatch, signal } = {}) {
  const headers = { Accept: "application/json", "CSRF-Token": csrfToken() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  if (ifMatch) headers["If-Match"] = `"${ifMatch}"`;
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(path, { method, headers, body: sent, credentials: "same-origin", signal });
  const value = response.status === 204 ? null : await response.json();
  return { ok: response.ok, status: response.status, value, headers: response.headers };
}

/** Fetch a page, or null; `byItself` if the user did nothing. */
export async function page(address, byItself = true) {
  const headers = { Accept: "text/html" };
  if (byItself) headers["Page-Refresh"] = "1";
  const response = await fetch(address, { headers, credentials: "same-origin" });
  if (!response.ok || response.redirected) return null;
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

/** Replace a part of this page, by its id. */
export async function refresh(id, address = location.href, byItself = true) {
  const fresh = (await page(address, byItself))?.getElementById(id);
  const here = document.getElementById(id);
  if (!fresh || !here) return false;
  if (fresh.outerHTML === here.outerHTML) return true;
  const again = sameIn(here, fresh, document.activeElement);
  here.replaceWith(document.adoptNode(fresh));
  fresh.dispatchEvent(new Event("refreshed", { bubbles: true }));
  again?.focus({ preventScroll: true });
  return true;
}

const REACHED = "a[href], button, input, select, summary, [tabindex]";

/** The element of the fresh part that corresponds to the focused one: in the article of the same name, if any. */
function sameIn(here, fresh, focused) {
  if (!here.contains(focused)) return null;
  const name = focused.closest("article")?.getAttribute("aria-labelledby");
  const article = (part) => (name ? part.querySelector(`[aria-labelledby="${CSS.escape(name)}"]`) : null) ?? part;
  const at = [...article(here).querySelectorAll(REACHED)].indexOf(focused);
  return article(fresh).querySelectorAll(REACHED)[at] ?? null;
}

// A second click does not send a form again; its key would prevent a second execution anyway.
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (event.target.method === "post" && button) setTimeout(() => { button.disabled = true; }, 0);
});
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("form button:disabled:not([data-off])")) button.disabled = false;
});

// Selects that submit at once: <form data-at-once>.
document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-at-once]");
  if (form) form.requestSubmit();
});
// On a phone the navigation is a strip: scroll the current page into view.
const strip = document.querySelector(".side");
const current = strip?.querySelector("[aria-current]");
if (current && strip.scrollWidth > strip.clientWidth) strip.scrollLeft = current.offsetLeft - strip.clientWidth / 3;
for (const button of document.querySelectorAll("[data-print]")) button.addEventListener("click", () => print());

// Fields with suggestions: <input list="…" data-suggest="kind">, of any kind if none is named.
let waiting;
document.addEventListener("input", (event) => {
  const field = event.target.closest("[data-suggest]");
  if (!field) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => suggest(field), 200);
});

async function suggest(field) {
  const typed = field.value.trim();
  if (!typed || [...field.list.options].some((option) => option.value === typed)) return;
  const kind = field.dataset.suggest;
  const asked = new URLSearchParams({ q: typed, ...(kind && { kind }) });
  const { ok, value } = await ask("GET", `/v1/find?${asked}`);
  if (!ok || field.value.trim() !== typed) return;
  const seen = new Map(value.things.map((thing) => [thing.id, thing.note || thing.kind.replace("_", "-")]));
  field.list.replaceChildren(...[...seen].map(([id, note]) => Object.assign(new Option(note, id), { label: `${id} · ${note}` })));
}
