/** Loading ahead: who plays gets what is loaded already, and what nobody plays is closed. */
import { expect, test } from "vitest";
import { Loading } from "../../graph/loading.ts";
import type { EnvironmentHandle, Outcome, Sandbox, SandboxStats } from "../../sandbox/sandbox.ts";

const options = { language: "javascript" } as const;

/** A sandbox of one host that tells what it opened and closed; loads end when the test says so. */
function sandbox(stats: Partial<SandboxStats> = {}) {
  const opened: { readonly source: string; end: (outcome?: Outcome<EnvironmentHandle>) => void }[] = [];
  const closed: string[] = [];
  const neverAsked = (): never => {
    throw new Error("nobody steps here");
  };
  const handleOf = (source: string): EnvironmentHandle => ({
    shape: { className: source, kind: "game", maxTurns: 5, singleInstance: false, hasSolution: false },
    reset: neverAsked,
    step: neverAsked,
    tools: neverAsked,
    run: neverAsked,
    runAll: neverAsked,
    solution: neverAsked,
    close: async () => {
      closed.push(source);
    },
  });
  const open: Sandbox["open"] = (source) => {
    const load = Promise.withResolvers<Outcome<EnvironmentHandle>>();
    opened.push({ source, end: (outcome) => load.resolve(outcome ?? { ok: true, value: handleOf(source) }) });
    return load.promise;
  };
  const all = { hosts: 1, live: 0, waiting: 0, hostRestarts: 0, ...stats };
  return { opened, closed, sandbox: { open, stats: () => all, close: async () => undefined } };
}

test("a play gets what was loaded ahead, and the next one loads its own", async () => {
  const { opened, closed, sandbox: of } = sandbox();
  const loading = new Loading(of, 8);
  loading.ahead("a", 1, options);
  await expect.poll(() => opened.length).toBe(1);
  opened[0]?.end();
  expect((await loading.open("a", options)).ok).toBe(true);
  expect(opened).toHaveLength(1);
  const second = loading.open("a", options);
  await expect.poll(() => opened.length).toBe(2);
  opened[1]?.end();
  expect((await second).ok).toBe(true);
  await loading.close();
  expect(closed).toEqual([]);
});

test("what could not be loaded ahead is loaded anew", async () => {
  const { opened, sandbox: of } = sandbox();
  const loading = new Loading(of, 8);
  loading.ahead("a", 1, options);
  await expect.poll(() => opened.length).toBe(1);
  opened[0]?.end({
    ok: false,
    failure: { verdict: "sandbox-failed", call: "open", turn: 0, detail: "a host died" },
  });
  const played = loading.open("a", options);
  await expect.poll(() => opened.length).toBe(2);
  opened[1]?.end();
  expect((await played).ok).toBe(true);
});

test("no more is loaded ahead than there is room for, and nothing while others wait", async () => {
  const free = sandbox();
  const loading = new Loading(free.sandbox, 3);
  loading.ahead("a", 2, options);
  loading.ahead("b", 2, options);
  await expect.poll(() => free.opened.length).toBe(3);
  expect(free.opened.map(({ source }) => source)).toEqual(["a", "a", "b"]);
  const busy = sandbox({ waiting: 1 });
  const later = new Loading(busy.sandbox, 3);
  later.ahead("a", 1, options);
  await later.close();
  expect(busy.opened).toEqual([]);
});

test("what nobody plays is closed, and what was not begun is not loaded", async () => {
  const { opened, closed, sandbox: of } = sandbox();
  const loading = new Loading(of, 8);
  loading.ahead("a", 8, options);
  await expect.poll(() => opened.length).toBe(4);
  const ended = loading.close();
  for (const { end } of opened) end();
  await ended;
  expect(opened).toHaveLength(4);
  expect(closed).toEqual(["a", "a", "a", "a"]);
});
