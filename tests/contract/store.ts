/**
 * What every store promises, as one suite. A test file calls it with its adapter; other processes open the same store
 * through the adapter's opener module.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Lease, Store } from "../../store/store.ts";
import type { Job } from "./store-process.ts";
import { aDocument, anEnvironment, anEpisode, aRound, someScore } from "./store-records.ts";

export interface StoreAdapter {
  readonly name: string;
  /** The path of a module that exports `open(location): Promise<Store>`. */
  readonly opener: string;
  readonly open: (location: string) => Promise<Store>;
  /** A fresh place for a store, and how to get rid of it. */
  readonly place: () => Promise<{ readonly location: string; readonly remove: () => Promise<void> }>;
}

export function storeContract(adapter: StoreAdapter): void {
  describe(`the store on ${adapter.name}`, () => {
    let location: string;
    let remove: () => Promise<void>;
    let store: Store;
    let children: ChildProcess[];

    beforeEach(async () => {
      children = [];
      ({ location, remove } = await adapter.place());
      store = await adapter.open(location);
    });

    afterEach(async () => {
      for (const child of children) await ended(child, "SIGKILL");
      await store.close();
      await remove();
    });

    /** A process that is ready to do the job; it begins at the first message. */
    async function prepare(job: Job): Promise<ChildProcess> {
      const script = fileURLToPath(new URL("./store-process.ts", import.meta.url));
      const child = fork(script, [adapter.opener, location, JSON.stringify(job)], { execArgv: [] });
      children.push(child);
      expect(await message(child)).toBe("ready");
      return child;
    }

    async function start(job: Job): Promise<ChildProcess> {
      const child = await prepare(job);
      child.send("go");
      return child;
    }

    /** What each of several processes that start at once answers. */
    async function together<T>(schema: z.ZodType<T>, jobs: readonly Job[]): Promise<T[]> {
      const ready = await Promise.all(jobs.map(prepare));
      const answers = ready.map(message);
      for (const child of ready) child.send("go");
      return (await Promise.all(answers)).map((answer) => schema.parse(answer));
    }

    test("keeps what was written when it is opened again", async () => {
      await store.rounds.insert(aRound({ id: "r1" }));
      const textId = await store.texts.put("a text");
      await store.close();
      store = await adapter.open(location);
      expect(await store.rounds.get("r1")).toEqual(aRound({ id: "r1" }));
      expect(await store.texts.get(textId)).toBe("a text");
    });

    describe("texts", () => {
      test.each([
        ["empty", ""],
        ["short", "VaultDialEnv"],
        ["with a NUL, an emoji and line ends", "a\0b 🗝️\r\n\t"],
        ["long", "the dial turns higher or lower\n".repeat(20_000)],
        [
          "long without a pattern",
          Array.from({ length: 20_000 }, (_, i) => (i * 2_654_435_761) >>> 0).join(" "),
        ],
      ])("%s comes back as it went in, once however often it is put", async (_name, text) => {
        const id = await store.texts.put(text);
        expect(id).toMatch(/^[0-9a-f]{64}$/);
        expect(await store.texts.put(text)).toBe(id);
        expect(await store.texts.get(id)).toBe(text);
      });

      test("different texts have different ids", async () => {
        expect(await store.texts.put("a")).not.toBe(await store.texts.put("b"));
      });

      test("an unknown one is not found", async () => {
        await expect(store.texts.get("f".repeat(64))).rejects.toMatchObject({ code: "store.not-found" });
      });
    });

    describe("environments", () => {
      test("insert never overwrites, get gives null for none", async () => {
        const first = anEnvironment({ id: "e1" });
        expect(await store.environments.insert(first)).toBe(true);
        expect(await store.environments.insert({ ...first, name: "OtherEnv" })).toBe(false);
        expect(await store.environments.get("e1")).toEqual(first);
        expect(await store.environments.get("e2")).toBeNull();
      });

      test("update gives the new record, and not-found where there is none", async () => {
        await store.environments.insert(anEnvironment({ id: "e1" }));
        const after = await store.environments.update("e1", (it) => ({ ...it, status: "retired" }));
        expect(after.status).toBe("retired");
        expect(await store.environments.get("e1")).toEqual(after);
        await expect(store.environments.update("e2", (it) => it)).rejects.toMatchObject({
          code: "store.not-found",
        });
      });

      test("a change that throws changes nothing and leaves the store usable", async () => {
        await store.environments.insert(anEnvironment({ id: "e1" }));
        const change = () => {
          throw new Error("no");
        };
        await expect(store.environments.update("e1", change)).rejects.toThrow("no");
        expect(await store.environments.get("e1")).toEqual(anEnvironment({ id: "e1" }));
        await store.environments.update("e1", (it) => ({ ...it, name: "LaterEnv" }));
        expect((await store.environments.get("e1"))?.name).toBe("LaterEnv");
      });

      test("a record that does not fit its schema is not stored", async () => {
        const broken = anEnvironment({ id: "e1", createdAt: Number.NaN });
        await expect(store.environments.insert(broken)).rejects.toThrow();
        expect(await store.environments.get("e1")).toBeNull();
      });

      test("are listed newest first, by status and round, page by page", async () => {
        for (let i = 0; i < 7; i += 1) {
          await store.environments.insert(
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
        const all = await store.environments.list({}, { limit: 100 });
        expect(all.items.map((it) => it.id)).toEqual(["e6", "e5", "e4", "e3", "e2", "e1", "e0"]);
        expect(all.next).toBeNull();
        const rejected = await store.environments.list({ status: "rejected" }, { limit: 100 });
        expect(rejected.items.map((it) => it.id)).toEqual(["e5", "e3", "e1"]);
        const both = await store.environments.list({ roundId: "r1", status: "admitted" }, { limit: 100 });
        expect(both.items.map((it) => it.id)).toEqual(["e4", "e2", "e0"]);
        const paged = await pages((page) => store.environments.list({}, page), 3);
        expect(paged.map((page) => page.map((it) => it.id))).toEqual([
          ["e6", "e5", "e4"],
          ["e3", "e2", "e1"],
          ["e0"],
        ]);
        await store.environments.update("e0", (it) => ({ ...it, status: "retired" }));
        const retired = await store.environments.list({ status: "retired" }, { limit: 100 });
        expect(retired.items.map((it) => it.id)).toEqual(["e0"]);
      });

      test("a continuation that no page gave is told to be wrong", async () => {
        const page = { limit: 3, after: "nonsense" };
        await expect(store.environments.list({}, page)).rejects.toMatchObject({ code: "input.bad-option" });
      });

      test("latestScored gives those with a score that were admitted, newest first", async () => {
        const put = (id: string, over: Parameters<typeof anEnvironment>[0]) =>
          store.environments.insert(anEnvironment({ ...over, id }));
        await put("old", { id: "", score: someScore, createdAt: 1 });
        await put("retired", { id: "", score: someScore, status: "retired", createdAt: 2 });
        await put("unplayed", { id: "", createdAt: 3 });
        await put("rejected", { id: "", score: someScore, status: "rejected", createdAt: 4 });
        await put("later", { id: "", createdAt: 5 });
        expect((await store.environments.latestScored(10)).map((it) => it.id)).toEqual(["retired", "old"]);
        await store.environments.update("later", (it) => ({ ...it, score: someScore }));
        expect((await store.environments.latestScored(2)).map((it) => it.id)).toEqual(["later", "retired"]);
      });
    });

    describe("episodes", () => {
      test("are written once", async () => {
        const episode = anEpisode();
        expect(await store.episodes.insert(episode)).toBe(true);
        expect(await store.episodes.insert({ ...episode, return: 1 })).toBe(false);
        expect(await store.episodes.get(episode.id)).toEqual(episode);
        expect(await store.episodes.get("none")).toBeNull();
      });

      test("of a round are ordered by environment, arm and index", async () => {
        const arms = ["human", "hinted", "plain", "hinted-human"] as const;
        for (const index of [10, 2, 0]) {
          for (const arm of arms) {
            for (const environmentId of ["e2", "e1"]) {
              await store.episodes.insert(anEpisode({ environmentId, arm, index }));
            }
          }
        }
        await store.episodes.insert(anEpisode({ roundId: "r2" }));
        const keys = (await store.episodes.ofRound("r1")).map((it) => [it.environmentId, it.arm, it.index]);
        const expected = ["e1", "e2"].flatMap((environmentId) =>
          ["plain", "hinted", "hinted-human", "human"].flatMap((arm) =>
            [0, 2, 10].map((index) => [environmentId, arm, index]),
          ),
        );
        expect(keys).toEqual(expected);
        expect(await store.episodes.ofRound("r1", { environmentId: "e1" })).toHaveLength(12);
        expect(await store.episodes.ofRound("r1", { environmentId: "e1", arm: "human" })).toHaveLength(3);
        expect(await store.episodes.ofRound("r1", { arm: "plain" })).toHaveLength(6);
        expect(await store.episodes.ofRound("r3")).toEqual([]);
      });

      test("of an environment come oldest first, over all rounds, page by page", async () => {
        for (let i = 0; i < 5; i += 1) {
          await store.episodes.insert(
            anEpisode({ roundId: `r${i % 2}`, index: i, startedAt: i, endedAt: i + 1 }),
          );
        }
        await store.episodes.insert(anEpisode({ environmentId: "e2" }));
        const paged = await pages((page) => store.episodes.ofEnvironment("e1", page), 2);
        expect(paged.map((page) => page.map((it) => it.index))).toEqual([[0, 1], [2, 3], [4]]);
      });
    });

    test("rounds are inserted once, changed, and listed newest first", async () => {
      for (let i = 1; i <= 11; i += 1) {
        expect(await store.rounds.insert(aRound({ id: `r${i}`, startedAt: Math.min(i, 10) }))).toBe(true);
      }
      expect(await store.rounds.insert(aRound({ id: "r1", status: "failed" }))).toBe(false);
      await store.rounds.update("r1", (round) => ({ ...round, status: "finished", endedAt: 9 }));
      expect(await store.rounds.get("r1")).toMatchObject({ status: "finished", endedAt: 9 });
      expect(await store.rounds.get("r12")).toBeNull();
      const paged = await pages((page) => store.rounds.list(page), 4);
      expect(paged.map((page) => page.map((it) => it.id))).toEqual([
        ["r11", "r10", "r9", "r8"],
        ["r7", "r6", "r5", "r4"],
        ["r3", "r2", "r1"],
      ]);
    });

    test("documents are kept once, listed by id, counted and removed", async () => {
      for (const id of ["c", "a", "b"]) expect(await store.documents.insert(aDocument(id))).toBe(true);
      expect(await store.documents.insert(aDocument("a"))).toBe(false);
      expect(await store.documents.count()).toBe(3);
      expect(await store.documents.ids()).toEqual(["a", "b", "c"]);
      const paged = await pages((page) => store.documents.list(page), 2);
      expect(paged.map((page) => page.map((it) => it.id))).toEqual([["a", "b"], ["c"]]);
      expect(await store.documents.get("b")).toEqual(aDocument("b"));
      expect(await store.documents.remove("b")).toBe(true);
      expect(await store.documents.remove("b")).toBe(false);
      expect(await store.documents.get("b")).toBeNull();
      expect(await store.documents.ids()).toEqual(["a", "c"]);
      expect(await store.documents.count()).toBe(2);
    });

    test("hints of an environment come oldest first", async () => {
      const hint = (id: string, environmentId: string) => ({
        id,
        environmentId,
        author: "somebody",
        textId: "0".repeat(64),
        createdAt: 5,
      });
      expect(await store.hints.insert(hint("h2", "e1"))).toBe(true);
      expect(await store.hints.insert(hint("h1", "e1"))).toBe(true);
      expect(await store.hints.insert(hint("h1", "e1"))).toBe(false);
      await store.hints.insert(hint("h3", "e2"));
      expect((await store.hints.ofEnvironment("e1")).map((it) => it.id)).toEqual(["h2", "h1"]);
      expect(await store.hints.ofEnvironment("e3")).toEqual([]);
    });

    test("an approval is asked once and decided once", async () => {
      const no = { status: "rejected", by: "ada", reason: "a quiz", at: 20 } as const;
      const yes = { status: "approved", by: "bob", reason: null, at: 30 } as const;
      expect(await store.approvals.decide("r1", "e1", no)).toBe(false);
      await store.approvals.ask("r1", "e2", 10);
      await store.approvals.ask("r1", "e1", 11);
      await store.approvals.ask("r2", "e9", 12);
      expect(await store.approvals.get("r1", "e1")).toEqual({
        roundId: "r1",
        environmentId: "e1",
        status: "waiting",
        decidedBy: null,
        reason: null,
        askedAt: 11,
        decidedAt: null,
      });
      expect(await store.approvals.decide("r1", "e1", no)).toBe(true);
      expect(await store.approvals.decide("r1", "e1", yes)).toBe(false);
      await store.approvals.ask("r1", "e1", 40);
      expect(await store.approvals.get("r1", "e1")).toMatchObject({
        status: "rejected",
        decidedBy: "ada",
        reason: "a quiz",
        askedAt: 11,
        decidedAt: 20,
      });
      expect((await store.approvals.waiting()).map((it) => it.environmentId)).toEqual(["e2", "e9"]);
      expect((await store.approvals.ofRound("r1")).map((it) => it.environmentId)).toEqual(["e2", "e1"]);
      expect(await store.approvals.get("r3", "e1")).toBeNull();
    });

    test("policies have a newest version per provider", async () => {
      const policy = (version: string, provider: string, parent: string | null) => ({
        version,
        parent,
        provider,
        weightsId: "0".repeat(64),
        note: "",
        createdAt: 5,
      });
      expect(await store.policies.latest("embedded")).toBeNull();
      expect(await store.policies.insert(policy("p2", "embedded", null))).toBe(true);
      expect(await store.policies.insert(policy("p1", "embedded", "p2"))).toBe(true);
      expect(await store.policies.insert(policy("p1", "embedded", null))).toBe(false);
      await store.policies.insert(policy("p3", "other", null));
      expect(await store.policies.latest("embedded")).toEqual(policy("p1", "embedded", "p2"));
      expect((await store.policies.get("p2"))?.parent).toBeNull();
      expect(await store.policies.get("p4")).toBeNull();
    });

    test("averages are replaced per role and skill", async () => {
      const average = {
        role: "agent",
        skill: "Optimization",
        fast: null,
        slow: 0.1,
        meanReward: null,
      } as const;
      expect(await store.averages.get("agent", "Optimization")).toBeNull();
      await store.averages.put({ ...average, count: 1 });
      await store.averages.put({ ...average, count: 2 });
      await store.averages.put({ ...average, role: "designer", count: 9 });
      expect(await store.averages.get("agent", "Optimization")).toEqual({ ...average, count: 2 });
    });

    test("the audit log is read newest first", async () => {
      for (let i = 0; i < 5; i += 1) {
        await store.audit.append({ at: 1, who: "ada", what: "retire", subject: `e${i}`, detail: "" });
      }
      const paged = await pages((page) => store.audit.list(page), 2);
      expect(paged.map((page) => page.map((it) => it.subject))).toEqual([["e4", "e3"], ["e2", "e1"], ["e0"]]);
    });

    test("counters count each for itself, from 1", async () => {
      expect(await store.nextNumber("round")).toBe(1);
      expect(await store.nextNumber("round")).toBe(2);
      expect(await store.nextNumber("file")).toBe(1);
    });

    test("checkpoints are kept with the rest", async () => {
      const thread = { configurable: { thread_id: "r1" } };
      const saver = await store.checkpoints();
      const checkpoint = {
        ...emptyCheckpoint(),
        channel_values: { stage: "play" },
        channel_versions: { stage: 1 },
      };
      await saver.put(thread, checkpoint, { source: "loop", step: 0, parents: {} }, { stage: 1 });
      await store.close();
      store = await adapter.open(location);
      const again = await (await store.checkpoints()).getTuple(thread);
      expect(again?.checkpoint.channel_values).toEqual({ stage: "play" });
    });

    describe("leases", () => {
      test("are held by one, and given back", async () => {
        const lease = await held(store.leases.acquire("round:r1", 60_000));
        expect(await store.leases.acquire("round:r1", 60_000)).toBeNull();
        expect(await store.leases.acquire("round:r2", 60_000)).not.toBeNull();
        expect(await store.leases.holder("round:r1")).toEqual(lease);
        await store.leases.release(lease);
        expect(await store.leases.holder("round:r1")).toBeNull();
        const next = await held(store.leases.acquire("round:r1", 60_000));
        expect(next.token).toBeGreaterThan(lease.token);
        expect(next.holder).not.toBe(lease.holder);
      });

      test("of another handle of a live process are respected", async () => {
        const other = await adapter.open(location);
        await held(other.leases.acquire("round:r1", 60_000));
        expect(await store.leases.acquire("round:r1", 60_000)).toBeNull();
        await other.close();
      });

      test("run out, and then can't be renewed or released by the old holder once taken", async () => {
        const old = await held(store.leases.acquire("round:r1", 1));
        const taken = await eventually(() => store.leases.acquire("round:r1", 60_000));
        expect(taken.token).toBeGreaterThan(old.token);
        expect(await store.leases.renew(old, 60_000)).toBe(false);
        await store.leases.release(old);
        expect(await store.leases.holder("round:r1")).toEqual(taken);
      });

      test("are renewed by their holder", async () => {
        const lease = await held(store.leases.acquire("round:r1", 1));
        expect(await store.leases.renew(lease, 60_000)).toBe(true);
        expect(await store.leases.acquire("round:r1", 60_000)).toBeNull();
        expect((await store.leases.holder("round:r1"))?.expiresAt).toBeGreaterThan(lease.expiresAt);
        await store.leases.release(lease);
        expect(await store.leases.renew(lease, 60_000)).toBe(false);
      });

      test("of a live process are respected, of a killed one taken over at once", async () => {
        const child = await start({ do: "hold", name: "round:r1", ttlMs: 3_600_000 });
        const { token } = z.object({ token: z.number() }).parse(await message(child));
        expect(await store.leases.acquire("round:r1", 60_000)).toBeNull();
        await ended(child, "SIGKILL");
        expect(await store.leases.holder("round:r1")).toBeNull();
        const lease = await held(store.leases.acquire("round:r1", 60_000));
        expect(lease.token).toBeGreaterThan(token);
      });

      test("fought over by several processes never have two holders of one token", async () => {
        const job: Job = { do: "contend", name: "round:r1", times: 20 };
        const tokens = (await together(z.array(z.number()), [job, job, job])).flat();
        expect(new Set(tokens).size).toBe(60);
        expect(Math.max(...tokens)).toBe(60);
      });
    });

    describe("used by several processes at once", () => {
      test("gives every number of a counter once", async () => {
        const job: Job = { do: "count", times: 200 };
        const numbers = (await together(z.array(z.number()), [job, job, job])).flat();
        expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 600 }, (_, i) => i + 1));
      });

      test("writes every episode once", async () => {
        const job: Job = { do: "insert", times: 200 };
        const inserted = await together(z.number(), [job, job, job]);
        expect(inserted.reduce((a, b) => a + b)).toBe(200);
        expect(await store.episodes.ofRound("r1")).toHaveLength(200);
      });

      test("loses no update", async () => {
        await store.rounds.insert(aRound({ id: "r1" }));
        const job: Job = { do: "add", times: 200, roundId: "r1" };
        await together(z.number(), [job, job, job]);
        expect((await store.rounds.get("r1"))?.wallMs).toBe(600);
      });

      test("lets one of two racers decide each approval", async () => {
        const environmentIds = Array.from({ length: 300 }, (_, i) => `e${i}`);
        for (const environmentId of environmentIds) await store.approvals.ask("r1", environmentId, 1);
        const jobs = ["ada", "bob"].map((by): Job => ({ do: "decide", roundId: "r1", environmentIds, by }));
        const [ada = [], bob = []] = await together(z.array(z.string()), jobs);
        expect([...ada, ...bob].sort()).toEqual([...environmentIds].sort());
        const decided = await store.approvals.ofRound("r1");
        expect(decided.filter((it) => it.decidedBy === "ada").map((it) => it.environmentId)).toEqual(ada);
        expect(await store.approvals.waiting()).toEqual([]);
      });
    });

    test("keeps every write that returned before its process was killed", async () => {
      const child = await start({ do: "write" });
      let last = -1;
      for await (const [said] of messages(child)) {
        last = z.number().parse(said);
        if (last >= 50) break;
      }
      child.on("message", (said) => {
        last = z.number().parse(said);
      });
      await ended(child, "SIGKILL");
      const episodes = await store.episodes.ofRound("r1");
      expect(episodes.map((it) => it.index).slice(0, last + 1)).toEqual(
        Array.from({ length: last + 1 }, (_, i) => i),
      );
      for (const episode of episodes) {
        expect(await store.texts.get(episode.transcriptId)).toBe(`transcript ${episode.index}`);
      }
    });
  });
}

/** All pages of a listing, `limit` items each. */
async function pages<T>(
  list: (page: { limit: number; after?: string }) => Promise<{ items: readonly T[]; next: string | null }>,
  limit: number,
): Promise<(readonly T[])[]> {
  const found: (readonly T[])[] = [];
  let page = await list({ limit });
  found.push(page.items);
  while (page.next !== null) {
    page = await list({ limit, after: page.next });
    found.push(page.items);
  }
  return found;
}

async function held(acquiring: Promise<Lease | null>): Promise<Lease> {
  const lease = await acquiring;
  if (lease === null) throw new Error("somebody else holds the lease");
  return lease;
}

async function eventually(acquire: () => Promise<Lease | null>): Promise<Lease> {
  for (;;) {
    const lease = await acquire();
    if (lease !== null) return lease;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function message(child: ChildProcess): Promise<unknown> {
  for await (const [said] of messages(child)) return said;
  throw new Error("the process ended without a message");
}

async function* messages(child: ChildProcess): AsyncGenerator<unknown[]> {
  const waiting: unknown[][] = [];
  let wake = (): void => {};
  let over = false;
  const hear = (...said: unknown[]): void => {
    waiting.push(said);
    wake();
  };
  const end = (): void => {
    over = true;
    wake();
  };
  child.on("message", hear);
  child.once("exit", end);
  try {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (over) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    child.off("message", hear);
    child.off("exit", end);
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}
