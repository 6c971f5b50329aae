/**
 * Explore: draw the map as it is seen, take what is wanted where it lies, and go where the sum of the way there and of
 * what the hum promises is least.
 */
import { stateKeys } from "../../mechanics/conventions.ts";
import { fill } from "../commands.ts";
import { latest, readNames, type View } from "../view.ts";
import { followReferences } from "./explore-tools.ts";

interface Atlas {
  /** Safe ways out of the places that were seen. */
  readonly ways: ReadonlyMap<string, readonly string[]>;
  /** The hum at the places visited since what is held last changed. */
  readonly hums: ReadonlyMap<string, number>;
  /** What lay at a place when it was last seen. */
  readonly lying: ReadonlyMap<string, string>;
}

export function explore(view: View): string | null {
  if (view.kind === "tool-use") return followReferences(view);
  const { state } = latest(view);
  const place = state.get(stateKeys.place);
  if (place === undefined) return null;
  const action = handle(view, state.get(stateKeys.here) ?? "nothing");
  if (action !== null) return action;
  const go = view.commands.find((command) =>
    /^(?:go|move|walk|enter|visit|travel) <[a-z]+>$/.test(command.form),
  );
  const slot = /<([a-z]+)>/.exec(go?.form ?? "")?.[1];
  if (go === undefined || slot === undefined) return null;
  const next = nextPlace(readAtlas(view), place);
  return next === null ? null : fill(go, { [slot]: next });
}

/** What to do with a thing that lies here, if the hum says that it is what is needed next. */
function handle(view: View, here: string): string | null {
  const { state } = latest(view);
  if (here === "nothing" || (state.get(stateKeys.hum) ?? "0") !== "0") return null;
  const verbs = here === "door" ? /^(?:unlock|open|use)\b/ : /^(?:take|get|pick|grab|collect)\b/;
  const command = view.commands.find((one) => verbs.test(one.form));
  if (command === undefined) return null;
  return fill(command, Object.fromEntries(Object.keys(command.slots).map((name) => [name, here])));
}

function readAtlas(view: View): Atlas {
  const ways = new Map<string, readonly string[]>();
  const lying = new Map<string, string>();
  let hums = new Map<string, number>();
  let held: string | undefined;
  for (const { state } of view.moments) {
    const place = state.get(stateKeys.place);
    if (place === undefined) continue;
    const holding = state.get(stateKeys.holding);
    if (holding !== held) hums = new Map();
    held = holding;
    const safe = readNames(state.get(stateKeys.exits)).filter((name) => !name.includes("("));
    ways.set(place, safe);
    lying.set(place, state.get(stateKeys.here) ?? "nothing");
    const hum = Number(state.get(stateKeys.hum) ?? Number.NaN);
    if (Number.isFinite(hum)) hums.set(place, hum);
  }
  return { ways, hums, lying };
}

/**
 * The first step of the way to the most promising place that the present hum was not heard at: steps there plus the
 * hum expected there. Null where there is none.
 */
function nextPlace(atlas: Atlas, from: string): string | null {
  const heard = [...atlas.hums].map(([place, hum]) => ({
    place,
    hum,
    near: distances(atlas.ways, place),
    // One way out leads nearer; if it is known, the others lead away.
    nearer: (atlas.ways.get(place) ?? []).some((next) => atlas.hums.get(next) === hum - 1),
  }));
  let best: { step: string; cost: number } | null = null;
  for (const [place, { steps, first }] of distances(atlas.ways, from)) {
    if (first === null || atlas.hums.has(place)) continue;
    const expected = heard.map(({ hum, near, nearer }) => {
      const away = near.get(place)?.steps;
      if (away === undefined) return 0;
      return away === 1 && nearer ? hum + 1 : hum - away;
    });
    // What is sought is rather at a place that was never seen.
    const seen =
      atlas.ways.has(place) && atlas.lying.get(place) !== "door" ? (heard.length > 0 ? 0.5 : 3) : 0;
    const cost = steps + Math.max(0, ...expected) + seen;
    if (best === null || cost < best.cost) best = { step: first, cost };
  }
  return best?.step ?? null;
}

/** Steps along known ways from a place, and the first of them. */
function distances(
  ways: Atlas["ways"],
  from: string,
): Map<string, { readonly steps: number; readonly first: string | null }> {
  const known = new Map<string, { steps: number; first: string | null }>([[from, { steps: 0, first: null }]]);
  const queue = [from];
  for (let head = 0; head < queue.length; head += 1) {
    const place = queue[head] ?? from;
    const reached = known.get(place);
    for (const next of ways.get(place) ?? []) {
      if (reached === undefined || known.has(next)) continue;
      known.set(next, { steps: reached.steps + 1, first: reached.first ?? next });
      queue.push(next);
    }
  }
  return known;
}
