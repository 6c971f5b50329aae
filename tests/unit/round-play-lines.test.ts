/** Who speaks to the model next: nobody waits beside a free line, and no long play is left to run on alone. */
import { expect, test } from "vitest";
import type { Model, ModelAnswer, ModelCall } from "../../graph/models/model.ts";
import { PlayLines } from "../../graph/play-lines.ts";

const call: ModelCall = {
  role: "agent",
  messages: [],
  seed: 1,
  temperature: 1,
  maxOutputTokens: 1,
  signal: new AbortController().signal,
};
const answer: ModelAnswer = {
  text: "",
  usage: { calls: 1, inputTokens: 0, outputTokens: 0, costUsd: 0 },
  decisions: null,
  policyVersion: null,
  ms: 1,
};

/** A model on a clock of its own: a call takes about one unit of time, no two exactly the same. */
class FakeModel implements Model {
  readonly name = "fake";
  now = 0;
  most = 0;
  #calls = 0;
  readonly #inFlight: { readonly endsAt: number; readonly end: () => void }[] = [];

  call(): Promise<ModelAnswer> {
    this.#calls += 1;
    const endsAt = this.now + 1 + ((this.#calls * 7) % 11) / 1_000;
    return new Promise((resolve) => {
      this.#inFlight.push({ endsAt, end: () => resolve(answer) });
      this.most = Math.max(this.most, this.#inFlight.length);
    });
  }

  /** Lets time pass until nobody waits for an answer any more. */
  async run(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const [next] = this.#inFlight.sort((a, b) => a.endsAt - b.endsAt).splice(0, 1);
      if (next === undefined) return;
      this.now = next.endsAt;
      next.end();
    }
  }
}

/** Plays of so many turns each, all begun at once; those in `short` end after one turn. */
async function played(
  lines: number,
  turns: readonly number[],
  short: ReadonlySet<number> = new Set(),
): Promise<{ readonly took: number; readonly most: number; readonly ended: readonly number[] }> {
  const fake = new FakeModel();
  const all = turns.reduce((sum, own) => sum + own, 0);
  const shared = new PlayLines(lines, all);
  const ended: number[] = [];
  const plays = turns.map((own, index) =>
    shared.play(own, fake, async (model) => {
      for (let turn = 0; turn < (short.has(index) ? 1 : own); turn += 1) await model.call(call);
      ended.push(index);
    }),
  );
  await fake.run();
  await Promise.all(plays);
  return { took: fake.now, most: fake.most, ended };
}

test("a stage takes hardly longer than its turns side by side, or than its longest play", async () => {
  // In the order in which they ask, the long plays would be left to run on alone.
  const turns = [...Array.from({ length: 32 }, () => 4), 20, 20, 20, 20];
  const four = await played(8, turns);
  expect(four.most).toBe(8);
  expect(four.took).toBeLessThan(1.1 * 26);
  const each = await played(64, turns);
  expect(each.most).toBe(36);
  expect(each.took).toBeLessThan(1.1 * 20);
  const one = await played(1, [3, 2, 1]);
  expect(one.most).toBe(1);
  expect(one.took).toBeLessThan(1.1 * 6);
});

test("far from the end, plays that began are ended before others begin", async () => {
  const { ended, most } = await played(
    2,
    Array.from({ length: 12 }, () => 5),
  );
  expect(most).toBe(2);
  expect(ended.slice(0, 3).toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
});

test("turns that a play did not need are no longer counted on", async () => {
  const { took, most } = await played(2, [40, 40, 8, 4, 4, 4, 4], new Set([0, 1]));
  expect(most).toBe(2);
  // Two turns of the first two and twenty-four of the others; the one of eight must not begin last.
  expect(took).toBeLessThan(1.1 * 13);
});

test("a call that fails gives its line back", async () => {
  const shared = new PlayLines(1, 2);
  const failing: Model = {
    name: "fake",
    call: async () => {
      throw new Error("refused");
    },
  };
  const fake = new FakeModel();
  const first = shared.play(1, failing, (model) => model.call(call));
  const second = shared.play(1, fake, (model) => model.call(call));
  await expect(first).rejects.toThrow("refused");
  await fake.run();
  expect(await second).toBe(answer);
});
