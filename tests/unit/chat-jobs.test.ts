/** Rounds in the background: their turns, and what happens to them while they wait. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createJobs, type JobState, type Jobs } from "../../bot/chat/jobs.ts";
import { configSchema } from "../../config/schema.ts";
import { cancelRound, createRound, decide, runRound } from "../../graph/control.ts";
import type { Model } from "../../graph/models/model.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { patience } from "../support/chat-rounds.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { roundOptionsOf, silent, type TestServices, testServices } from "../support/services.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, silent);
});
afterAll(() => sandbox.close());

/** A model whose designer waits at a gate that the test opens. */
function gated(): { readonly model: Model; open(): void; asked(): number } {
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const model = scriptedModel({
    before: async (call) => {
      asked += 1;
      const aborted = new Promise((_, reject) => {
        call.signal.addEventListener("abort", () => reject(call.signal.reason), { once: true });
      });
      await Promise.race([gate.promise, aborted]);
    },
  });
  return { model, open: () => gate.resolve(), asked: () => asked };
}

interface Working {
  readonly jobs: Jobs;
  /** Every state of a round, in words. */
  readonly states: (roundId: string) => readonly string[];
}

function working(services: TestServices, atOnce: number): Working {
  const told = new Map<string, string[]>();
  const wordOf = (state: JobState): string =>
    state.type === "queued"
      ? `queued ${state.ahead}`
      : state.type === "ended"
        ? state.record.status
        : state.type;
  const jobs = createJobs({
    services,
    atOnce,
    lookEveryMs: 20,
    changed: (roundId, state) => told.set(roundId, [...(told.get(roundId) ?? []), wordOf(state)]),
  });
  return { jobs, states: (roundId) => told.get(roundId) ?? [] };
}

const small = { envs: 1, plays: 1, repairs: 0 } as const;

async function rounds(services: TestServices, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let seed = 1; seed <= count; seed += 1) {
    ids.push((await createRound(services, roundOptionsOf({ ...small, seed }), "tester")).id);
  }
  return ids;
}

test("so many at once, the others in turn, each told its place", async () => {
  const { model, open } = gated();
  const services = await testServices({ model, sandbox });
  const { jobs, states } = working(services, 2);
  const ids = await rounds(services, 4);
  for (const id of ids) jobs.start(id);
  for (const id of ids) jobs.start(id);
  expect(ids.map((id) => states(id).at(-1))).toEqual(["running", "running", "queued 0", "queued 1"]);
  open();
  await vi.waitUntil(() => ids.every((id) => states(id).at(-1) === "finished"), patience);
  expect(states(ids[3] ?? "")).toEqual(["queued 1", "queued 0", "running", "finished"]);
  expect(jobs.stateOf(ids[0] ?? "")).toBeNull();
  await jobs.close();
  await services.close();
});

test("a round that is cancelled in the queue leaves it, and the others move up", async () => {
  const { model, open } = gated();
  const services = await testServices({ model, sandbox });
  const { jobs, states } = working(services, 1);
  const [first = "", second = "", third = ""] = await rounds(services, 3);
  for (const id of [first, second, third]) jobs.start(id);
  await cancelRound(services, second, "Ann");
  await vi.waitUntil(() => states(second).at(-1) === "cancelled", patience);
  expect(states(third).at(-1)).toBe("queued 0");
  await cancelRound(services, first, "Ann");
  await vi.waitUntil(() => states(first).at(-1) === "cancelled", patience);
  open();
  await vi.waitUntil(() => states(third).at(-1) === "finished", patience);
  await jobs.close();
  await services.close();
});

test("a round that waits goes on when all have decided, by whoever's hand", async () => {
  const services = await testServices({ model: scriptedModel(), sandbox });
  const { jobs, states } = working(services, 1);
  const { id } = await createRound(services, roundOptionsOf({ envs: 2, plays: 1, approve: true }), "tester");
  jobs.start(id);
  await vi.waitUntil(() => states(id).at(-1) === "waiting", patience);
  for (const { environmentId } of await services.store.approvals.ofRound(id)) {
    await decide(services, environmentId, { status: "approved", by: "Ann", reason: null });
  }
  await vi.waitUntil(() => states(id).at(-1) === "finished", patience);
  expect(states(id)).toEqual(["queued 0", "running", "waiting", "queued 0", "running", "finished"]);
  await jobs.close();
  await services.close();
});

test("a round of another process is watched until it is over, or taken up when that process lets go of it", async () => {
  const { model, open, asked } = gated();
  const services = await testServices({ model, sandbox });
  const other = await testServices({ model, sandbox, dataDir: services.dataDir });
  const { jobs, states } = working(services, 2);
  const [finished = "", dropped = ""] = await rounds(services, 2);
  const drop = new AbortController();
  const elsewhere = [runRound(other, finished), runRound(other, dropped, { signal: drop.signal })];
  await vi.waitUntil(() => asked() === 2, patience);
  jobs.start(finished);
  jobs.start(dropped);
  await vi.waitUntil(() => [finished, dropped].every((id) => states(id).at(-1) === "elsewhere"), patience);
  drop.abort();
  await elsewhere[1];
  await vi.waitUntil(() => states(dropped).at(-1) === "running", patience);
  open();
  await vi.waitUntil(() => [finished, dropped].every((id) => states(id).at(-1) === "finished"), patience);
  expect(states(finished)).toEqual(["queued 0", "running", "elsewhere", "finished"]);
  await Promise.all(elsewhere);
  await jobs.close();
  await other.close();
  await services.close();
});

test("a failed round can be tried again from the queue, and a failure harms no other", async () => {
  let refuses = true;
  const services = await testServices({
    model: scriptedModel({
      before: ({ seed }) => {
        if (refuses) throw new Error(`no answer to ${seed}`);
      },
    }),
    sandbox,
  });
  const { jobs, states } = working(services, 1);
  const [first = "", second = ""] = await rounds(services, 2);
  jobs.start(first);
  await vi.waitUntil(() => states(first).at(-1) === "failed", patience);
  refuses = false;
  jobs.start(second);
  jobs.start(first);
  await jobs.look(first);
  expect(states(first).at(-1)).toBe("queued 0");
  await vi.waitUntil(() => [first, second].every((id) => states(id).at(-1) === "finished"), patience);
  await jobs.close();
  await services.close();
});

test("closing finishes what is in flight, and leaves the rest to the next process", async () => {
  const { model, open, asked } = gated();
  const services = await testServices({ model, sandbox });
  const { jobs, states } = working(services, 1);
  const [first = "", second = ""] = await rounds(services, 2);
  jobs.start(first);
  jobs.start(second);
  await vi.waitUntil(() => asked() > 0, patience);
  const closing = jobs.close();
  open();
  await closing;
  expect(states(first).at(-1)).toBe("stopped");
  expect(states(second)).toEqual(["queued 0", "stopped"]);
  jobs.start(second);
  expect(states(second).at(-1)).toBe("stopped");
  expect((await services.store.rounds.get(first))?.status).toBe("running");
  expect(await services.store.leases.holder(`round:${first}`)).toBeNull();
  await services.close();
});
