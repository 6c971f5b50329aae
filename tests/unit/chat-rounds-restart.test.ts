/** Rounds in a chat over the end of their process: the same messages go on, and nothing is said twice. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { deskSetting, expectWhole, pausing, untilDone } from "../support/chat-rounds.ts";
import { drawn, memoryRoom } from "../support/memory-room.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { silent } from "../support/services.ts";

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
  expect(titles.filter((title) => title === "Round r1 asks for approval")).toHaveLength(1);
  expect(titles.at(-1)).toBe("Round r1: finished");
  await second.close();
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
