// What somebody at the table says of a round beside its bets, cards and decisions: the deck that the dealer sees, a
// supervisor who was called, a misdeal, hands that were held up. None of it changes what is paid, and nothing waits for it.

import { ID, button, field, folded, h, select } from "./dealer_drawing.js";
import { place } from "./dealer_words.js";

const COLOURS = ["blue", "red"];

// ---- the deck

/** One tap where decks alternate. It does not say first whose turn it is: the dealer looks at the deck, not at the screen. */
export function deckInPlay({ ui, state, stating, tell, draw }) {
  const { due, deck } = state.stated ?? {};
  if (!due) return null;
  const seen = deck ?? stating("deck");
  if (seen) return h("p", { id: "deck-seen", class: seen === due ? "reported" : "wrong", role: "status" }, seen === due ? `The ${seen} deck is in play.` : `The ${seen} deck is in play, and it was the turn of the ${due} one.`);
  const say = (colour) => { ui.deckAsked = null; tell("deck", { colour }, { deck: colour }, `The ${colour} deck is in play`); };
  const press = (colour) => () => { if (colour === due) say(colour); else { ui.deckAsked = colour; draw(); } };
  if (ui.deckAsked) return h("div", { id: "deck-asked", class: "stack" }, h("p", { class: "wrong", role: "alert" }, `It is the turn of the ${due} deck. Is the ${ui.deckAsked} one on the table?`),
    h("div", { class: "row-buttons" }, button("deck-not", `No, the ${due} one`, () => say(due), { kind: "pad roomy" }), button("deck-so", `Yes, the ${ui.deckAsked} one`, () => say(ui.deckAsked), { kind: "pad roomy" })));
  return h("div", { id: "deck", class: "row-buttons in-play", role: "group", "aria-label": "The deck in play, as you see it" }, h("span", { class: "step" }, "Deck"),
    COLOURS.map((colour) => button(`deck-${colour}`, colour, press(colour), { kind: `pad roomy back-${colour}`, label: `The ${colour} deck is in play` })));
}

// ---- a misdeal

const CAME_OF_IT = [["put right", "it was put right"], ["played on", "the round is played on"], ["void", "the round is void"]];

/** With the number of cards; where the round is void because of it, that is entered with it. */
export function misdeal({ ui, state, stating, tell, act }) {
  const form = (ui.misdeal ??= { at: "", expected: "", found: "", outcome: "put right", note: "" });
  const { picture, stated } = state;
  if (!picture?.seats.some((seat) => seat.hands.length)) return null;
  const places = [...picture.seats.filter((seat) => seat.hands.length).map((seat) => place(seat.seat)), place("dealer"), ...(picture.board.length ? [place("board")] : [])];
  const noticed = [...(stated?.misdeals ?? []), stating("misdeal")].filter(Boolean);
  const write = (name) => (value) => { form[name] = value; };
  const number = (name, label) => field(`misdeal-${name}`, label, form[name], write(name), { required: true, inputmode: "numeric", pattern: "[0-9]|[1-4][0-9]|5[0-2]", title: "A number of cards" });
  const submit = (event) => {
    event.preventDefault();
    const { outcome, note } = form;
    const said = { place: form.at || places[0], expected: Number(form.expected), found: Number(form.found), outcome };
    tell("misdeal", { ...said, note: note.trim() }, { misdeal: said }, `Misdeal, ${said.place}: ${said.found} cards`);
    if (outcome === "void") act({ do: "void", reason: "misdeal", detail: note.trim() });
    ui.misdeal = null;
    event.target.closest("details").open = false;
  };
  return folded("misdealt", "misdealOpen", ui, "A wrong number of cards",
    noticed.map((one) => h("p", { class: "reported" }, `Stored: ${one.place} had ${one.found} instead of ${one.expected}; ${CAME_OF_IT.find(([outcome]) => outcome === one.outcome)[1]}.`)),
    h("form", { id: "misdeal", on: { submit } },
      h("div", { class: "fields" },
        select("misdeal-at", "Where", places.map((one) => [one, one]), form.at, write("at")), number("expected", "Cards due"), number("found", "Cards there"),
        select("misdeal-outcome", "What came of it", CAME_OF_IT, form.outcome, write("outcome")),
        field("misdeal-note", "What happened", form.note, write("note"), { required: true, maxlength: "500" })),
      h("button", { id: "misdeal-store", class: "second" }, "Store the misdeal")));
}

// ---- after settlement

/** For a progressive win: who was called, now. */
export function supervisorCalled({ ui, state, stating, tell }) {
  const { jackpots = [], supervisors = [], minutes } = state.stated ?? {};
  if (!jackpots.length) return null;
  const called = supervisors[0] ?? stating("supervisor");
  const won = `Progressive win at ${jackpots.map(place).join(", ")}`;
  if (called) return h("p", { id: "supervisor-called", class: "reported", role: "status" }, `${won}: ${called} was called.`);
  const submit = (event) => { event.preventDefault(); tell("supervisor", { supervisor: ui.supervisor }, { supervisor: ui.supervisor }, `${ui.supervisor} was called`); };
  return h("form", { id: "supervisor", class: "row-form unpaid", on: { submit } },
    h("p", { class: "step", role: "status" }, `${won}: call a supervisor${minutes ? ` within ${minutes} minutes` : ""}.`),
    field("supervisor-id", "Who was called", ui.supervisor ?? "", (text) => { ui.supervisor = text; }, { required: true, placeholder: "staff id", ...ID }),
    h("button", { id: "supervisor-store", class: "second" }, "Called now"));
}

/** All hands of the round, but for those that are tapped away. */
export function handsHeld({ ui, state, stating, tell, draw }) {
  const { round, stated } = state;
  if (round?.status !== "settled" || !stated) return null;
  const said = stated.held.length ? stated.held : stating("held");
  if (said) return h("p", { id: "hands-held", class: "reported", role: "status" }, `Held face up until paid: ${said.map(place).join(", ")}.`);
  if (ui.notHeld?.round !== round.id) ui.notHeld = { round: round.id, seats: [] };
  const left = ui.notHeld.seats;
  const seats = [...new Set(round.lines.map((line) => line.seat))].sort((one, other) => one - other);
  const held = seats.filter((seat) => !left.includes(seat));
  const press = (seat) => () => { ui.notHeld.seats = left.includes(seat) ? left.filter((one) => one !== seat) : [...left, seat]; draw(); };
  return folded("held", "heldOpen", ui, "Hands were held face up until paid",
    h("div", { class: "row-buttons", role: "group", "aria-label": "Whose hands" }, seats.map((seat) => button(`held-${seat}`, String(seat), press(seat), { kind: "pad", pressed: held.includes(seat), label: `Seat ${seat}` }))),
    button("held-store", held.length ? `Held: ${held.map(place).join(", ")}` : "Nobody's", () => tell("held-hands", { seats: held }, { held }, "Hands held face up until paid"), { kind: "second", disabled: !held.length }));
}
