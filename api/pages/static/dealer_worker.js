// Lets the dealer's screen be loaded without a network: its page and its static files are kept, and nothing else. The
// table, its rounds and whatever is sent go to the service untouched, so no card and no amount is ever kept here.

const FILES = ["./app.css", "./app.js", "./dealer.css", "./dealer.js", "./dealer_bets.js", "./dealer_cards.js", "./dealer_decisions.js", "./dealer_drawing.js", "./dealer_forecast.js", "./dealer_keys.js", "./dealer_offers.js", "./dealer_opening.js", "./dealer_outbox.js", "./dealer_parts.js", "./dealer_payments.js", "./dealer_round_facts.js", "./dealer_signing.js", "./dealer_take_back.js", "./dealer_taps.js", "./dealer_words.js", "./inter-latin.woff2", "./lists.css", "./lists.js", "./mark.svg", "./passkeys.js"];
const NAME = `roundledger-dealer ${FILES.join(" ")}`; // other files, another cache
const SCREEN = /^\/dealer\/[a-z0-9-]+$/;
const GATEWAY = [502, 503, 504]; // the answers of a proxy whose service is down

self.addEventListener("install", (event) => {
  self.skipWaiting(); // files are named by their content: the screens that are open lose nothing
  event.waitUntil((async () => {
    const cache = await caches.open(NAME);
    await cache.addAll(FILES);
    const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    await Promise.all(windows.map((one) => new URL(one.url).pathname).filter((path) => SCREEN.test(path)).map(keepAgain));
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    const others = (await caches.keys()).filter((name) => name.startsWith("roundledger-dealer") && name !== NAME);
    await Promise.all(others.map((name) => caches.delete(name)));
  })());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  if (request.mode === "navigate" && SCREEN.test(pathname)) event.respondWith(screen(request, pathname));
  else if (FILES.includes(pathname)) event.respondWith(kept(pathname).then((found) => found ?? fetch(request)));
});

const kept = async (path) => (await caches.open(NAME)).match(path, { ignoreVary: true });

/** From the service; as it came last where the service cannot be reached. */
async function screen(request, path) {
  try {
    const answer = await fetch(request);
    if (!GATEWAY.includes(answer.status)) return await keep(path, answer);
    return (await kept(path)) ?? answer;
  } catch (error) {
    const found = await kept(path);
    if (found) return found;
    throw error;
  }
}

async function keep(path, answer) {
  if (answer.ok && !answer.redirected) await (await caches.open(NAME)).put(path, answer.clone());
  return answer;
}

async function keepAgain(path) {
  await keep(path, await fetch(path, { headers: { Accept: "text/html", "Page-Refresh": "1" } }));
}
