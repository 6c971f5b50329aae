/**
 * Leaks value by value: solutions with the same number of tokens are compared position by position, and every
 * position that varies with the seed must have fixed patterns that read it.
 */
import { Document, type FixedPattern, findReader, readPlace } from "./fixed-patterns.ts";
import { type Instance, type Leak, type LeakExample, leakShare, mostPass, Tokens } from "./leak-instances.ts";
import type { Grain } from "./leak-tokens.ts";

/** Solutions of one length in fewer instances tell chance and pattern not apart. */
const fewestInGroup = 4;

/** How to read the solutions of one length: what stays the same, and patterns for what varies. */
interface Group {
  readonly constants: ReadonlyMap<number, string>;
  readonly readers: ReadonlyMap<number, readonly FixedPattern[]>;
}

export function alignedLeak(all: readonly Tokens[], grain: Grain): Leak | null {
  const groups = new Map<number, Group>();
  const seeds: number[] = [];
  let unread = 0;
  let example: LeakExample | null = null;
  for (const [length, members] of Map.groupBy(all, ({ solution }) => solution.length)) {
    const found = members.length < fewestInGroup ? null : readGroup(members);
    if (found === null) {
      unread += members.length;
      if (unread > all.length * (1 - leakShare)) return null;
      continue;
    }
    groups.set(length, found.group);
    seeds.push(...found.seeds);
    example ??= found.example;
  }
  if (example === null || seeds.length < all.length * leakShare) return null;
  const reads = (instance: Instance) => {
    const tokens = new Tokens(instance, grain);
    const group = groups.get(tokens.solution.length);
    return (
      group !== undefined && readsAll(group, new Document(tokens.raw, tokens.observation), tokens.solution)
    );
  };
  return { seeds, example, reads };
}

function readGroup(
  members: readonly Tokens[],
): { group: Group; seeds: number[]; example: LeakExample | null } | null {
  const varying = varyingPositions(members);
  if (!mayBeRead(members, varying)) return null;
  const documents = members.map(({ raw, observation }) => new Document(raw, observation));
  const readers = new Map<number, readonly FixedPattern[]>();
  const enough = members.length * leakShare;
  let reads = members.map(() => true);
  let example: LeakExample | null = null;
  for (const position of varying) {
    const places = documents.map((document, i) => document.placesOf(members[i]?.solution[position] ?? ""));
    const reader = findReader(documents, places);
    reads = reads.map((read, i) => read && (reader.reads[i] ?? false));
    if (reads.filter((read) => read).length < enough) return null;
    readers.set(position, reader.patterns);
    example ??= exampleOf(members, documents, reader.patterns, reads);
  }
  const constants = new Map(
    [...(members[0]?.solution.entries() ?? [])].filter(([position]) => !readers.has(position)),
  );
  const seeds = members.filter((_, i) => reads[i]).map(({ instance }) => instance.seed);
  return { group: { constants, readers }, seeds, example };
}

function varyingPositions(members: readonly Tokens[]): number[] {
  const [first, ...others] = members.map(({ solution }) => solution);
  return [...(first?.keys() ?? [])].filter((position) =>
    others.some((solution) => solution[position] !== first?.[position]),
  );
}

/** Whether the varying values occur in their observations at all: cheap, and most environments end here. */
function mayBeRead(members: readonly Tokens[], varying: readonly number[]): boolean {
  return mostPass(members, ({ written, solution }) =>
    varying.every((position) => written.has(solution[position] ?? "")),
  );
}

function readsAll(group: Group, document: Document, solution: readonly string[]): boolean {
  return solution.every((token, position) => {
    const patterns = group.readers.get(position);
    if (patterns === undefined) return group.constants.get(position) === token;
    const at = readPlace(document, patterns);
    return at !== null && document.tokens[at] === token;
  });
}

function exampleOf(
  members: readonly Tokens[],
  documents: readonly Document[],
  patterns: readonly FixedPattern[],
  reads: readonly boolean[],
): LeakExample | null {
  const shown = reads.indexOf(true);
  const document = documents[shown];
  const member = members[shown];
  const at = document === undefined ? null : readPlace(document, patterns);
  if (document === undefined || member === undefined || at === null) return null;
  const context = document.tokens
    .slice(Math.max(0, at - 3), at)
    .join(" ")
    .trim();
  return { seed: member.instance.seed, context, value: document.tokens[at] ?? "" };
}
