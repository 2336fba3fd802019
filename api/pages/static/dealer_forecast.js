// What is certain to come without asking the service: its forecast, followed by what was stored and what waits. The
// forecast says what a seat may choose and what follows; no rule of a game is known here.

/** The entries that hold after these facts, in the form of `expects`; null where only the service knows. */
export function entriesAfter(state, facts) {
  const play = follow(state, facts);
  if (!play) return null;
  if (!play.closed) return betting(state, play);
  if (!state.ahead) return null;
  const due = packetsOf(state, play)[play.dealt];
  if (due && due.street <= play.turned.length) return [dealEntry(due), { do: "void" }];
  return state.ahead.seat ? deciding(state, play, due) : null;
}

/** The packets of the deal that come next, as far as nothing comes between them. */
export function packetsAhead(state, facts) {
  const play = follow(state, facts);
  if (!play?.closed || !state.ahead) return [];
  const rest = packetsOf(state, play).slice(play.dealt);
  return rest.filter((packet) => packet.street === rest[0].street);
}

/** The seats that will be asked on this street after the one that is asked now, in their turn. */
export function askedLater(state, facts) {
  const play = follow(state, facts);
  if (!play?.closed || !state.ahead?.seat || !state.ahead.turns.length) return [];
  return asked(state, play).slice(1);
}

/** The wagers: by seat and bettor, "" for the seated player; the kind and the cents on each spot. */
export function wagersOf(facts, seated) {
  const seats = new Map();
  for (const fact of facts.filter((one) => one.do === "bet" || one.do === "withdraw")) {
    const bettor = !fact.bettor || fact.bettor === seated(fact.seat) ? "" : fact.bettor;
    if (!seats.has(fact.seat)) seats.set(fact.seat, new Map());
    const bettors = seats.get(fact.seat);
    if (!bettors.has(bettor)) bettors.set(bettor, { kind: fact.kind ?? null, spots: {} });
    const { spots } = bettors.get(bettor);
    const lies = spots[fact.spot] ?? 0;
    const moved = fact.amount === undefined ? lies : Math.round(Number(fact.amount) * 100);
    spots[fact.spot] = fact.do === "bet" ? lies + moved : lies - moved;
    if (spots[fact.spot] <= 0) delete spots[fact.spot];
    if (!Object.keys(spots).length) bettors.delete(bettor);
    if (!bettors.size) seats.delete(fact.seat);
  }
  return seats;
}

export const seatedIn = (state) => (seat) => state.session.players[seat] ?? `seat-${seat}`;

// ---- what has happened

function follow(state, facts) {
  const play = { wagers: wagersOf(facts, seatedIn(state)), closed: false, dealt: 0, turned: [], shown: new Set(), decided: [] };
  for (const fact of facts) {
    if (["settle", "void", "peek"].includes(fact.do)) return null;
    if (fact.do === "close_bets") play.closed = true;
    if (fact.do === "deal") play.dealt += 1;
    if (fact.do === "reveal" && typeof fact.of === "number") play.shown.add(fact.of);
    else if (fact.do === "reveal") play.turned.push(fact.of);
    if (fact.do === "decide") play.decided.push(fact);
  }
  return play;
}

function packetsOf({ ahead }, play) {
  return ahead.deal.filter(({ to }) => typeof to !== "number" || play.wagers.has(to));
}

// ---- bets

function betting({ rules, round }, play) {
  const bet = round.expects.find((entry) => entry.do === "bet");
  if (!bet) return null;
  const spots = new Set([...play.wagers.values()].flatMap((bettors) => [...bettors.values()].flatMap((stakes) => Object.keys(stakes.spots))));
  const lying = play.wagers.size ? [
    { do: "withdraw", seat: [...play.wagers.keys()].sort((one, other) => one - other), spot: rules.spots.map((spot) => spot.name).filter((name) => spots.has(name)) },
    { do: "close_bets" }] : [];
  return [bet, ...lying, { do: "void" }];
}

// ---- decisions, and what is turned over

function deciding(state, play, due) {
  const { ahead } = state;
  const street = play.turned.length;
  const own = asked(state, play);
  const behind = followers(state, play);
  const entries = [...(ahead.turns.length ? own.slice(0, 1) : own), ...behind.map(({ optional, ...entry }) => entry)];
  const waits = own.length || behind.some(({ optional }) => !optional);
  const steps = longest(ahead.seat);
  if (!waits && street < steps.length) entries.push(due && due.street <= street + 1 ? dealEntry(due) : turning(state, steps[street]));
  const hidden = [...play.wagers.keys()].filter((seat) => !play.shown.has(seat));
  if (ahead.shown) entries.push(...hidden.map((seat) => turning(state, { do: "reveal", of: seat, count: ahead.shown })));
  if (!waits && street === steps.length && !hidden.length) entries.push({ do: "settle" });
  return [...entries, { do: "void" }];
}

/** What is turned over in the course of the play, along the way that takes a seat furthest. */
function longest(segment) {
  const ways = segment.asks ? segment.asks.after.map((branch) => longest(branch.then)) : [[]];
  return [...segment.turned, ...ways.reduce((best, way) => (way.length > best.length ? way : best))];
}

const sameChoice = (one, other) => one.choice === other.choice && (one.times ?? null) === (other.times ?? null);

/** Where a seat is: what comes next for it, how much is turned over before that, and its last choice. */
function walk(state, play, seat) {
  let [segment, at, last] = [state.ahead.seat, state.ahead.seat.turned.length, null];
  for (const fact of play.decided.filter((one) => one.seat === seat && isOwn(state, one))) {
    const branch = segment.asks?.after.find(({ choice }) => sameChoice(choice, fact));
    if (!branch) return null;
    last = { branch, at };
    segment = branch.then;
    at += segment.turned.length;
  }
  return { segment, at, last };
}

const isOwn = (state, fact) => !fact.bettor || fact.bettor === seatedIn(state)(fact.seat);

/** Those of the seats in play whose decision is open on this street, in their turn. */
function asked(state, play) {
  const { turns } = state.ahead;
  const seats = [...play.wagers.keys()].sort((one, other) => (turns.length ? turns.indexOf(one) - turns.indexOf(other) : one - other));
  return seats.flatMap((seat) => {
    if (!play.wagers.get(seat).get("")?.spots[state.rules.base]) return [];
    const place = walk(state, play, seat);
    return place?.segment.asks && place.at === play.turned.length ? [{ do: "decide", seat, choices: place.segment.asks.choices }] : [];
  });
}

function followers(state, play) {
  return [...play.wagers].flatMap(([seat, bettors]) => {
    const last = walk(state, play, seat)?.last;
    if (!last || last.at !== play.turned.length) return [];
    const gone = new Set(play.decided.filter((fact) => fact.seat === seat).map((fact) => fact.bettor));
    return [...bettors].flatMap(([bettor, { kind, spots }]) => {
      const open = bettor && !gone.has(bettor) && spots[state.rules.base] ? last.branch.followers[kind] : null;
      return open ? [{ do: "decide", seat, bettor, choices: open.choices, optional: open.optional }] : [];
    });
  });
}

const dealEntry = ({ to, count }) => ({ do: "deal", to, count });

/** Cards that the service has sealed need not be named. */
function turning({ sealed }, { count, ...entry }) {
  const place = ["flop", "turn_river"].includes(entry.of) ? "board" : entry.of;
  return sealed.includes(place) ? entry : { ...entry, count };
}
