/** The store that a contract's tests use: opened in a fresh place before each, with processes that open it, too. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect } from "vitest";
import type { z } from "zod";
import type { Store } from "../../store/store.ts";
import type { Job } from "./store-process.ts";

export interface StoreAdapter {
  readonly name: string;
  /** The path of a module that exports `open(location): Promise<Store>`. */
  readonly opener: string;
  readonly open: (location: string) => Promise<Store>;
  /** A fresh place for a store, and how to get rid of it. */
  readonly place: () => Promise<{ readonly location: string; readonly remove: () => Promise<void> }>;
}

export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens it again in the same place. */
  reopen(): Promise<void>;
  /** One more handle on the same store, for the test to close. */
  another(): Promise<Store>;
  /** A process that does the job; it is killed when the test ends. */
  start(job: Job): Promise<ChildProcess>;
  /** What each of several processes that start at once answers. */
  together<T>(schema: z.ZodType<T>, jobs: readonly Job[]): Promise<T[]>;
}

/** Opens a store before each test of the surrounding suite, and removes it after. */
export function openedStore(adapter: StoreAdapter): OpenedStore {
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

  return {
    get store() {
      return store;
    },
    async reopen() {
      await store.close();
      store = await adapter.open(location);
    },
    another: () => adapter.open(location),
    async start(job) {
      const child = await prepare(job);
      child.send("go");
      return child;
    },
    async together(schema, jobs) {
      const ready = await Promise.all(jobs.map(prepare));
      const answers = ready.map(message);
      for (const child of ready) child.send("go");
      return (await Promise.all(answers)).map((answer) => schema.parse(answer));
    },
  };
}

/** All pages of a listing, `limit` items each. */
export async function pages<T>(
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

export async function message(child: ChildProcess): Promise<unknown> {
  for await (const [said] of messages(child)) return said;
  throw new Error("the process ended without a message");
}

export async function* messages(child: ChildProcess): AsyncGenerator<unknown[]> {
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

export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}
