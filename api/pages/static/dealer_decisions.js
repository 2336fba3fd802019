// Decisions: a row for each hand that is to decide, and one tap for everybody else.

import { button, field, h } from "./dealer_drawing.js";
import { askedLater } from "./dealer_forecast.js";
import { asAmount, cents, choiceWords, many, money, shown } from "./dealer_words.js";

export const GIVES_UP = ["fold", "surrender"];

/** A decision that was taken keeps its row while others are open: so that nothing moves under the finger.
 * Where seats decide in turn, what a later one chose is kept and goes out when it is their turn. */
export function decisions(screen, entries, optional) {
  const { ui, state, facts } = screen;
  const later = askedLater(state, facts);
  const open = new Map([...entries, ...later].map((entry) => [keyOf(entry), entry]));
  for (const key of Object.keys(ui.planned)) if (!open.has(key)) delete ui.planned[key];
  for (const [key, entry] of open) if (!ui.rows.some((row) => row.key === key)) ui.rows.push({ key, name: deciding(state, entry) });
  const waits = new Set(later.map(keyOf));
  const rows = ui.rows.map(({ key, name }) => {
    const entry = open.get(key);
    if (!entry) return h("div", { id: `decided-${key}`, class: "decision" }, h("p", { class: "step" }, name), h("p", { class: "decided" }, ui.decided[key] ?? "decided"));
    return h("div", { id: `decision-${key}`, class: "decision", role: "group", "aria-label": name }, h("p", { class: "step" }, name),
      h("div", { class: "row-buttons choices" }, entry.choices.flatMap((choice) => choiceButtons(screen, entry, choice, name, waits.has(key)))));
  });
  return h("div", { id: "decisions", "data-grid": "" }, h("h2", {}, optional ? "Decisions, for those who want them" : "Decisions"), rows, everybody(screen, entries, later));
}

export const keyOf = ({ seat, hand, bettor }) => `${seat}-${hand ?? 1}-${bettor ?? ""}`;

function deciding({ session }, entry) {
  const seated = session.players[entry.seat];
  const who = entry.bettor ? `${entry.bettor}, behind seat ${entry.seat}` : `Seat ${entry.seat}${seated ? `, ${seated}` : ""}`;
  return `${who}${entry.hand && entry.hand > 1 ? `, hand ${entry.hand}` : ""}`;
}

const named = (entry) => ({ do: "decide", seat: entry.seat, ...(entry.hand ? { hand: entry.hand } : {}), ...(entry.bettor ? { bettor: entry.bettor } : {}) });

/** Sends a decision, and those that were chosen for the seats after it. */
function take({ ui, state, facts, act }, entry, decided) {
  const later = askedLater(state, facts);
  const actions = [{ ...named(entry), ...decided }];
  ui.decided[keyOf(entry)] = choiceWords(decided);
  for (const next of later) {
    const planned = ui.planned[keyOf(next)];
    if (!planned || entry.bettor) break;
    ui.decided[keyOf(next)] = choiceWords(planned);
    actions.push({ ...named(next), ...planned });
  }
  act(actions);
}

function choiceButtons(screen, entry, choice, who, waits) {
  const { ui, state, draw } = screen;
  const key = keyOf(entry);
  const id = `decide-${key}-${choice.choice}`;
  const plan = (decided) => { if (same(ui.planned[key], decided)) delete ui.planned[key]; else ui.planned[key] = decided; draw(); };
  const kind = `pad roomy ${GIVES_UP.includes(choice.choice) ? "gives-up" : ""}${choice.times ? "raises" : ""}`;
  const one = (decided, name) => button(name, choiceWords(decided), () => (waits ? plan(decided) : take(screen, entry, decided)),
    { kind, pressed: waits ? same(ui.planned[key], decided) : undefined, label: `${who}: ${choiceWords(decided)}${waits ? ", when it is their turn" : ""}` });
  if (choice.times) return many(choice.times).map((times) => one({ choice: choice.choice, times }, `${id}-${times}`));
  if (!choice.max) return [one({ choice: choice.choice }, id)];
  const chip = cents(state.rules.chip);
  const most = cents(choice.max);
  const wanted = ui.wanted[id] ?? money(most - (most % chip) || most); // at most so much, in whole chips
  return [h("span", { class: "with-amount" }, field(`${id}-amount`, `at most ${shown(choice.max)}`, wanted, (text) => { ui.wanted[id] = text; }, { inputmode: "decimal", "aria-label": `${who}: ${choice.choice}, at most ${shown(choice.max)}` }),
    button(id, choice.choice, () => take(screen, entry, { choice: choice.choice, amount: asAmount(ui.wanted[id] ?? wanted) }), { kind: "pad roomy", label: `${who}: ${choice.choice}` }))];
}

const same = (one, other) => Boolean(one) && one.choice === other.choice && (one.times ?? null) === (other.times ?? null);

// ---- everybody else

/** What all who are still to decide could choose alike; a raise is named by one seat at a time. */
function everybody({ ui, act }, entries, later) {
  const all = [...entries, ...later];
  if (all.length < 2) return null;
  const simple = (entry) => entry.choices.filter((one) => !one.times && !one.max).map((one) => one.choice);
  const choices = simple(all[0]).filter((choice) => all.every((entry) => simple(entry).includes(choice)));
  const send = (choice) => () => {
    act(all.map((entry) => {
      const decided = ui.planned[keyOf(entry)] ?? { choice };
      ui.decided[keyOf(entry)] = choiceWords(decided);
      return { ...named(entry), ...decided };
    }));
  };
  const verb = { check: "checks", fold: "folds", play: "plays", stand: "stands" };
  return choices.length ? h("div", { class: "row-buttons everybody" }, choices.map((choice) => button(`all-${choice}`, `Everybody else ${verb[choice] ?? `: ${choice}`}`, send(choice), { kind: `big ${GIVES_UP.includes(choice) ? "second" : ""}` }))) : null;
}
