/** What a round's messages outlive: restarts, deletions, missing permissions, and a chat that does not answer. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { createRound } from "../../graph/control.ts";
import type { Model } from "../../graph/models/model.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { DeskSetting } from "../support/chat-rounds.ts";
import { ann, ben, deskSetting, lab, patience } from "../support/chat-rounds.ts";
import {
  drawn,
  forbidden,
  memoryRoom,
  type RoomCall,
  type RoomMessage,
  unavailable,
} from "../support/memory-room.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { roundOptionsOf, silent } from "../support/services.ts";

let sandbox: Sandbox;
let dataDir: string;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, silent);
  dataDir = await mkdtemp(join(tmpdir(), "spadework-chat-"));
});
afterAll(async () => {
  await sandbox.close();
  await rm(dataDir, { recursive: true });
});

const model = scriptedModel();
const models = configSchema.parse({ models: { concurrency: 2 } }).models;

/** A model that waits before the agent's so many-th answer until the test lets it go on. */
function pausing(answers: number): { readonly model: Model; readonly paused: Promise<void>; goOn(): void } {
  const paused = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  return {
    model: scriptedModel({
      before: async ({ role }) => {
        if (role !== "agent") return;
        calls += 1;
        if (calls < answers) return;
        paused.resolve();
        await gate.promise;
      },
    }),
    paused: paused.promise,
    goOn: () => gate.resolve(),
  };
}

async function untilDone({ services }: DeskSetting, roundId: string): Promise<void> {
  await vi.waitUntil(
    async () => (await services.store.posts.get(`round:${roundId}`))?.facts.done === true,
    patience,
  );
}

const statusesIn = (messages: readonly RoomMessage[]): readonly RoomMessage[] =>
  messages.filter(({ card }) => card.blocks.some((block) => JSON.stringify(block).includes('"started"')));

/** What every round leaves in its thread: one status message, its designs, one play told, one end. */
function expectWhole(messages: readonly RoomMessage[], roundId: string): void {
  const titles = messages.map(({ card }) => card.title);
  expect(statusesIn(messages)).toHaveLength(1);
  expect(titles.filter((title) => title === `Round ${roundId}: finished`)).toHaveLength(2);
  expect(titles.filter((title) => / (\S+): (admitted|rejected)$/.test(title)).sort()).toEqual([
    expect.stringContaining(`${roundId}-1 `),
    expect.stringContaining(`${roundId}-2 `),
    expect.stringContaining(`${roundId}-3 `),
  ]);
  expect(titles.filter((title) => title.includes("played twice"))).toHaveLength(1);
  expect(titles).toHaveLength(6);
}

test("after a restart the same status message goes on, and nothing is posted twice", async () => {
  const room = memoryRoom();
  const directory = join(dataDir, "restart");
  const held = pausing(10);
  const first = await deskSetting({
    room,
    model: held.model,
    sandbox,
    dataDir: directory,
    config: { models },
  });
  const id = await first.start();
  await held.paused;
  const closing = first.desk.close();
  held.goOn();
  await closing;
  expect((await first.services.store.rounds.get(id))?.status).toBe("running");
  const thread = room.threads[0]?.id ?? "";
  const [status] = room.standing(thread);
  expect(status?.card.title).toBe("Round r1: interrupted");
  const played = (await first.services.store.episodes.ofRound(id)).length;
  expect(played).toBeGreaterThan(0);
  const edits = status?.history.length ?? 0;
  await first.services.close();

  const second = await deskSetting({ room, model, sandbox, dataDir: directory });
  await second.desk.resume();
  await untilDone(second, id);
  const [same] = room.standing(thread);
  expect(same?.messageId).toBe(status?.messageId);
  const since = same?.history.slice(edits) ?? [];
  expect(drawn(since[0]?.card ?? noCard)).toMatch(new RegExp(`episodes +${played}\\b`));
  expect(drawn(same?.card ?? noCard)).toMatch(/play {5}█{12} 24\/24/);
  expect(drawn(same?.card ?? noCard)).toMatch(/regret so far +-?\d\.\d\d, mean of 3 environments/);
  expectWhole(room.standing(thread), id);
  await second.close();

  // Nothing is left to do for a third process.
  const messages = room.messages.length;
  const third = await deskSetting({ room, model, sandbox, dataDir: directory });
  await third.desk.resume();
  await third.close();
  expect(room.messages).toHaveLength(messages);
});

const noCard = { title: "", tone: "plain", blocks: [], files: [], buttons: [] } as const;

test("what was posted just before a process died is not posted again, and what was not is", async () => {
  const room = memoryRoom();
  const directory = join(dataDir, "died");
  const setting = await deskSetting({ room, model, sandbox, dataDir: directory });
  const id = await setting.start();
  await untilDone(setting, id);
  const whole = room.messages.length;
  const stored = await setting.services.store.posts.get(`round:${id}`);
  const facts = stored?.facts ?? {};
  /** As if the process had died after a post, before it was kept. */
  const forget = [
    { threadId: null, messageId: null, facts: { ...facts, starterId: null, thread: "to-open", statuses: 0 } },
    { facts: { ...facts, voices: [] } },
    { facts: { ...facts, told: null } },
  ];
  for (const lost of forget) {
    await setting.services.store.posts.update(`round:${id}`, (record) => ({
      ...record,
      ...stored,
      ...lost,
      facts: { ...lost.facts, done: false },
    }));
    await setting.desk.resume();
    await untilDone(setting, id);
    expect(room.messages).toHaveLength(whole);
    expect(room.threads).toHaveLength(1);
  }
  // The end was reached, but not told.
  room.destroy(room.messages.at(-1)?.messageId ?? "");
  await setting.services.store.posts.update(`round:${id}`, (record) => ({
    ...record,
    facts: { ...record.facts, told: null, done: false },
  }));
  await setting.desk.resume();
  await untilDone(setting, id);
  expect(room.messages).toHaveLength(whole + 1);
  expect(room.messages.at(-1)?.mention).toEqual(["ann-1"]);
  await setting.close();
});

test("a round that waited is watched after a restart, and goes on when all have decided meanwhile", async () => {
  const room = memoryRoom();
  const directory = join(dataDir, "waited");
  const first = await deskSetting({ room, model, sandbox, dataDir: directory });
  const id = await first.start({ approve: true });
  await first.until(id, "waiting");
  await first.close();
  const second = await deskSetting({ room, model, sandbox, dataDir: directory });
  const { store } = second.services;
  for (const { environmentId } of await store.approvals.ofRound(id)) {
    await store.approvals.decide(id, environmentId, { status: "approved", by: "Ben", reason: null, at: 1 });
  }
  await second.desk.resume();
  await untilDone(second, id);
  const titles = room.standing(room.threads[0]?.id ?? "").map(({ card }) => card.title);
  expect(titles.filter((title) => title === "Round r1: waiting")).toHaveLength(1);
  expect(titles.at(-1)).toBe("Round r1: finished");
  await second.close();
});

test("a status message that is deleted is posted anew, once", async () => {
  const room = memoryRoom();
  const held = pausing(6);
  const setting = await deskSetting({ room, model: held.model, sandbox, config: { models } });
  const id = await setting.start();
  const thread = room.threads[0]?.id ?? "";
  const status = (): RoomMessage | undefined => statusesIn(room.standing(thread))[0];
  room.destroy(status()?.messageId ?? "");
  await vi.waitUntil(() => status() !== undefined, patience);
  await held.paused;
  room.destroy(status()?.messageId ?? "");
  held.goOn();
  await untilDone(setting, id);
  expect(statusesIn(room.messages)).toHaveLength(2);
  expect(statusesIn(room.standing(thread))).toHaveLength(0);
  expect(room.standing(thread).at(-1)?.card.title).toBe("Round r1: finished");
  await setting.close();
});

test("a round whose thread is deleted goes on in the channel, and says why", async () => {
  const room = memoryRoom();
  const held = pausing(6);
  const setting = await deskSetting({ room, model: held.model, sandbox, config: { models } });
  const id = await setting.start();
  await held.paused;
  room.destroy(room.threads[0]?.id ?? "");
  held.goOn();
  await untilDone(setting, id);
  const words = room.read("lab");
  const status = words.find((text) => text.includes("started")) ?? "";
  expect(words.join("\n")).toContain("Its thread was deleted. The round goes on here.");
  expect(status).toContain("Round r1: finished");
  expect(room.standing("lab").at(-1)?.mention).toEqual(["ann-1"]);
  expect(room.threads).toHaveLength(1);
  await setting.close();
});

test("a round whose channel is gone goes on unseen, and can be shown elsewhere", async () => {
  const room = memoryRoom();
  const held = pausing(6);
  const setting = await deskSetting({ room, model: held.model, sandbox, config: { models } });
  const id = await setting.start();
  await held.paused;
  room.destroy("lab");
  held.goOn();
  await setting.until(id, "finished");
  await untilDone(setting, id);
  expect(room.messages.filter((message) => !message.gone)).toEqual([]);
  expect(await setting.desk.whereabouts(id)).toEqual({ link: null, ahead: null });
  await setting.close();
});

test("where no thread can be opened the round is shown in the channel, with the reason", async () => {
  const room = memoryRoom();
  room.before = ({ method }) => {
    if (method === "openThread") throw forbidden("Create Public Threads");
  };
  const setting = await deskSetting({ room, model, sandbox });
  const id = await setting.start();
  await untilDone(setting, id);
  expect(room.threads).toEqual([]);
  expect(room.read("lab")[1]).toContain('The bot lacks the permission "Create Public Threads" here.');
  expectWhole(room.standing("lab").slice(1), id);
  await setting.close();
});

test("where nothing can be posted the answer says so, and the round runs all the same", async () => {
  const room = memoryRoom();
  room.before = ({ method, channelId }) => {
    if (method === "post" && channelId === "lab") throw forbidden();
  };
  const held = pausing(6);
  const setting = await deskSetting({ room, model: held.model, sandbox });
  const { id } = await createRound(setting.services, roundOptionsOf(), "Ann");
  const answer = await setting.desk.startRound(id, ann, lab);
  expect(answer.tone).toBe("warning");
  expect(drawn(answer)).toContain('lacks the permission "Send Messages"');
  expect(answer.buttons).toMatchObject([{ command: "cancel" }]);
  held.goOn();
  await setting.until(id, "finished");
  await untilDone(setting, id);
  expect(room.messages).toEqual([]);
  await setting.close();
});

test("a round that was shown nowhere is shown where it is resumed", async () => {
  const room = memoryRoom();
  let refuses = true;
  const failing = scriptedModel({
    before: ({ role }) => {
      if (refuses && role === "agent") throw new Error("no answer");
    },
  });
  const setting = await deskSetting({ room, model: failing, sandbox });
  room.destroy("lab");
  const id = await setting.start();
  await untilDone(setting, id);
  refuses = false;
  await setting.desk.startRound(id, ben, { channelId: "office", shared: true });
  await vi.waitUntil(() => room.standing("office")[0]?.card.title === "Round r1: finished", patience);
  const thread = room.standing(room.threads[0]?.id ?? "");
  expect(thread.at(-1)).toMatchObject({ card: { title: "Round r1: finished" }, mention: ["ben-2"] });
  await setting.close();
});

test("a chat that does not answer for a while is told everything afterwards, once", async () => {
  const room = memoryRoom();
  let calls = 0;
  room.before = () => {
    calls += 1;
    if (calls % 3 !== 0) throw unavailable();
  };
  const setting = await deskSetting({ room, model, sandbox });
  const id = await setting.start();
  await untilDone(setting, id);
  expectWhole(room.standing(room.threads[0]?.id ?? ""), id);
  expect(room.standing("lab")).toHaveLength(1);
  await setting.close();
});

test("a chat that never answers does not keep a process from ending", async () => {
  const room = memoryRoom();
  const hung: RoomCall[] = [];
  const setting = await deskSetting({ room, model, sandbox });
  const id = await setting.start({ envs: 1 });
  room.before = async (call) => {
    hung.push(call);
    await new Promise(() => {});
  };
  await setting.until(id, "finished");
  const before = Date.now();
  await setting.close();
  expect(Date.now() - before).toBeLessThan(8_000);
  expect(hung.length).toBe(1);
});

test("what can't be read of one round's messages does not keep the others from going on", async () => {
  const room = memoryRoom();
  const directory = join(dataDir, "odd");
  const held = pausing(6);
  const first = await deskSetting({ room, model: held.model, sandbox, dataDir: directory });
  const id = await first.start();
  await held.paused;
  const closing = first.desk.close();
  held.goOn();
  await closing;
  const { posts } = first.services.store;
  const odd = { channelId: "lab", messageId: null, threadId: null, personId: null, updatedAt: 1 };
  await posts.insert({ id: "round:a1", ...odd, facts: { purpose: "?" } });
  const stored = await posts.get(`round:${id}`);
  await posts.insert({ ...odd, id: "round:a2", facts: stored?.facts ?? {} });
  await first.services.close();
  const second = await deskSetting({ room, model, sandbox, dataDir: directory });
  await second.desk.resume();
  await untilDone(second, id);
  expectWhole(room.standing(room.threads[0]?.id ?? ""), id);
  await second.close();
});
