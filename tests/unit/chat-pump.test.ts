import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { editDueIn } from "../../bot/chat/cadence.ts";
import { createHub } from "../../bot/chat/hub.ts";
import { Pump } from "../../bot/chat/pump.ts";
import type { RoundEvent } from "../../graph/events.ts";
import { silent } from "../support/services.ts";

const warning = (message: string): RoundEvent => ({ type: "warning", roundId: "r1", message });

describe("the hub", () => {
  it("tells everybody, whoever throws, until they stop", () => {
    const hub = createHub(silent);
    const heard: string[] = [];
    hub.add(() => {
      throw new Error("not my day");
    });
    const stop = hub.add((event) => {
      if (event.type === "warning") heard.push(event.message);
    });
    hub.emit(warning("one"));
    stop();
    hub.emit(warning("two"));
    expect(heard).toEqual(["one"]);
  });

  it("lets a listener stop while it is told", () => {
    const hub = createHub(silent);
    const heard: string[] = [];
    const stop = hub.add(() => {
      heard.push("first");
      stop();
    });
    hub.add(() => heard.push("second"));
    hub.emit(warning("one"));
    hub.emit(warning("two"));
    expect(heard).toEqual(["first", "second", "second"]);
  });
});

describe("the cadence of edits", () => {
  it("is the setting's, and slower once the message is an hour old", () => {
    const times = { postedAt: 0, shownAt: 10_000 };
    expect(editDueIn(times, 4_000, 11_000)).toBe(3_000);
    expect(editDueIn(times, 4_000, 14_000)).toBe(0);
    const late = 3_600_000;
    expect(editDueIn({ postedAt: 0, shownAt: late }, 4_000, late + 1_000)).toBe(14_000);
    expect(editDueIn({ postedAt: 0, shownAt: late }, 60_000, late + 1_000)).toBe(59_000);
  });

  it("does not wait for a clock that was set back", () => {
    expect(editDueIn({ postedAt: 0, shownAt: 100_000 }, 4_000, 10_000)).toBe(4_000);
  });
});

describe("a pump", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("does one thing at a time, and makes one step of many wakes", async () => {
    let steps = 0;
    let atOnce = 0;
    const pump = new Pump({
      step: async () => {
        atOnce += 1;
        expect(atOnce).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 100));
        atOnce -= 1;
        steps += 1;
        return null;
      },
      failed: () => 0,
    });
    for (let wake = 0; wake < 50; wake += 1) pump.wake();
    await vi.advanceTimersByTimeAsync(1_000);
    // What woke it before its first step is seen by that step.
    expect(steps).toBe(1);
    pump.wake();
    await vi.advanceTimersByTimeAsync(50);
    for (let wake = 0; wake < 50; wake += 1) pump.wake();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(steps).toBe(3);
    await pump.close(0);
  });

  it("comes back when it said so, earlier if it is woken", async () => {
    let steps = 0;
    const pump = new Pump({
      step: async () => {
        steps += 1;
        return 5_000;
      },
      failed: () => 0,
    });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(steps).toBe(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(steps).toBe(2);
    pump.wake();
    await vi.advanceTimersByTimeAsync(50);
    expect(steps).toBe(3);
    await pump.close(0);
  });

  it("waits after a failure whoever wakes it, counts failures in a row, and goes on", async () => {
    const failures: number[] = [];
    let steps = 0;
    const pump = new Pump({
      step: async () => {
        steps += 1;
        if (steps < 3) throw new Error("no answer");
        return null;
      },
      failed: (_error, count) => {
        failures.push(count);
        return 1_000;
      },
    });
    await vi.advanceTimersByTimeAsync(500);
    pump.wake();
    await vi.advanceTimersByTimeAsync(400);
    expect(steps).toBe(1);
    await vi.advanceTimersByTimeAsync(1_200);
    expect(steps).toBe(3);
    expect(failures).toEqual([1, 2]);
    await pump.close(0);
  });

  it("settles when there is nothing to do, and ends with the step in flight", async () => {
    let open = 2;
    let steps = 0;
    const pump = new Pump({
      step: async () => {
        steps += 1;
        await new Promise((resolve) => setTimeout(resolve, 100));
        open -= 1;
        return open > 0 ? 0 : null;
      },
      failed: () => 0,
    });
    const settled = pump.settled(10_000);
    await vi.advanceTimersByTimeAsync(250);
    await settled;
    expect(steps).toBe(2);
    pump.wake();
    await vi.advanceTimersByTimeAsync(50);
    const closed = pump.close(10_000);
    await vi.advanceTimersByTimeAsync(200);
    await closed;
    pump.wake();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(steps).toBe(3);
  });

  it("does not let a step that hangs hold up its end", async () => {
    const pump = new Pump({ step: () => new Promise(() => {}), failed: () => 0 });
    await vi.advanceTimersByTimeAsync(10);
    const ended = pump.settled(500).then(() => pump.close(500));
    await vi.advanceTimersByTimeAsync(1_001);
    await ended;
  });
});
