// What may be done now in a round: a piece of the screen for each kind of entry of `expects`.

import { betting } from "./dealer_bets.js";
import { cardWork } from "./dealer_cards.js";
import { decisions } from "./dealer_decisions.js";
import { button, field, folded, h, select } from "./dealer_drawing.js";
import { deckInPlay, misdeal } from "./dealer_round_facts.js";
import { inWords, many, place } from "./dealer_words.js";

/** `guessed`: something waits to be sent, and these are the entries that still hold after it. `back`: how the last entry is undone. */
export function offers(screen, entries, guessed, back) {
  const { act, facts, ui } = screen;
  const of = (what) => entries.filter((entry) => entry.do === what);
  // Where the cards go on as well, whoever may decide need not: insurance, following a double, a tip's play wager.
  const optional = ["deal", "peek", "settle"].some((what) => of(what).length) || of("reveal").some((entry) => typeof many(entry.of)[0] === "string");
  if (!of("decide").length) Object.assign(ui, { rows: [], decided: {}, wanted: {}, planned: {} });
  return [
    ...of("bet").map((entry) => betting(screen, entry, facts)),
    of("decide").length ? decisions(screen, of("decide"), optional) : null,
    of("peek").length ? h("div", { id: "peek" }, h("h2", {}, "The hole card"), h("div", { class: "row-buttons" },
      button("peek-no", "No Pure 21.5", () => act({ do: "peek", pure: false }), { kind: "big" }), button("peek-yes", "It is a Pure 21.5", () => act({ do: "peek", pure: true }), { kind: "big second" }))) : null,
    of("settle").length ? button("settle", "Settle", () => act({ do: "settle" }), { kind: "big" }) : null,
    ...cardWork(screen, entries, (!of("decide").length || optional) && !of("settle").length),
    ...of("reveal").filter((entry) => !entry.count).flatMap((entry) => many(entry.of))
      .map((one) => button(`reveal-${one}`, `Turn over ${place(one)}`, () => act({ do: "reveal", of: one }), { kind: "big second" })),
    of("close_bets").length ? closing(screen, guessed) : null,
    of("close_bets").length || screen.state.stated?.deck === screen.state.stated?.due ? null : deckInPlay(screen),
    back,
    misdeal(screen),
    of("void").length && !guessed ? voiding(screen) : null,
  ];
}

/** What the rules will not accept is said as the wagers are entered. */
function closing(screen, guessed) {
  const { act, state } = screen;
  const wrong = guessed ? null : state.closing;
  return h("div", { id: "closing", class: "stack" },
    wrong ? h("p", { id: "not-yet", class: "hint", role: "status" }, inWords(wrong.detail)) : null,
    h("div", { class: "row-buttons" }, deckInPlay(screen), button("close-bets", "No more bets", () => act({ do: "close_bets" }), { kind: `big${wrong ? " second" : ""}` })));
}

// ---- voiding

function voiding({ ui, act }) {
  return folded("void-open", "voidOpen", ui, "Void the round",
    h("p", { class: "hint" }, "Nothing is undone: what was recorded stays, and a voided round gives every wager back."),
    h("div", { class: "fields" },
      select("void-reason", "Reason", [["misdeal", "misdeal"], ["malfunction", "malfunction"], ["irregularity", "irregularity"]], ui.void.reason, (value) => { ui.void.reason = value; }),
      field("void-detail", "What happened", ui.void.detail, (text) => { ui.void.detail = text; }, { maxlength: "500" })),
    button("void", "Void the round", () => { const { reason, detail } = ui.void; ui.void = { reason: "misdeal", detail: "" }; ui.voidOpen = false; act({ do: "void", reason, ...(detail.trim() ? { detail: detail.trim() } : {}) }); }, { kind: "danger" }));
}
