/** What people are told, when, where and how often: over a room in memory, a real store, and a clock of the test's. */
import { afterEach, describe, expect, test } from "vitest";
import { isQuiet } from "../../bot/watch/notifier.ts";
import { createWatchDesk } from "../../bot/watch/watch-desk.ts";
import { aRound } from "../contract/store-records.ts";
import { drawn, forbidden, unavailable } from "../support/memory-room.ts";
import { silent } from "../support/services.ts";
import { closeWatched, ended, finishedRound, start, watched } from "../support/watch-lab.ts";

afterEach(closeWatched);

describe("alerts", () => {
  test("of one kind are gathered and become one message, told once", async () => {
    const lab = await watched();
    for (const id of ["r1", "r2", "r3"]) {
      await finishedRound(lab, id);
      lab.tell(ended(id));
      lab.tell(ended(id));
    }
    await lab.settle();
    expect(lab.texts()).toEqual([]);
    lab.clock.now += 31_000;
    await lab.settle();
    expect(lab.texts()).toHaveLength(1);
    expect(lab.texts()[0]).toMatch(/Round r1[\s\S]*Round r2[\s\S]*Round r3/);
    await lab.restart();
    expect(lab.room.messages).toHaveLength(1);
    expect(lab.room.messages[0]?.history).toHaveLength(1);
  });

  test("that came up while the process was down are told after its start", async () => {
    const lab = await watched();
    await finishedRound(lab, "r1");
    await lab.restart();
    lab.clock.now += 31_000;
    await lab.restart();
    expect(lab.texts().join("")).toContain("Round r1 is finished");
    expect(lab.room.messages).toHaveLength(1);
  });

  test("wait through quiet hours, and nothing is lost", async () => {
    const lab = await watched({ quiet: { from: 11, to: 14 } });
    await finishedRound(lab, "r1");
    lab.tell(ended("r1"));
    lab.clock.now += 60_000;
    await lab.settle();
    expect(lab.texts()).toEqual([]);
    lab.clock.now = Date.UTC(2026, 0, 5, 14, 1);
    await lab.settle();
    expect(lab.texts()).toHaveLength(1);
  });

  test("say of themselves that they are over", async () => {
    const lab = await watched();
    await finishedRound(lab, "r1");
    await lab.services.store.approvals.ask("r1", "r1-1", lab.clock.now);
    lab.tell({ type: "approval-asked", roundId: "r1", environmentId: "r1-1" });
    lab.clock.now += 31_000;
    await lab.settle();
    expect(lab.texts().join("")).toContain("waits for approval");
    const decision = { status: "approved", by: "Ann", reason: null, at: lab.clock.now } as const;
    await lab.services.store.approvals.decide("r1", "r1-1", decision);
    lab.tell({ type: "approval-decided", roundId: "r1", environmentId: "r1-1", status: "approved" });
    await lab.settle();
    const about = lab.room.messages.filter(({ card }) => drawn(card).includes("r1-1"));
    expect(about).toHaveLength(1);
    expect(about.map(({ card }) => drawn(card)).join("")).toContain("Over (approved by Ann)");
    expect(about[0]?.card.tone).toBe("good");
  });

  test("are tried again where the chat does not answer", async () => {
    const lab = await watched();
    await finishedRound(lab, "r1");
    lab.tell(ended("r1"));
    lab.clock.now += 31_000;
    lab.room.before = () => {
      throw unavailable();
    };
    await lab.settle();
    expect(lab.room.messages).toHaveLength(0);
    lab.room.before = null;
    await lab.settle();
    expect(lab.room.messages).toHaveLength(1);
  });

  test("are tried more and more seldom where they are forbidden, and told when they are allowed", async () => {
    const lab = await watched();
    await finishedRound(lab, "r1");
    lab.tell(ended("r1"));
    await lab.settle();
    let asked = 0;
    lab.room.before = () => {
      asked += 1;
      throw forbidden();
    };
    const hour = 3_600;
    for (let seconds = 0; seconds < hour; seconds += 5) {
      lab.clock.now += 5_000;
      await lab.settle();
    }
    expect(asked).toBeGreaterThan(5);
    expect(asked).toBeLessThan(15);
    lab.room.before = null;
    lab.clock.now += 900_000;
    await lab.settle();
    expect(lab.room.messages).toHaveLength(1);
  });

  test("of one moment for two subscriptions in one channel are one message each", async () => {
    const lab = await watched();
    const [first] = (await lab.services.store.subscriptions.list("", { limit: 1 })).items;
    if (first === undefined) throw new Error("nobody watches");
    await lab.services.store.subscriptions.insert({ ...first, id: "w2" });
    await finishedRound(lab, "r1");
    lab.tell(ended("r1"));
    lab.clock.now += 31_000;
    await lab.settle();
    expect(lab.room.standing("c1")).toHaveLength(2);
  });

  test("go to a person by direct message", async () => {
    const lab = await watched({ target: { kind: "person", id: "7" } });
    await finishedRound(lab, "r1");
    lab.tell(ended("r1"));
    lab.clock.now += 31_000;
    await lab.settle();
    expect(lab.room.standing("direct-7")).toHaveLength(1);
  });

  test("are not told to whoever did not ask, or asked later", async () => {
    const lab = await watched({ events: ["budget"] });
    await finishedRound(lab, "r1");
    lab.tell(ended("r1"));
    lab.clock.now += 31_000;
    await lab.services.store.subscriptions.insert({
      id: "w2",
      target: { kind: "channel", id: "c2" },
      events: ["round-finished"],
      quiet: null,
      createdBy: "7",
      createdAt: lab.clock.now,
    });
    await lab.settle();
    lab.clock.now += 31_000;
    await lab.settle();
    expect(lab.texts()).toEqual([]);
  });

  test("more than fit one message become another", async () => {
    const lab = await watched({ events: ["budget"] });
    for (let n = 1; n <= 50; n += 1) lab.tell({ type: "budget", roundId: `r${n}`, percent: 80 });
    await lab.settle();
    lab.clock.now += 31_000;
    await lab.settle();
    const all = lab.texts().join("\n");
    expect(lab.room.messages).toHaveLength(3);
    for (let n = 1; n <= 50; n += 1) expect(all).toContain(`Round r${n} has used 80 %`);
  });
});

describe("what is watched", () => {
  test("a lost frontier, until regret is back", async () => {
    const lab = await watched({ events: ["frontier-lost"] });
    for (const id of ["r1", "r2", "r3", "r4"]) {
      lab.clock.now += 1_000;
      await finishedRound(lab, id, { regret: 0.01 });
      lab.tell(ended(id));
    }
    lab.clock.now += 31_000;
    await lab.settle();
    expect(lab.texts()).toHaveLength(1);
    expect(lab.texts()[0]).toContain("The frontier is lost");
    await finishedRound(lab, "r5", { regret: 0.4 });
    lab.tell(ended("r5"));
    await lab.settle();
    expect(lab.texts()[0]).toContain("Over (mean regret of r5 is 0.40)");
  });

  test("drift, rejected designs, and rounds that failed", async () => {
    const lab = await watched();
    await finishedRound(lab, "r1", { plain: 0.95 });
    await finishedRound(lab, "r2", { plain: -0.2 });
    await finishedRound(lab, "r3", {
      status: "failed",
      endedAt: null,
      error: { code: "round.failed", message: "The disk was full." },
    });
    await finishedRound(lab, "r4");
    await lab.services.store.environments.update("r4-1", (record) => ({ ...record, status: "rejected" }));
    for (const id of ["r1", "r2", "r4"]) lab.tell(ended(id));
    lab.tell(ended("r3", "failed"));
    await lab.settle();
    lab.clock.now += 31_000;
    await lab.settle();
    const all = lab.texts().join("\n");
    expect(all).toContain("Round r1 was too easy");
    expect(all).toContain("Round r2 was too hard");
    expect(all).toContain("Round r3 failed: The disk was full.");
    expect(all).toContain("1 of 1 design of round r4 were rejected.");
  });

  test("a provider that is down, and back", async () => {
    const lab = await watched({ events: ["provider"] });
    const error = { code: "provider.unreachable", message: "It did not answer." };
    await finishedRound(lab, "r1", { status: "failed", endedAt: null, error });
    lab.tell(ended("r1", "failed"));
    await lab.settle();
    lab.clock.now += 31_000;
    await lab.settle();
    expect(lab.texts()[0]).toContain("embedded does not answer");
    lab.tell({ type: "round-started", roundId: "r1", resumed: true, seed: 1, model: "embedded" });
    lab.tell({ type: "designed", roundId: "r1", environmentId: "r1-1", name: "A", attempt: 0 });
    await lab.settle();
    expect(lab.texts()[0]).toContain("Over (it answers again)");
  });

  test("a round that should run and does not", async () => {
    const lab = await watched({ events: ["queue-stuck"] });
    await lab.services.store.rounds.insert(aRound({ id: "r1", status: "running", startedAt: start }));
    lab.clock.now += 601_000;
    const looked = createWatchDesk({ ...lab, log: silent, lookEveryMs: 10 });
    await expect
      .poll(() => lab.services.store.posts.list("alert:", { limit: 10 }).then(({ items }) => items.length))
      .toBe(1);
    lab.clock.now += 31_000;
    await expect.poll(() => lab.texts().join("")).toContain("Round r1 makes no progress: nobody works on it");
    await lab.services.store.rounds.update("r1", (round) => ({ ...round, status: "finished" }));
    looked.listen({ type: "stage", roundId: "r1", stage: "play", done: 1, total: 1 });
    await expect.poll(() => lab.texts().join("")).toContain("Over (");
    await looked.close();
  });
});

test("quiet hours may go over midnight", () => {
  const at = (hour: number) => Date.UTC(2026, 0, 5, hour, 30);
  expect([21, 22, 23, 0, 6, 7].map((hour) => isQuiet({ from: 22, to: 7 }, at(hour)))).toEqual([
    false,
    true,
    true,
    true,
    true,
    false,
  ]);
  expect(isQuiet(null, at(3))).toBe(false);
  expect(isQuiet({ from: 3, to: 3 }, at(3))).toBe(false);
});
