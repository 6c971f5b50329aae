/**
 * The search for a leak: is there a set of fixed patterns that reads every seed-dependent value of `solution()` off
 * that seed's first observation? Values that have to be computed, chosen or found out have no fixed place.
 */
import { alignedLeak } from "./leak-aligned.ts";
import { type Instance, type Leak, leakShare, Tokens } from "./leak-instances.ts";
import { sequenceLeak } from "./leak-sequence.ts";
import { type Grain, grains } from "./leak-tokens.ts";

/** The leaks that the instances (at least 8, of different seeds) show, searched for as they are asked for. */
export function* findLeaks(instances: readonly Instance[]): Generator<Leak> {
  for (const grain of grains) {
    if (!worthTrying(grain, instances)) continue;
    const tokens = instances.map((instance) => new Tokens(instance, grain));
    for (const search of [alignedLeak, sequenceLeak]) {
      const leak = search(tokens, grain);
      if (leak !== null && tellsApart(leak, instances)) yield leak;
    }
  }
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
  const some = (pattern: RegExp) =>
    instances.some(({ solution }) => solution.some((action) => pattern.test(action)));
  switch (grain) {
    case "words":
      return true;
    case "runs":
      return some(/\p{L}\p{N}|\p{N}\p{L}|_/u);
    case "digits":
      return some(/\d/);
    case "characters":
      return some(/(?<![\p{L}\p{N}])[\p{L}\p{N}](?![\p{L}\p{N}])/u);
  }
}
