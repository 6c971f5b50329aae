/** Who waits for whom: the queue for places, what leaves it, idle handles that lend theirs, and hosts that retire. */
import { afterEach, describe, expect, it } from "vitest";
import type { EnvironmentHandle, Sandbox } from "../../sandbox/sandbox.ts";
import { answering, openOrThrow, sourceOf, startSandbox, unwrap } from "../attacks/attack.ts";

let sandbox: Sandbox;

afterEach(async () => {
  await sandbox.close();
});

const counting = sourceOf({
  top: "let loaded = 0;",
  reset: "this.n = 0; loaded += 1; return 'seed ' + seed;",
  step: `this.n += 1; ${answering("[loaded, this.n, Math.random()].join(' ')")}`,
});

describe("open", () => {
  it("waits while every place is taken, first come, first served", async () => {
    sandbox = await startSandbox({ hosts: 1, livePerHost: 2 });
    const first = await openOrThrow(sandbox, counting);
    const second = await openOrThrow(sandbox, counting);
    const order: string[] = [];
    const later = ["a", "b", "c"].map(async (name) => {
      const handle = await openOrThrow(sandbox, counting);
      order.push(name);
      return handle;
    });
    expect(sandbox.stats()).toMatchObject({ hosts: 1, live: 2, waiting: 3 });
    await first.close();
    const a = await later[0];
    expect(order).toEqual(["a"]);
    await second.close();
    const b = await later[1];
    await a?.close();
    await later[2];
    expect(order).toEqual(["a", "b", "c"]);
    await b?.close();
    expect(sandbox.stats()).toMatchObject({ live: 1, waiting: 0 });
  });

  it("is given up by its signal, in the queue and before", async () => {
    sandbox = await startSandbox({ hosts: 1, livePerHost: 1 });
    const holder = await openOrThrow(sandbox, counting);
    const control = new AbortController();
    const waiting = sandbox.open(counting, { language: "javascript", signal: control.signal });
    const next = sandbox.open(counting, { language: "javascript" });
    expect(sandbox.stats().waiting).toBe(2);
    control.abort(new Error("not wanted"));
    await expect(waiting).rejects.toThrow("not wanted");
    await expect(sandbox.open(counting, { language: "javascript", signal: control.signal })).rejects.toThrow(
      "not wanted",
    );
    expect(sandbox.stats().waiting).toBe(1);
    await holder.close();
    expect((await next).ok).toBe(true);
    expect(sandbox.stats()).toMatchObject({ live: 1, waiting: 0 });
  });

  it("is given up by its signal while it loads, and leaves no place taken", async () => {
    sandbox = await startSandbox({ hosts: 1, loadTimeoutMs: 500 });
    const control = new AbortController();
    const loading = sandbox.open("while (true);", { language: "javascript", signal: control.signal });
    control.abort(new Error("not wanted"));
    await expect(loading).rejects.toThrow("not wanted");
    expect(sandbox.stats().live).toBe(0);
  });

  it("ends as closed for those who wait when the sandbox is closed", async () => {
    sandbox = await startSandbox({ hosts: 1, livePerHost: 1 });
    await openOrThrow(sandbox, counting);
    const waiting = sandbox.open(counting, { language: "javascript" });
    await sandbox.close();
    expect(await waiting).toMatchObject({ ok: false, failure: { verdict: "closed" } });
  });

  it("never ends in a deadlock when everyone holds one and wants another", async () => {
    sandbox = await startSandbox({ hosts: 1, livePerHost: 4 });
    const admissions = Array.from({ length: 8 }, async (_, seed) => {
      const one = await openOrThrow(sandbox, counting);
      const before = await one.run(seed, ["a", "b"]);
      const other = await openOrThrow(sandbox, counting);
      expect(await other.run(seed, ["a", "b"])).toEqual(before);
      unwrap(await one.reset(seed));
      expect(unwrap(await one.step("a")).observation).toMatch(/^2 1 /);
      await one.close();
      await other.close();
    });
    await Promise.all(admissions);
    expect(sandbox.stats()).toMatchObject({ live: 0, waiting: 0 });
  });
});

describe("an idle handle", () => {
  it("lends its place to those who wait, and goes on where it was", async () => {
    sandbox = await startSandbox({ hosts: 1, livePerHost: 1 });
    const slow = await openOrThrow(sandbox, counting);
    const expected = await slow.run(7, ["a", "b", "c"]);
    unwrap(await slow.reset(7));
    const steps = [unwrap(await slow.step("a"))];
    const other = await openOrThrow(sandbox, counting);
    unwrap(await other.reset(1));
    const pending = slow.step("b");
    await other.close();
    steps.push(unwrap(await pending), unwrap(await slow.step("c")));
    const random = (text: string | undefined) => text?.split(" ").slice(1);
    expect(steps.map((step) => random(step.observation))).toEqual(
      expected.steps.map((step) => random(step.observation)),
    );
    // What it keeps over its own resets was replayed as well.
    expect(steps.map((step) => step.observation.split(" ")[0])).toEqual(["2", "2", "2"]);
    await slow.close();
  });

  it("that is closed while it waits for its place leaves the queue", async () => {
    sandbox = await startSandbox({ hosts: 1, livePerHost: 1 });
    const slow = await openOrThrow(sandbox, counting);
    unwrap(await slow.reset(7));
    const other = await openOrThrow(sandbox, counting);
    const pending = slow.step("a");
    await expect.poll(() => sandbox.stats().waiting).toBe(1);
    await slow.close();
    expect(sandbox.stats()).toMatchObject({ live: 1, waiting: 0 });
    expect(await pending).toMatchObject({ ok: false, failure: { verdict: "closed" } });
    await other.close();
    expect(sandbox.stats()).toMatchObject({ live: 0, waiting: 0 });
  });

  it("keeps its place while nobody waits", async () => {
    sandbox = await startSandbox({ hosts: 1, livePerHost: 2 });
    const slow = await openOrThrow(sandbox, counting);
    unwrap(await slow.reset(7));
    await new Promise((resolve) => setTimeout(resolve, 2_600));
    expect(sandbox.stats().live).toBe(1);
    expect((await slow.step("a")).ok).toBe(true);
  });
});

describe("hosts retire", () => {
  it("after their loads, without disturbing who is there", async () => {
    sandbox = await startSandbox({ hosts: 1, retireAfterLoads: 4 });
    const stayer = await openOrThrow(sandbox, counting);
    unwrap(await stayer.reset(5));
    const told: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      const passing: EnvironmentHandle = await openOrThrow(sandbox, counting);
      unwrap(await passing.reset(i));
      await passing.close();
      told.push(
        unwrap(await stayer.step("x"))
          .observation.split(" ")
          .slice(0, 2)
          .join(" "),
      );
    }
    expect(told).toEqual(Array.from({ length: 12 }, (_, i) => `1 ${i + 1}`));
    expect(sandbox.stats()).toMatchObject({ hosts: 1, live: 1, hostRestarts: 0 });
  });
});
