// Words and amounts: what is said of actions, and money as text.

export const many = (value) => (Array.isArray(value) ? value : [value]);

export const words = (name) => String(name).replaceAll("_", " ");

/** What a refusal says to programs of a `field.of_theirs`, for people. */
export const inWords = (detail) => detail.replace(/`(?:[a-z0-9_]+(?:\[[0-9]+\])?\.)*([a-z][a-z0-9_]*)`/g, (_, name) => `“${words(name)}”`);

export function place(name) {
  if (typeof name === "number") return `seat ${name}`;
  return { dealer: "the dealer hand", board: "the board", burn: "the burn pile", flop: "the flop", turn_river: "the turn and river" }[name] ?? name;
}

/** An action in words. Cards are not named: what was dealt face down is never shown again. */
export function said(action) {
  const hand = action.hand && action.hand > 1 ? `, hand ${action.hand}` : "";
  switch (action.do) {
    case "bet": return `$${action.amount} on ${words(action.spot)}, seat ${action.seat}${action.bettor ? `, ${action.bettor}` : ""}`;
    case "withdraw": return `Take back ${action.amount ? `$${action.amount}` : "all"} of ${words(action.spot)}, seat ${action.seat}${action.bettor ? `, ${action.bettor}` : ""}`;
    case "close_bets": return "No more bets";
    case "deal": return `${action.cards.length === 1 ? "A card" : `${action.cards.length} cards`} to ${place(action.to)}${hand}`;
    case "reveal": return `Turn over ${place(action.of)}`;
    case "decide": return `Seat ${action.seat}${hand}: ${choiceWords(action)}${action.bettor ? `, ${action.bettor}` : ""}`;
    case "peek": return "The hole card was looked at";
    case "settle": return "Settle";
    case "void": return `Void: ${action.reason}`;
  }
  return action.do;
}

/** Several that are one request. */
export function saidOfAll(actions) {
  if (actions.length === 1) return said(actions[0]);
  const kinds = new Set(actions.map((action) => action.do));
  if (kinds.size === 1 && kinds.has("deal")) return `${actions.length} packets dealt`;
  return actions.map(said).join("; ");
}

export function choiceWords(choice) {
  if (choice.times) return `raise ${choice.times}×`;
  if (choice.amount) return `${choice.choice} for $${choice.amount}`;
  return choice.choice;
}

// ---- money: cents inside, text with two decimals outside

export const cents = (text) => Math.round(Number(text.replace(/,(?=\d{3}(?!\d))/g, "")) * 100); // not a number where it is none
export const money = (amount) => `${Math.trunc(amount / 100)}.${String(amount % 100).padStart(2, "0")}`;
/** What somebody wrote, as an amount; what is none goes out as it is, and the service says so. */
export const asAmount = (text) => (Number.isFinite(cents(text)) ? money(cents(text)) : text);
export const shown = (text) => `$${text.replace(/\B(?=(\d{3})+(?!\d))/g, ",")}`;
