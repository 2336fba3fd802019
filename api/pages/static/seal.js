// Checks a round against the transparency log, here in the browser: the stored bytes of every event are hashed, their
// paths are followed to the root (RFC 6962), and the signature under the root is verified (C2SP signed note, Ed25519).
// Then the content of the bytes is compared with what the page shows.

import { ask } from "./app.js";

const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const utf8 = new TextEncoder();
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const joined = (...parts) => {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
};
const digest = async (name, bytes) => new Uint8Array(await crypto.subtle.digest(name, bytes));
const sha256 = (bytes) => digest("SHA-256", bytes);
const leafHash = (entry) => sha256(joined([0], entry));
const nodeHash = (left, right) => sha256(joined([1], left, right));

class Mismatch extends Error {}
const mismatch = (words) => { throw new Mismatch(words); };

/** The root that a leaf leads to (RFC 9162, 2.1.3.2), or null if the path does not fit its place. */
export async function rootFrom(leaf, index, size, path) {
  if (index >= size) return null;
  let at = BigInt(index);
  let end = BigInt(size - 1);
  let root = leaf;
  for (const hash of path) {
    if (end === 0n) return null;
    if (at & 1n || at === end) {
      root = await nodeHash(hash, root);
      while (!(at & 1n) && at !== 0n) { at >>= 1n; end >>= 1n; }
    } else {
      root = await nodeHash(root, hash);
    }
    at >>= 1n;
    end >>= 1n;
  }
  return end === 0n ? root : null;
}

function checkpointOf(note) {
  const cut = note.lastIndexOf("\n\n");
  if (cut < 0) mismatch("the checkpoint is not a signed note");
  const body = note.slice(0, cut + 1);
  const [origin, size, root] = body.split("\n");
  if (!/^(0|[1-9][0-9]*)$/.test(size) || !root) mismatch("the checkpoint does not say a size and a root");
  const signatures = note.slice(cut + 2).split("\n").filter(Boolean).map((line) => /^— (\S+) (\S+)$/.exec(line)).filter(Boolean);
  return { body, origin, size: Number(size), root: bytesOf(root), signatures };
}

/** The key that signed the checkpoint, as name+id; null where this browser has no Ed25519. */
async function signedBy(checkpoint, keys) {
  for (const text of keys) {
    const [name, id, encoded] = [text.slice(0, text.indexOf("+")), ...text.slice(text.indexOf("+") + 1).split(/\+(.*)/s)];
    const key = bytesOf(encoded);
    const expected = hex((await sha256(joined(utf8.encode(`${name}\n`), key))).slice(0, 4));
    if (name !== checkpoint.origin || key[0] !== 1 || expected !== id) continue;
    let verifier;
    try {
      verifier = await crypto.subtle.importKey("raw", key.slice(1), { name: "Ed25519" }, false, ["verify"]);
    } catch {
      return null;
    }
    for (const [, signer, value] of checkpoint.signatures) {
      const bytes = bytesOf(value);
      if (signer !== name || hex(bytes.slice(0, 4)) !== id) continue;
      if (await crypto.subtle.verify("Ed25519", verifier, bytes.slice(4), utf8.encode(checkpoint.body))) return `${name}+${id}`;
    }
  }
  return mismatch("the checkpoint is not signed by a key of this log");
}

/** An entry of the log, taken apart (infra/log/leaves.py). */
function read(entry) {
  const view = new DataView(entry.buffer);
  const end = 38 + entry[37];
  return {
    whole: entry[0] === 1, originator: hex(entry.slice(17, 33)), version: view.getUint32(33),
    topic: new TextDecoder().decode(entry.slice(38, end)), state: new TextDecoder().decode(entry.slice(end)),
  };
}

async function originatorOf(round, namespace) {
  const hash = (await digest("SHA-1", joined(Uint8Array.from(namespace.match(/../g), (pair) => parseInt(pair, 16)), utf8.encode(`round/${round}`)))).slice(0, 16);
  hash[6] = (hash[6] & 0x0f) | 0x50;
  hash[8] = (hash[8] & 0x3f) | 0x80;
  return hex(hash);
}

/** What the bytes say of a step must be what the page says of it: what happened, who did it, when, and the money. */
function compare(step, entry, shown) {
  if (entry.version !== step || !entry.whole) mismatch(`step ${step} is another event in the log`);
  const [fields, by, at] = JSON.parse(entry.state);
  if (entry.topic !== shown.topic || by !== shown.by || at !== Date.parse(shown.at)) mismatch(`step ${step} differs from what is stored`);
  const line = shown.line && [(fields[8] / 100).toFixed(2), (fields[9] / 100).toFixed(2), fields[11]];
  if (JSON.stringify(line) !== JSON.stringify(shown.line)) mismatch(`the settlement line of step ${step} differs from what is stored`);
  if (shown.cards && JSON.stringify(fields[1]) !== JSON.stringify(shown.cards)) mismatch(`the cards of step ${step} differ from what is stored`);
}

/** Everything; `shown` is what the page says of each step. */
export async function check(log, shown, namespace) {
  if (log.checkpoint === null) return { state: "unsealed", words: "not yet sealed", more: ["The log has not been sealed yet."] };
  const checkpoint = checkpointOf(log.checkpoint);
  const key = await signedBy(checkpoint, log.keys);
  if (log.entries.length < shown.length) mismatch(`step ${log.entries.length + 1} is on this page and no longer stored`);
  const originator = await originatorOf(log.round, namespace);
  const hashes = log.hashes.map(bytesOf);
  const places = [];
  let open = 0;
  for (const [at, stored] of log.entries.entries()) {
    const step = at + 1;
    const bytes = bytesOf(stored.entry);
    const entry = read(bytes);
    if (entry.originator !== originator) mismatch(`step ${step} belongs to another round in the log`);
    if (shown[at]) compare(step, entry, shown[at]);
    if (stored.index === null) { open += 1; continue; }
    const root = await rootFrom(await leafHash(bytes), stored.index, checkpoint.size, stored.path.map((number) => hashes[number]));
    if (root === null || hex(root) !== hex(checkpoint.root)) mismatch(`step ${step} is not as it was sealed`);
    places.push(stored.index);
  }
  const count = (number) => number.toLocaleString("en-US");
  const more = [
    `Log: ${checkpoint.origin}, ${count(checkpoint.size)} events, sealed ${moment(log.sealed_at)}.`,
    `Root: ${btoa(String.fromCharCode(...checkpoint.root))}`,
    key === null ? "The signature was not checked: this browser does not know Ed25519." : `Signed by ${key}. Whether that is the log's key, ask somebody who has kept it: a witness, or an earlier evidence bundle.`,
  ];
  if (places.length) more.unshift(`${places.length} events of this round stand at ${count(Math.min(...places))} to ${count(Math.max(...places))} in the log; each was hashed here and leads to the root.`);
  if (open) return { state: "unsealed", words: open === log.entries.length ? "not yet sealed" : `${open} of ${log.entries.length} events not yet sealed`, more };
  if (key === null) return { state: "partly", words: "sealed; the signature was not checked", more };
  return { state: "verified", words: "verified in this browser", more };
}

/** As the rest of the page shows times: in the property's zone. */
function moment(text) {
  const part = { day: "2-digit", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false };
  return new Intl.DateTimeFormat("en-GB", { ...part, timeZone: document.documentElement.dataset.zone }).format(new Date(text)).replace(",", "");
}

const KINDS = { verified: "good", partly: "warn", unsealed: "info", mismatch: "bad", unknown: "warn" };

export async function judge(log, shown, namespace) {
  if (!globalThis.crypto?.subtle) return { state: "unknown", words: "cannot be checked here", more: ["Browsers hash only on pages that come over HTTPS or from this machine."] };
  try {
    return await check(log, shown, namespace);
  } catch (error) {
    if (!(error instanceof Mismatch)) return { state: "mismatch", words: "MISMATCH", more: ["What the log gave cannot be read.", String(error.message)] };
    return { state: "mismatch", words: `MISMATCH: ${error.message}`, more: ["Do not rely on this round. Keep this page, and tell an auditor."] };
  }
}

export async function seal(badge, panel, shown, namespace) {
  badge.hidden = false;
  badge.textContent = "checking the seal…";
  let found;
  try {
    const answer = await ask("GET", `/v1/rounds/${badge.dataset.round}/log`);
    found = answer.ok ? await judge(answer.value, shown, namespace) : { state: "unknown", words: "the seal could not be fetched", more: [answer.value.detail] };
  } catch {
    found = { state: "unknown", words: "the seal could not be fetched", more: ["The service did not answer."] };
  }
  badge.textContent = found.words;
  badge.className = `seal badge ${KINDS[found.state]}`;
  badge.dataset.state = found.state;
  panel.replaceChildren(...found.more.map((words) => Object.assign(document.createElement("p"), { textContent: words })));
}
