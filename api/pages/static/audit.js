// Watches an audit while it runs.
import { refresh } from "./app.js";

const EVERY_MS = 1000;

async function look() {
  if (document.getElementById("watched").hasAttribute("data-running")) {
    try { if (!document.hidden) await refresh("watched"); } catch { /* the next look may do better */ }
    const watched = document.getElementById("watched");
    if (!watched.hasAttribute("data-running")) document.getElementById("announcement").textContent = [...watched.querySelectorAll("h2")].map((heading) => heading.innerText).join(", ");
  }
  setTimeout(look, EVERY_MS);
}
setTimeout(look, EVERY_MS);
