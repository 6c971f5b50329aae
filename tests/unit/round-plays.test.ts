/** How many plays an environment gets, and which of its isolates the next play may have. */
import { describe, expect, test } from "vitest";
import { playsOf } from "../../graph/planned-episodes.ts";
import { SharedHandles } from "../../graph/shared-handles.ts";
import type { EnvironmentHandle } from "../../sandbox/sandbox.ts";

describe("an environment's plays", () => {
  test("are those of its round, with fewer hinted ones where that is asked for", () => {
    expect(playsOf({ plays: 8 }, 4, 2, 0)).toEqual({ plain: 8, hinted: 8 });
    expect(playsOf({ plays: 8, hintedPlays: 2 }, 4, 2, 1)).toEqual({ plain: 8, hinted: 2 });
    expect(playsOf({ plays: 8, hintedPlays: 0, fill: true }, 4, 2, 1)).toEqual({ plain: 16, hinted: 0 });
  });

  test("take up those of the ones that can't be played, to the last one", () => {
    const all = [0, 1, 2].map((index) => playsOf({ plays: 5, hintedPlays: 2, fill: true }, 5, 3, index));
    expect(all.map(({ plain }) => plain)).toEqual([9, 8, 8]);
    expect(all.map(({ hinted }) => hinted)).toEqual([4, 3, 3]);
  });
});

/** A handle that notes when it is closed; its steps fail if it is `broken`. */
function handleOf(name: string, closed: string[], broken = false): EnvironmentHandle {
  const observation = { observation: name, info: {} };
  return {
    shape: { className: name, kind: "game", maxTurns: 1, singleInstance: false, hasSolution: false },
    reset: async () => ({ ok: true, value: observation }),
    step: async () =>
      broken
        ? { ok: false, failure: { verdict: "environment-threw", call: "step", turn: 0, detail: "no" } }
        : { ok: true, value: { ...observation, reward: 0, terminated: false, truncated: false } },
    solution: async () => ({ ok: true, value: null }),
    tools: async () => ({ ok: true, value: [] }),
    run: () => Promise.reject(new Error("not asked for")),
    runAll: () => Promise.reject(new Error("not asked for")),
    close: async () => void closed.push(name),
  };
}

describe("an isolate that is shared", () => {
  test("is the next play's of the same source, unless a call of it failed", async () => {
    const closed: string[] = [];
    const shared = new SharedHandles(4);
    const sound = shared.lend("a", handleOf("sound", closed));
    await sound.step("x");
    await sound.close();
    expect(shared.take("b")).toBeUndefined();
    const again = shared.take("a");
    expect(again?.shape.className).toBe("sound");
    expect(shared.take("a")).toBeUndefined();

    const broken = shared.lend("a", handleOf("broken", closed, true));
    await broken.step("x");
    await broken.close();
    expect(closed).toEqual(["broken"]);
    expect(shared.take("a")).toBeUndefined();
  });

  test("is closed when too many are idle, the one longest unused first, and when it comes back too late", async () => {
    const closed: string[] = [];
    const shared = new SharedHandles(2);
    const late = shared.lend("late", handleOf("late", closed));
    for (const name of ["a", "b", "c"]) await shared.lend(name, handleOf(name, closed)).close();
    expect(closed).toEqual(["a"]);
    await shared.close();
    expect(closed).toEqual(["a", "b", "c"]);
    await late.close();
    expect(closed).toEqual(["a", "b", "c", "late"]);
  });
});
