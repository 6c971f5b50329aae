/** Writes that come one by one, made a few at a time: none is done before it is stored, and none fails for another. */
import { expect, test } from "vitest";
import { StoreError } from "../../config/errors.ts";
import { Together } from "../../graph/together.ts";

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

test("what comes at about the same time is written at once, and is done when it is stored", async () => {
  const writes: string[][] = [];
  const stored = Promise.withResolvers<void>();
  const together = new Together<string>(async (items) => {
    writes.push([...items]);
    await stored.promise;
  });
  const done: string[] = [];
  const adding = ["a", "b", "c"].map((item) => together.add(item).then(() => done.push(item)));
  while (writes.length === 0) await later();
  expect(writes).toEqual([["a", "b", "c"]]);
  expect(done).toEqual([]);
  // What comes while a write is on its way goes with the next one.
  adding.push(together.add("d").then(() => done.push("d")));
  stored.resolve();
  await Promise.all(adding);
  expect(done).toEqual(["a", "b", "c", "d"]);
  expect(writes).toEqual([["a", "b", "c"], ["d"]]);
});

test("an item that can't be written fails alone", async () => {
  const writes: string[][] = [];
  const together = new Together<string>(async (items) => {
    writes.push([...items]);
    if (items.includes("bad")) throw new TypeError("bad");
  });
  const ended = await Promise.allSettled(["a", "bad", "c"].map((item) => together.add(item)));
  expect(ended.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(writes).toEqual([["a", "bad", "c"], ["a"], ["bad"], ["c"]]);
});

test("a store that is locked is not waited for once an item", async () => {
  let writes = 0;
  const together = new Together<string>(async () => {
    writes += 1;
    throw new StoreError("store.locked", "Another process has it.");
  });
  const ended = await Promise.allSettled(["a", "b"].map((item) => together.add(item)));
  expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(writes).toBe(1);
});
