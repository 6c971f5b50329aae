/**
 * Explore: draw the map as it is seen, take what is wanted where it lies, and go where the sum of the way there and of
 * what the hum promises is least.
 */
import { stateKeys } from "../../mechanics/conventions.ts";
import { fill } from "../commands.ts";
import { latest, readNames, type View } from "../view.ts";
import { followReferences } from "./explore-tools.ts";

interface Way {
  /** As the exits call it: the name of the place behind it, or a direction. */
  readonly exit: string;
  /** The place behind it; a name of its own where that was never seen. */
  readonly to: string;
}

interface Atlas {
  /** Safe ways out of the places that were seen. */
  readonly ways: ReadonlyMap<string, readonly Way[]>;
  /** The hum at the places visited since what is held last changed. */
  readonly hums: ReadonlyMap<string, number>;
  /** What lay at a place when it was last seen. */
  readonly lying: ReadonlyMap<string, string>;
  /** Places where something was done to what lies there, to no avail, since anything was last taken. */
  readonly tried: ReadonlySet<string>;
}

const opposite: Readonly<Record<string, string>> = {
  north: "south",
  south: "north",
  east: "west",
  west: "east",
  up: "down",
  down: "up",
  left: "right",
  right: "left",
  in: "out",
  out: "in",
};

export function explore(view: View): string | null {
  if (view.kind === "tool-use") return followReferences(view);
  const { state } = latest(view);
  const place = state.get(stateKeys.place);
  if (place === undefined) return null;
  const atlas = readAtlas(view);
  const action = atlas.tried.has(place) ? null : handle(view, state.get(stateKeys.here) ?? "nothing");
  if (action !== null) return action;
  const exit = nextExit(atlas, place);
  return exit === null ? null : walk(view, exit);
}

/** The command that goes through an exit: one with a slot for it, or one that names it. */
function walk(view: View, exit: string): string | null {
  const going = view.commands.filter((command) =>
    /^(?:go|move|walk|enter|visit|travel)\b/.test(command.form),
  );
  for (const command of going) {
    const slot = /^[a-z]+ <([a-z]+)>$/.exec(command.form)?.[1];
    if (slot !== undefined) return fill(command, { [slot]: exit });
  }
  return view.commands.find(({ form }) => form === exit || form.endsWith(` ${exit}`))?.form ?? null;
}

/** What to do with a thing that lies here, if the hum, where there is one, says that it is what is needed next. */
function handle(view: View, here: string): string | null {
  const { state } = latest(view);
  if (here === "nothing" || (state.get(stateKeys.hum) ?? "0") !== "0") return null;
  const verbs = here === "door" ? /^(?:unlock|open|use)\b/ : /^(?:take|get|pick|grab|collect)\b/;
  const command =
    view.commands.find(({ form }) => form.endsWith(` ${here}`)) ??
    view.commands.find(({ form }) => verbs.test(form));
  if (command === undefined) return null;
  return fill(command, Object.fromEntries(Object.keys(command.slots).map((name) => [name, here])));
}

function readAtlas(view: View): Atlas {
  const exits = new Map<string, readonly string[]>();
  const behind = new Map<string, string>();
  const lying = new Map<string, string>();
  const tried = new Set<string>();
  let hums = new Map<string, number>();
  let held: string | undefined;
  let before: string | undefined;
  for (const { action, state } of view.moments) {
    const place = state.get(stateKeys.place);
    if (place === undefined) continue;
    const holding = state.get(stateKeys.holding);
    if (holding !== held) hums = new Map();
    held = holding;
    exits.set(
      place,
      readNames(state.get(stateKeys.exits)).filter((name) => !name.includes("(")),
    );
    const through = action?.split(" ").slice(1).join(" ") ?? "";
    if (before !== undefined && before !== place && exits.get(before)?.includes(through)) {
      behind.set(`${before}/${through}`, place);
      const back = opposite[through];
      if (back !== undefined && !behind.has(`${place}/${back}`)) behind.set(`${place}/${back}`, before);
    }
    const here = state.get(stateKeys.here) ?? "nothing";
    if (before === place && here !== "nothing" && lying.get(place) === here) tried.add(place);
    if (before === place && here === "nothing" && lying.get(place) !== here) tried.clear();
    before = place;
    lying.set(place, here);
    const hum = Number(state.get(stateKeys.hum) ?? Number.NaN);
    if (Number.isFinite(hum)) hums.set(place, hum);
  }
  const ways = new Map(
    [...exits].map(([place, names]) => [
      place,
      names.map((exit) => ({ exit, to: behind.get(`${place}/${exit}`) ?? elsewhere(place, exit) })),
    ]),
  );
  return { ways, hums, lying, tried };
}

/** What to call a place that was never seen: exits are names of places, unless they are directions. */
function elsewhere(place: string, exit: string): string {
  return opposite[exit] === undefined ? exit : `${exit} of ${place}`;
}

/**
 * The first exit on the way to the most promising place that the present hum was not heard at: steps there plus the
 * hum expected there. Null where there is none.
 */
function nextExit(atlas: Atlas, from: string): string | null {
  const heard = [...atlas.hums].map(([place, hum]) => ({
    place,
    hum,
    near: distances(atlas.ways, place),
    // One way out leads nearer; if it is known, the others lead away.
    nearer: (atlas.ways.get(place) ?? []).some((way) => atlas.hums.get(way.to) === hum - 1),
  }));
  let best: { exit: string; cost: number } | null = null;
  for (const [place, { steps, exit }] of distances(atlas.ways, from)) {
    if (exit === null || atlas.hums.has(place)) continue;
    const expected = heard.map(({ hum, near, nearer }) => {
      const away = near.get(place)?.steps;
      if (away === undefined) return 0;
      return away === 1 && nearer ? hum + 1 : hum - away;
    });
    // What is sought is rather at a place that was never seen.
    const cost = steps + Math.max(0, ...expected) + (atlas.ways.has(place) ? seenBefore(atlas, place) : 0);
    if (best === null || cost < best.cost) best = { exit, cost };
  }
  return best?.exit ?? null;
}

/** The steps that a place is worth less for having been seen; nothing, if something lies there. */
function seenBefore(atlas: Atlas, place: string): number {
  if ((atlas.lying.get(place) ?? "nothing") !== "nothing" && !atlas.tried.has(place)) return 0;
  return atlas.hums.size > 0 ? 0.5 : 20;
}

/** Steps along known ways from a place, and the first exit to take. */
function distances(
  ways: Atlas["ways"],
  from: string,
): Map<string, { readonly steps: number; readonly exit: string | null }> {
  const known = new Map<string, { steps: number; exit: string | null }>([[from, { steps: 0, exit: null }]]);
  const queue = [from];
  for (let head = 0; head < queue.length; head += 1) {
    const place = queue[head] ?? from;
    const reached = known.get(place);
    for (const way of ways.get(place) ?? []) {
      if (reached === undefined || known.has(way.to)) continue;
      known.set(way.to, { steps: reached.steps + 1, exit: reached.exit ?? way.exit });
      queue.push(way.to);
    }
  }
  return known;
}
