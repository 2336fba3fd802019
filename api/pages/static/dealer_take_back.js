// The last entry was a mistake: it is taken back with a reason, and if anybody saw it the floor confirms it
// with a proof of who they are, which is kept nowhere.

import { button, field, folded, h, ID } from "./dealer_drawing.js";
import { proof } from "./dealer_signing.js";
import { said } from "./dealer_words.js";

const WHY = ["the wrong button", "the wrong seat", "the wrong card"];
let given = {};

/** `send(form)` posts it at once: nobody's password waits for a network. */
export function takingBack({ ui, state, draw }, send, redraw) {
  const { back, passwords, round } = state;
  if (!back) return null;
  const what = said(back.entry);
  const of = `${round.id}-${round.version}`;
  if (ui.back.of !== of) ui.back = { of, reason: "", floor: ui.back.floor }; // another entry, another form
  const form = ui.back;
  given.second_person = form.floor;
  const submit = (event) => {
    event.preventDefault();
    form.floor = given.second_person;
    const { wrong, ...proved } = given;
    send({ reason: form.reason.trim(), ...(back.floor ? proved : {}) });
    given = {};
  };
  return h("div", { id: `back-${of}` }, folded("take-back", "unfolded", form, `Take back: ${what}`,
    h("form", { id: "taking-back", on: { submit } },
      h("div", { class: "row-buttons", role: "group", "aria-label": "Why" }, WHY.map((why, at) => button(`why-${at}`, why, () => { form.reason = why; draw(); }, { kind: "pad roomy", pressed: form.reason === why }))),
      h("div", { class: "fields" },
        field("back-reason", "Why", form.reason, (text) => { form.reason = text; }, { required: true, maxlength: "500" }),
        back.floor ? field("back-floor", "Floor supervisor who confirms it", form.floor, (text) => { form.floor = given.second_person = text; }, { required: true, ...ID }) : null,
        back.floor && passwords ? proof("back", "second", given, () => { form.floor = given.second_person; redraw(); }) : null),
      h("button", { id: "take-it-back", class: "danger" }, `Take back: ${what}`))));
}
