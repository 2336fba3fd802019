// The signatures of two people, for an action that one person alone may no longer send. What is typed here is kept
// nowhere but in this page, and only until it is sent.

import { field, h, ID } from "./dealer_drawing.js";

const FIELDS = {
  supervisor: ["Floor supervisor", ID],
  supervisor_password: ["Their password", { type: "password", autocomplete: "new-password" }],
  second_person: ["Second person", ID],
  second_password: ["The second person's password", { type: "password", autocomplete: "new-password" }],
};

let typed = {};

/** `names`: the fields that are needed here; `what`: the action in words, which name no card. */
export function signing(names, what, why, send, throwAway) {
  const submit = (event) => {
    event.preventDefault();
    send(typed);
    typed = Object.fromEntries(Object.entries(typed).filter(([name]) => !name.endsWith("password")));
  };
  const fields = names.map((name) => {
    const [label, attributes] = FIELDS[name];
    return field(`sign-${name}`, label, typed[name] ?? "", (text) => { typed[name] = text; }, { required: true, ...attributes });
  });
  return h("div", { id: "stopped", class: "refused" },
    h("p", { role: "alert" }, h("b", {}, `${what}: `), why),
    h("form", { id: "signing", on: { submit } }, h("div", { class: "fields" }, fields),
      h("div", { class: "row-buttons" }, h("button", { id: "sign" }, "Sign, and go on"), throwAway)));
}
