/** What every store promises about environments and the episodes that were played in them. */
import { describe, expect, test } from "vitest";
import { type OpenedStore, pages } from "./store-opened.ts";
import { anEnvironment, anEpisode, someScore } from "./store-records.ts";

export function environmentsContract(opened: OpenedStore): void {
  describe("environments", () => {
    test("insert never overwrites, get gives null for none", async () => {
      const first = anEnvironment({ id: "e1" });
      expect(await opened.store.environments.insert(first)).toBe(true);
      expect(await opened.store.environments.insert({ ...first, name: "OtherEnv" })).toBe(false);
      expect(await opened.store.environments.get("e1")).toEqual(first);
      expect(await opened.store.environments.get("e2")).toBeNull();
    });

    test("update gives the new record, and not-found where there is none", async () => {
      await opened.store.environments.insert(anEnvironment({ id: "e1" }));
      const after = await opened.store.environments.update("e1", (it) => ({ ...it, status: "retired" }));
      expect(after.status).toBe("retired");
      expect(await opened.store.environments.get("e1")).toEqual(after);
      await expect(opened.store.environments.update("e2", (it) => it)).rejects.toMatchObject({
        code: "store.not-found",
      });
    });

    test("a change that throws changes nothing and leaves the store usable", async () => {
      await opened.store.environments.insert(anEnvironment({ id: "e1" }));
      const change = () => {
        throw new Error("no");
      };
      await expect(opened.store.environments.update("e1", change)).rejects.toThrow("no");
      expect(await opened.store.environments.get("e1")).toEqual(anEnvironment({ id: "e1" }));
      await opened.store.environments.update("e1", (it) => ({ ...it, name: "LaterEnv" }));
      expect((await opened.store.environments.get("e1"))?.name).toBe("LaterEnv");
    });

    test("a record that does not fit its schema is not stored", async () => {
      const broken = anEnvironment({ id: "e1", createdAt: Number.NaN });
      await expect(opened.store.environments.insert(broken)).rejects.toThrow();
      expect(await opened.store.environments.get("e1")).toBeNull();
    });

    test("a change that does not fit the schema is not stored, and what the schema does not know is left out", async () => {
      const written = anEnvironment({ id: "e1" });
      await opened.store.environments.insert(written);
      for (const broken of [{ repairs: -1 }, { name: undefined }, { designer: { model: 1 } }]) {
        const change = (it: typeof written) => Object.assign({ ...it, status: "retired" as const }, broken);
        await expect(opened.store.environments.update("e1", change)).rejects.toThrow();
      }
      expect(await opened.store.environments.get("e1")).toEqual(written);
      const more = { repairs: 1, unknown: "word" };
      await opened.store.environments.update("e1", (it) => ({ ...it, ...more }));
      await opened.reopen();
      expect(await opened.store.environments.get("e1")).toEqual({ ...written, repairs: 1 });
    });

    test("are listed newest first, by status and round, page by page", async () => {
      for (let i = 0; i < 7; i += 1) {
        await opened.store.environments.insert(
          anEnvironment({
            id: `e${i}`,
            roundId: i < 5 ? "r1" : null,
            slot: i < 5 ? i : null,
            status: i % 2 === 0 ? "admitted" : "rejected",
            // e3 and e4 are as old as e2: the slot then decides.
            createdAt: 1_000 + (i < 5 ? Math.min(i, 2) : i),
          }),
        );
      }
      const all = await opened.store.environments.list({}, { limit: 100 });
      expect(all.items.map((it) => it.id)).toEqual(["e6", "e5", "e4", "e3", "e2", "e1", "e0"]);
      expect(all.next).toBeNull();
      const rejected = await opened.store.environments.list({ status: "rejected" }, { limit: 100 });
      expect(rejected.items.map((it) => it.id)).toEqual(["e5", "e3", "e1"]);
      const both = await opened.store.environments.list(
        { roundId: "r1", status: "admitted" },
        { limit: 100 },
      );
      expect(both.items.map((it) => it.id)).toEqual(["e4", "e2", "e0"]);
      const paged = await pages((page) => opened.store.environments.list({}, page), 3);
      expect(paged.map((page) => page.map((it) => it.id))).toEqual([
        ["e6", "e5", "e4"],
        ["e3", "e2", "e1"],
        ["e0"],
      ]);
      await opened.store.environments.update("e0", (it) => ({ ...it, status: "retired" }));
      const retired = await opened.store.environments.list({ status: "retired" }, { limit: 100 });
      expect(retired.items.map((it) => it.id)).toEqual(["e0"]);
    });

    test("a continuation that no page gave is told to be wrong", async () => {
      const page = { limit: 3, after: "nonsense" };
      await expect(opened.store.environments.list({}, page)).rejects.toMatchObject({
        code: "input.bad-option",
      });
    });

    test("latestScored gives those with a score that were admitted, newest first", async () => {
      const put = (id: string, over: Parameters<typeof anEnvironment>[0]) =>
        opened.store.environments.insert(anEnvironment({ ...over, id }));
      await put("old", { id: "", score: someScore, createdAt: 1 });
      await put("retired", { id: "", score: someScore, status: "retired", createdAt: 2 });
      await put("unplayed", { id: "", createdAt: 3 });
      await put("rejected", { id: "", score: someScore, status: "rejected", createdAt: 4 });
      await put("later", { id: "", createdAt: 5 });
      for (const status of ["designed", "admitted", "rejected", "retired"] as const) {
        const listed = await opened.store.environments.list({ status }, { limit: 100 });
        expect(await opened.store.environments.count(status)).toBe(listed.items.length);
      }
      expect((await opened.store.environments.latestScored(10)).map((it) => it.id)).toEqual([
        "retired",
        "old",
      ]);
      await opened.store.environments.update("later", (it) => ({ ...it, score: someScore }));
      expect((await opened.store.environments.latestScored(2)).map((it) => it.id)).toEqual([
        "later",
        "retired",
      ]);
    });
  });

  test("nobody who reads a record can change what others read", async () => {
    const written = anEnvironment({ id: "e1", tags: ["a"] });
    await opened.store.environments.insert(written);
    const read = await opened.store.environments.get("e1");
    try {
      read?.tags.push("b");
    } catch {
      // A store may refuse the change, or give everybody a record of their own.
    }
    expect(await opened.store.environments.get("e1")).toEqual(anEnvironment({ id: "e1", tags: ["a"] }));
  });

  describe("episodes", () => {
    test("are written once", async () => {
      const episode = anEpisode();
      expect(await opened.store.episodes.insert(episode)).toBe(true);
      expect(await opened.store.episodes.insert({ ...episode, return: 1 })).toBe(false);
      expect(await opened.store.episodes.get(episode.id)).toEqual(episode);
      expect(await opened.store.episodes.get("none")).toBeNull();
    });

    test("are written with their transcript, which is kept like any text", async () => {
      const { transcriptId: _, ...episode } = anEpisode();
      const { transcriptId: __, ...second } = anEpisode({ index: 1 });
      const transcript = "a turn of the dial\n".repeat(1_000);
      expect(
        await opened.store.episodes.insertWithTranscripts([
          { record: episode, transcript },
          { record: second, transcript: "short" },
        ]),
      ).toEqual([true, true]);
      expect(await opened.store.episodes.get(second.id)).toEqual({
        ...second,
        transcriptId: await opened.store.texts.put("short"),
      });
      const written = await opened.store.episodes.get(episode.id);
      expect(written).toEqual({ ...episode, transcriptId: await opened.store.texts.put(transcript) });
      expect(await opened.store.texts.get(written?.transcriptId ?? "")).toBe(transcript);
      expect(
        await opened.store.episodes.insertWithTranscripts([
          { record: { ...episode, return: 1 }, transcript: "another" },
        ]),
      ).toEqual([false]);
      expect(await opened.store.episodes.get(episode.id)).toEqual(written);
      await opened.reopen();
      expect(await opened.store.episodes.get(episode.id)).toEqual(written);
      expect(await opened.store.texts.get(written?.transcriptId ?? "")).toBe(transcript);
    });

    test("that are written together are all kept or none", async () => {
      const { transcriptId: _, ...good } = anEpisode();
      const { transcriptId: __, ...bad } = anEpisode({ index: 1, turns: -1 });
      const together = [good, bad].map((record) => ({ record, transcript: "the same" }));
      await expect(opened.store.episodes.insertWithTranscripts(together)).rejects.toThrow();
      expect(await opened.store.episodes.get(good.id)).toBeNull();
      expect(await opened.store.episodes.insertWithTranscripts(together.slice(0, 1))).toEqual([true]);
    });

    test("of a round are ordered by environment, arm and index", async () => {
      const arms = ["human", "hinted", "plain", "hinted-human"] as const;
      for (const index of [10, 2, 0]) {
        for (const arm of arms) {
          for (const environmentId of ["e2", "e1"]) {
            await opened.store.episodes.insert(anEpisode({ environmentId, arm, index }));
          }
        }
      }
      await opened.store.episodes.insert(anEpisode({ roundId: "r2" }));
      const keys = (await opened.store.episodes.ofRound("r1")).map((it) => [
        it.environmentId,
        it.arm,
        it.index,
      ]);
      const expected = ["e1", "e2"].flatMap((environmentId) =>
        ["plain", "hinted", "hinted-human", "human"].flatMap((arm) =>
          [0, 2, 10].map((index) => [environmentId, arm, index]),
        ),
      );
      expect(keys).toEqual(expected);
      expect(await opened.store.episodes.ofRound("r1", { environmentId: "e1" })).toHaveLength(12);
      expect(await opened.store.episodes.ofRound("r1", { environmentId: "e1", arm: "human" })).toHaveLength(
        3,
      );
      expect(await opened.store.episodes.ofRound("r1", { arm: "plain" })).toHaveLength(6);
      expect(await opened.store.episodes.ofRound("r3")).toEqual([]);
      expect(await opened.store.episodes.countOfRound("r1")).toBe(keys.length);
      expect(await opened.store.episodes.countOfRound("r3")).toBe(0);
    });

    test("of an environment come oldest first, over all rounds, page by page", async () => {
      for (let i = 0; i < 5; i += 1) {
        await opened.store.episodes.insert(
          anEpisode({ roundId: `r${i % 2}`, index: i, startedAt: i, endedAt: i + 1 }),
        );
      }
      await opened.store.episodes.insert(anEpisode({ environmentId: "e2" }));
      const paged = await pages((page) => opened.store.episodes.ofEnvironment("e1", page), 2);
      expect(paged.map((page) => page.map((it) => it.index))).toEqual([[0, 1], [2, 3], [4]]);
    });
  });
}
