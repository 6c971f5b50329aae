/**
 * The search for a leak: is there a set of fixed patterns that reads every seed-dependent value of `solution()` off
 * that seed's first observation? Values that have to be computed, chosen or found out have no fixed place.
 */
import { Document, type FixedPattern, findReader, readPlace } from "./fixed-patterns.ts";
import { type Grain, grains, isPunctuation, normal, rawTokens } from "./leak-tokens.ts";

export interface Instance {
  readonly seed: number;
  readonly observation: string;
  readonly solution: readonly string[];
}

/** A way in which the solution can be read off. */
export interface Leak {
  /** Seeds of the given instances on which every value is read. */
  readonly seeds: readonly number[];
  /** Where one of the values stands, for the sentence to the designer. */
  readonly example: { readonly seed: number; readonly context: string; readonly value: string };
  /** Whether the same patterns read the whole solution of another instance. */
  reads(instance: Instance): boolean;
}

/** A leak reads at least this share of the seeds; patterns that a few seeds happen to fit are none. */
export const leakShare = 0.75;

/** The leak that the instances (at least 8, of different seeds) show, null if there is none. */
export function findLeak(instances: readonly Instance[]): Leak | null {
  for (const grain of grains) {
    if (!worthTrying(grain, instances)) continue;
    const leak = alignedLeak(instances, grain) ?? sequenceLeak(instances, grain);
    if (leak !== null && tellsApart(leak, instances)) return leak;
  }
  return null;
}

/**
 * Whether a leak also reads the solutions that differ from the most frequent one. Reading the same constant
 * everywhere tells nothing, even if it is right on most seeds.
 */
export function tellsApart(leak: Leak, instances: readonly Instance[]): boolean {
  const counts = new Map<string, number>();
  for (const { solution } of instances) {
    const key = solution.join("\n");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const most = Math.max(...counts.values());
  const usual = [...counts].find(([, count]) => count === most)?.[0];
  const others = instances.filter(({ solution }) => solution.join("\n") !== usual);
  const read = others.filter((instance) => leak.reads(instance));
  return others.length > 0 && read.length >= others.length * leakShare;
}

/** The finer grains only matter where values are written together (`r2c5`) or apart (`4 7 1`). */
function worthTrying(grain: Grain, instances: readonly Instance[]): boolean {
  const joined = instances.map(({ solution }) => solution.join("\n")).join("\n");
  if (grain === "words") return true;
  if (grain === "runs") return /\p{L}\p{N}|\p{N}\p{L}|_/u.test(joined);
  if (grain === "digits") return /\d/.test(joined);
  return /(?<![\p{L}\p{N}])[\p{L}\p{N}](?![\p{L}\p{N}])/u.test(joined);
}

/** The tokens of a solution; a mark between actions keeps `take 1`, `2` and `take`, `1 2` apart. */
function solutionTokens(solution: readonly string[], grain: Grain): string[] {
  return rawTokens(solution.join("\n"), grain).map(normal);
}

interface Prepared {
  readonly instance: Instance;
  readonly document: Document;
  readonly tokens: readonly string[];
}

function prepare(instance: Instance, grain: Grain): Prepared {
  return {
    instance,
    document: new Document(rawTokens(instance.observation, grain)),
    tokens: solutionTokens(instance.solution, grain),
  };
}

/** How to read the solutions of one length: at each varying position, patterns for its value. */
interface AlignedGroup {
  readonly constants: ReadonlyMap<number, string>;
  readonly readers: ReadonlyMap<number, readonly FixedPattern[]>;
}

/** Solutions of the same length compared position by position. */
function alignedLeak(instances: readonly Instance[], grain: Grain): Leak | null {
  const byLength = Map.groupBy(
    instances.map((instance) => prepare(instance, grain)),
    ({ tokens }) => tokens.length,
  );
  const groups = new Map<number, AlignedGroup>();
  const readSeeds: number[] = [];
  let unread = 0;
  let example: Leak["example"] | null = null;
  for (const [length, members] of byLength) {
    const found = members.length < 4 ? null : alignedGroup(members);
    if (found === null) {
      unread += members.length;
      if (unread > instances.length * (1 - leakShare)) return null;
      continue;
    }
    groups.set(length, found.group);
    readSeeds.push(...found.seeds);
    example ??= found.example;
  }
  if (example === null || readSeeds.length < instances.length * leakShare) return null;
  const reads = (instance: Instance) => {
    const { document, tokens } = prepare(instance, grain);
    const group = groups.get(tokens.length);
    return group !== undefined && readsAll(group, document, tokens);
  };
  return { seeds: readSeeds, example, reads };
}

function alignedGroup(
  members: readonly Prepared[],
): { group: AlignedGroup; seeds: number[]; example: Leak["example"] | null } | null {
  const constants = new Map<number, string>();
  const readers = new Map<number, readonly FixedPattern[]>();
  let reads = members.map(() => true);
  let example: Leak["example"] | null = null;
  const enough = members.length * leakShare;
  for (const position of members[0]?.tokens.keys() ?? []) {
    const values = members.map(({ tokens }) => tokens[position] ?? "");
    const first = values[0] ?? "";
    if (values.every((value) => value === first)) {
      constants.set(position, first);
      continue;
    }
    const places = members.map(({ document }, i) => placesOf(document, values[i] ?? ""));
    if (places.filter((set) => set.size > 0).length < enough) return null;
    const reader = findReader(
      members.map(({ document }) => document),
      places,
    );
    reads = reads.map((read, i) => read && (reader.reads[i] ?? false));
    if (reads.filter((read) => read).length < enough) return null;
    readers.set(position, reader.patterns);
    example ??= exampleOf(members, reader.patterns, reads);
  }
  const seeds = members.filter((_, i) => reads[i]).map(({ instance }) => instance.seed);
  return { group: { constants, readers }, seeds, example };
}

function placesOf(document: Document, value: string): Set<number> {
  const places = new Set<number>();
  document.tokens.forEach((token, at) => {
    if (token === value) places.add(at);
  });
  return places;
}

function readsAll(group: AlignedGroup, document: Document, tokens: readonly string[]): boolean {
  return tokens.every((token, position) => {
    const patterns = group.readers.get(position);
    if (patterns === undefined) return group.constants.get(position) === token;
    const at = readPlace(document, patterns);
    return at !== null && document.tokens[at] === token;
  });
}

/** Solutions that stand in the observation as a whole, one token after the other, whatever their length. */
function sequenceLeak(instances: readonly Instance[], grain: Grain): Leak | null {
  const everywhere = tokensOfEveryAction(instances, grain);
  for (const withoutNumbers of [false, true]) {
    for (const spoken of [new Set<string>(), everywhere]) {
      const how = { grain, withoutNumbers, spoken };
      const leak = sequenceLeakOf(instances, how);
      if (leak !== null) return leak;
    }
  }
  return null;
}

interface SequenceReading {
  readonly grain: Grain;
  /** Leaves the numbers of a numbered list out. */
  readonly withoutNumbers: boolean;
  /** Words that every action has, such as `move`; the observation may list the rest alone. */
  readonly spoken: ReadonlySet<string>;
}

const linkWords = new Set(["then", "and", "to"]);

function compress(raw: readonly string[], { withoutNumbers, spoken }: SequenceReading): string[] {
  return raw.filter((written) => {
    const token = normal(written);
    if (isPunctuation(token) || linkWords.has(token) || spoken.has(token)) return false;
    return !withoutNumbers || !/^\p{N}+$/u.test(token);
  });
}

function sequenceLeakOf(instances: readonly Instance[], how: SequenceReading): Leak | null {
  const prepared = instances.map((instance) => {
    const document = new Document(compress(rawTokens(instance.observation, how.grain), how));
    const values = compress(rawTokens(instance.solution.join("\n"), how.grain), how).map(normal);
    return { document, values, places: startsOf(document, values) };
  });
  const long = prepared.filter(({ values }) => values.length >= 2);
  const enough = instances.length * leakShare;
  if (long.length < enough || prepared.filter(({ places }) => places.size > 0).length < enough) return null;
  const reader = findReader(
    prepared.map(({ document }) => document),
    prepared.map(({ places }) => places),
  );
  const seeds = instances.filter((_, i) => reader.reads[i]).map(({ seed }) => seed);
  const shown = prepared.findIndex((_, i) => reader.reads[i]);
  const instance = instances[shown];
  if (instance === undefined || seeds.length < enough) return null;
  const reads = (other: Instance) => {
    const document = new Document(compress(rawTokens(other.observation, how.grain), how));
    const values = compress(rawTokens(other.solution.join("\n"), how.grain), how).map(normal);
    const at = readPlace(document, reader.patterns);
    return at !== null && startsOf(document, values).has(at);
  };
  const at = readPlace(prepared[shown]?.document ?? new Document([]), reader.patterns) ?? 0;
  const context = prepared[shown]?.document.tokens.slice(Math.max(0, at - 3), at).join(" ") ?? "";
  const value = prepared[shown]?.values.join(" ") ?? "";
  return { seeds, example: { seed: instance.seed, context, value }, reads };
}

function tokensOfEveryAction(instances: readonly Instance[], grain: Grain): Set<string> {
  const actions = instances.flatMap(({ solution }) =>
    solution.map((action) => new Set(rawTokens(action, grain).map(normal))),
  );
  const [first, ...others] = actions;
  return new Set([...(first ?? [])].filter((token) => others.every((tokens) => tokens.has(token))));
}

function startsOf(document: Document, values: readonly string[]): Set<number> {
  const starts = new Set<number>();
  if (values.length === 0) return starts;
  for (let at = 0; at + values.length <= document.tokens.length; at += 1) {
    if (values.every((value, i) => document.tokens[at + i] === value)) starts.add(at);
  }
  return starts;
}

function exampleOf(
  members: readonly Prepared[],
  patterns: readonly FixedPattern[],
  reads: readonly boolean[],
): Leak["example"] | null {
  const member = members.find((_, i) => reads[i]);
  if (member === undefined) return null;
  const at = readPlace(member.document, patterns);
  if (at === null) return null;
  const { tokens } = member.document;
  const context = tokens
    .slice(Math.max(0, at - 3), at)
    .join(" ")
    .trim();
  return { seed: member.instance.seed, context, value: tokens[at] ?? "" };
}
