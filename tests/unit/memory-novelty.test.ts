/** The novelty of the memory: what counts as known. */
import { describe, expect, it } from "vitest";
import { memoryOf } from "../../graph/memory/memory.ts";
import { noveltyIndexOf, readFingerprint } from "../../graph/memory/novelty.ts";
import { fingerprintOf } from "../../sandbox/admission/fingerprint.ts";
import { environment, scored } from "../support/memories.ts";

describe("novelty", () => {
  const source = (limit: number): string => `class DialEnv {
  static maxTurns = 9;
  reset(seed) { this.secret = (seed * 31 + 7) % ${limit}; this.turn = 0; return { observation: "Turn the dial.", info: {} }; }
  step(action) {
    this.turn += 1;
    const value = Number(/turn (\\d+)/.exec(action)?.[1] ?? -1);
    const won = value === this.secret;
    return { observation: won ? "open" : value < this.secret ? "more" : "less", reward: won ? 1 : 0, terminated: won, truncated: this.turn >= 9, info: {} };
  }
  solution() { return ["turn " + this.secret]; }
}`;

  it("is held against the fingerprints in memory", () => {
    const print = fingerprintOf(source(90)) ?? expect.fail();
    const stored = { structure: [...print.structure], literals: [...print.literals] };
    const memory = memoryOf([
      environment("known", scored(0.5), { fingerprint: stored }),
      environment("unparsed", scored(0.5), { fingerprint: null, slot: 1 }),
      environment("foreign", scored(0.5), { fingerprint: { structure: "?" }, slot: 2 }),
    ]);
    const index = noveltyIndexOf(memory);
    const renamed = fingerprintOf(source(90).replaceAll("secret", "hidden").replace("DialEnv", "KnobEnv"));
    expect(index.nearest(renamed ?? expect.fail())?.id).toBe("known");
    const other = fingerprintOf(
      "class OtherEnv { reset() { return [1, 2, 3]; } step(a) { return a.length; } }",
    );
    expect(index.nearest(other ?? expect.fail())).toBeNull();
  });

  it("reads stored fingerprints, and refuses what is none", () => {
    expect(readFingerprint({ structure: [1], literals: [4_294_967_295] })).toEqual({
      structure: [1],
      literals: [4_294_967_295],
    });
    for (const bad of [
      null,
      1,
      {},
      { structure: [1] },
      { structure: [1], literals: [] },
      { structure: [-1], literals: [1] },
    ]) {
      expect(readFingerprint(bad)).toBeNull();
    }
  });
});
