/** Work side by side, and how it stops. */
import { expect, test } from "vitest";
import { Drained, inParallel } from "../../graph/in-parallel.ts";

const signal = new AbortController().signal;
const draining = () => false;
const items = Array.from({ length: 10 }, (_, i) => i);
const tick = () => new Promise((resolve) => setImmediate(resolve));

test("items start in order, at most so many at once", async () => {
  const started: number[] = [];
  let inFlight = 0;
  let most = 0;
  await inParallel(items, { limit: 3, signal, draining }, async (item) => {
    started.push(item);
    inFlight += 1;
    most = Math.max(most, inFlight);
    await tick();
    inFlight -= 1;
  });
  expect(started).toEqual(items);
  expect(most).toBe(3);
});

test("after an error nothing starts, what is in flight ends, and the first error is thrown", async () => {
  const ended: number[] = [];
  const running = inParallel(items, { limit: 4, signal, draining }, async (item) => {
    await tick();
    if (item === 1) throw new Error("first");
    await tick();
    if (item === 2) throw new Error("second");
    ended.push(item);
  });
  await expect(running).rejects.toThrow("first");
  expect(ended).toEqual([0, 3]);
});

test("an abort throws the signal's reason, a drain throws Drained, and finished work is neither", async () => {
  const abort = new AbortController();
  const aborted = inParallel(items, { limit: 2, signal: abort.signal, draining }, async (item) => {
    if (item === 3) abort.abort(new Error("stop"));
  });
  await expect(aborted).rejects.toThrow("stop");

  let drain = false;
  const done: number[] = [];
  const drained = inParallel(items, { limit: 2, signal, draining: () => drain }, async (item) => {
    if (item === 4) drain = true;
    await tick();
    done.push(item);
  });
  await expect(drained).rejects.toBeInstanceOf(Drained);
  expect(done).toEqual([0, 1, 2, 3, 4, 5].filter((item) => done.includes(item)));
  expect(done).toContain(4);

  drain = false;
  await inParallel([1], { limit: 2, signal, draining: () => drain }, async () => {
    drain = true;
  });
});
