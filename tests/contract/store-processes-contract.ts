/** What every store promises to several processes that use it at once, and to one that is killed. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ended, messages, type OpenedStore } from "./store-opened.ts";
import type { Job } from "./store-process.ts";
import { aRound } from "./store-records.ts";

export function processesContract(opened: OpenedStore): void {
  describe("used by several processes at once", () => {
    test("gives every number of a counter once", async () => {
      const job: Job = { do: "count", times: 200 };
      const numbers = (await opened.together(z.array(z.number()), [job, job, job])).flat();
      expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 600 }, (_, i) => i + 1));
    });

    test("writes every episode once", async () => {
      const job: Job = { do: "insert", times: 200 };
      const inserted = await opened.together(z.number(), [job, job, job]);
      expect(inserted.reduce((a, b) => a + b)).toBe(200);
      expect(await opened.store.episodes.ofRound("r1")).toHaveLength(200);
    });

    test("loses no update", async () => {
      await opened.store.rounds.insert(aRound({ id: "r1" }));
      const job: Job = { do: "add", times: 200, roundId: "r1" };
      await opened.together(z.number(), [job, job, job]);
      expect((await opened.store.rounds.get("r1"))?.wallMs).toBe(600);
    });

    test("lets one of two racers decide each approval", async () => {
      const environmentIds = Array.from({ length: 300 }, (_, i) => `e${i}`);
      for (const environmentId of environmentIds) await opened.store.approvals.ask("r1", environmentId, 1);
      const jobs = ["ada", "bob"].map((by): Job => ({ do: "decide", roundId: "r1", environmentIds, by }));
      const [ada = [], bob = []] = await opened.together(z.array(z.string()), jobs);
      expect([...ada, ...bob].sort()).toEqual([...environmentIds].sort());
      const decided = await opened.store.approvals.ofRound("r1");
      expect(decided.filter((it) => it.decidedBy === "ada").map((it) => it.environmentId)).toEqual(ada);
      expect(await opened.store.approvals.waiting()).toEqual([]);
    });
  });

  test("keeps every write that returned before its process was killed", async () => {
    const child = await opened.start({ do: "write" });
    let last = -1;
    for await (const [said] of messages(child)) {
      last = z.number().parse(said);
      if (last >= 50) break;
    }
    child.on("message", (said) => {
      last = z.number().parse(said);
    });
    await ended(child, "SIGKILL");
    const episodes = await opened.store.episodes.ofRound("r1");
    expect(episodes.map((it) => it.index).slice(0, last + 1)).toEqual(
      Array.from({ length: last + 1 }, (_, i) => i),
    );
    for (const episode of episodes) {
      expect(await opened.store.texts.get(episode.transcriptId)).toBe(`transcript ${episode.index}`);
    }
  });
}
