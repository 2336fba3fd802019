// Signatures on the dealer's screen: a password, with the code of a second factor, or a passkey alone. What is given here
// is kept nowhere but in this page, and only until it is sent.

import { button, field, h, ID } from "./dealer_drawing.js";
import { says, signature } from "./passkeys.js";

const WHO = { supervisor: ["supervisor", "Floor supervisor", "supervisor"], second: ["second_person", "Second person", "signature"] };
const SECRET = { type: "password", autocomplete: "new-password" };

let typed = {};

/** `names`: the fields that are needed here; `what`: the action in words, which name no card. */
export function signing(names, what, why, send, throwAway, draw) {
  const submit = (event) => {
    event.preventDefault();
    send(typed);
    typed = Object.fromEntries(Object.entries(typed).filter(([name]) => Object.values(WHO).some(([id]) => id === name)));
  };
  const people = Object.entries(WHO).filter(([, [id]]) => names.includes(id)).map(([who, [id, label]]) => [
    field(`sign-${id}`, label, typed[id] ?? "", (text) => { typed[id] = text; }, { required: true, ...ID }),
    names.includes(`${who}_password`) ? proof("sign", who, typed, draw) : null]);
  return h("div", { id: "stopped", class: "refused" },
    h("p", { role: "alert" }, h("b", {}, `${what}: `), why),
    h("form", { id: "signing", on: { submit } }, people.map((fields) => h("div", { class: "fields signer" }, fields)),
      h("div", { class: "row-buttons" }, h("button", { id: "sign" }, "Sign, and go on"), throwAway)));
}

/** How somebody proves who they are, in `given` under the names that the service's form has. */
export function proof(place, who, given, draw) {
  const [id, label, purpose] = WHO[who];
  const [password, code, passkey] = ["password", "code", "passkey"].map((name) => `${who}_${name}`);
  const kept = (name) => (text) => { given[name] = text; };
  if (given[passkey]) return h("p", { id: `${place}-${passkey}`, class: "reported", role: "status" }, `${given[id]} signs with a passkey.`);
  const use = async (event) => {
    const form = event.target.closest("form");
    try {
      const found = await signature(purpose);
      Object.assign(given, { [passkey]: found.passkey, [id]: given[id] || found.owner, wrong: null });
      draw();
      if (form.checkValidity()) form.requestSubmit();
    } catch (error) {
      given.wrong = says(error);
      draw();
    }
  };
  return [
    field(`${place}-${password}`, who === "second" ? "Their password" : `${label}'s password`, given[password] ?? "", kept(password), { required: true, ...SECRET }),
    field(`${place}-${code}`, "Second-factor code, if any", given[code] ?? "", kept(code), { autocapitalize: "none", spellcheck: "false", maxlength: "40", autocomplete: "one-time-code" }),
    window.PublicKeyCredential ? button(`${place}-by-${passkey}`, "Sign with a passkey instead", use, { kind: "second by-passkey" }) : null,
    given.wrong ? h("p", { class: "wrong", role: "alert" }, given.wrong) : null];
}
