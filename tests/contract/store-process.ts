/**
 * Another process that uses the store under test: `node store-process.ts OPENER LOCATION JOB`. It says "ready" once the
 * store is open, starts at the parent's next message, so that racers start together, and answers by messages.
 */
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { Store } from "../../store/store.ts";
import { anEpisode } from "./store-records.ts";

const job = z.discriminatedUnion("do", [
  /** Draws numbers of the counter `round`. */
  z.object({ do: z.literal("count"), times: z.number() }),
  /** Inserts the episodes 0 to times − 1; answers how many were new. */
  z.object({ do: z.literal("insert"), times: z.number() }),
  /** Adds 1 to a round's wallMs, again and again. */
  z.object({ do: z.literal("add"), times: z.number(), roundId: z.string() }),
  /** Decides a round's approvals; answers those that it won. */
  z.object({
    do: z.literal("decide"),
    roundId: z.string(),
    environmentIds: z.array(z.string()),
    by: z.string(),
  }),
  /** Takes a lease, says so, and waits to be killed. */
  z.object({ do: z.literal("hold"), name: z.string(), ttlMs: z.number() }),
  /** Takes and gives back a lease; answers the token of every time that it held it. */
  z.object({ do: z.literal("contend"), name: z.string(), times: z.number() }),
  /** Writes texts and episodes without end, saying each one that is written. */
  z.object({ do: z.literal("write") }),
]);
export type Job = z.infer<typeof job>;

const opener = z.object({
  open: z.custom<(location: string) => Promise<Store>>((it) => typeof it === "function"),
});

async function work(store: Store, task: Job): Promise<void> {
  switch (task.do) {
    case "count": {
      const numbers: number[] = [];
      for (let i = 0; i < task.times; i += 1) numbers.push(await store.nextNumber("round"));
      return say(numbers);
    }
    case "insert": {
      let inserted = 0;
      for (let index = 0; index < task.times; index += 1) {
        if (await store.episodes.insert(anEpisode({ index }))) inserted += 1;
      }
      return say(inserted);
    }
    case "add":
      for (let i = 0; i < task.times; i += 1) {
        await store.rounds.update(task.roundId, (round) => ({ ...round, wallMs: round.wallMs + 1 }));
      }
      return say(task.times);
    case "decide": {
      const won: string[] = [];
      for (const environmentId of task.environmentIds) {
        const decision = { status: "approved", by: task.by, reason: null, at: 2_000 } as const;
        if (await store.approvals.decide(task.roundId, environmentId, decision)) won.push(environmentId);
      }
      return say(won);
    }
    case "hold":
      say(await store.leases.acquire(task.name, task.ttlMs));
      await new Promise((resolve) => setTimeout(resolve, 600_000));
      return;
    case "contend": {
      const tokens: number[] = [];
      while (tokens.length < task.times) {
        const lease = await store.leases.acquire(task.name, 60_000);
        if (lease === null) continue;
        tokens.push(lease.token);
        await store.leases.release(lease);
      }
      return say(tokens);
    }
    case "write":
      for (let index = 0; ; index += 1) {
        const transcriptId = await store.texts.put(`transcript ${index}`);
        await store.episodes.insert(anEpisode({ index, transcriptId }));
        say(index);
        // Lets the message out.
        await new Promise((resolve) => setImmediate(resolve));
      }
  }
}

function say(message: unknown): void {
  process.send?.(message);
}

const [module = "", location = "", task = ""] = process.argv.slice(2);
const { open } = opener.parse(await import(pathToFileURL(module).href));
const store = await open(location);
const started = once(process, "message");
say("ready");
await started;
await work(store, job.parse(JSON.parse(task)));
await store.close();
process.disconnect?.();
