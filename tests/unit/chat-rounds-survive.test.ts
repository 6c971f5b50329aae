/** What a round's messages outlive: deletions, missing permissions, and a chat that does not answer. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { createRound } from "../../graph/control.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import {
  ann,
  ben,
  deskSetting,
  expectWhole,
  lab,
  patience,
  pausing,
  statusesIn,
  untilDone,
} from "../support/chat-rounds.ts";
import {
  drawn,
  forbidden,
  gone,
  memoryRoom,
  type RoomCall,
  type RoomMessage,
  unavailable,
} from "../support/memory-room.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { roundOptionsOf, silent } from "../support/services.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, silent);
});
afterAll(() => sandbox.close());

const model = scriptedModel();
const models = configSchema.parse({ models: { concurrency: 2 } }).models;

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

test("a round whose channel is gone goes on unseen, and whoever started it is told the end directly", async () => {
  const room = memoryRoom();
  const held = pausing(6);
  const setting = await deskSetting({ room, model: held.model, sandbox, config: { models } });
  const id = await setting.start();
  await held.paused;
  room.destroy("lab");
  held.goOn();
  await setting.until(id, "finished");
  await untilDone(setting, id);
  const [told, ...more] = room.messages.filter((message) => !message.gone);
  expect(more).toEqual([]);
  expect(told).toMatchObject({ channelId: "direct-ann-1", mention: ["ann-1"] });
  expect(drawn(told?.card ?? noCard)).toMatch(/can't be shown where it was asked for\. It was deleted\./);
  expect(told?.card.title).toBe("Round r1: finished");
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
  expect(room.messages.map(({ channelId }) => channelId)).toEqual(["direct-ann-1"]);
  await setting.close();
});

test("a round goes on in the same message when its place can be reached again", async () => {
  const room = memoryRoom();
  const held = pausing(6);
  const setting = await deskSetting({ room, model: held.model, sandbox, config: { models } });
  const id = await setting.start();
  let refused = 0;
  room.before = () => {
    refused += 1;
    throw gone();
  };
  await vi.waitUntil(async () => (await setting.desk.whereabouts(id)).link === null, patience);
  await vi.waitUntil(() => refused > 4, patience);
  room.before = null;
  await vi.waitUntil(async () => (await setting.desk.whereabouts(id)).link !== null, patience);
  held.goOn();
  await untilDone(setting, id);
  expectWhole(room.standing(room.threads[0]?.id ?? ""), id);
  expect(room.standing("direct-ann-1")).toEqual([]);
  await setting.close();
});

test("a round whose place and person can't be reached is told when one of them can", async () => {
  const room = memoryRoom();
  const held = pausing(6);
  const setting = await deskSetting({ room, model: held.model, sandbox, config: { models } });
  const id = await setting.start();
  await held.paused;
  room.before = () => {
    throw forbidden();
  };
  held.goOn();
  await setting.until(id, "finished");
  await vi.waitUntil(async () => (await setting.desk.whereabouts(id)).link === null, patience);
  room.before = null;
  await untilDone(setting, id);
  const ends = room.messages.filter(({ mention }) => mention.length > 0);
  expect(ends.map(({ card }) => card.title)).toEqual(["Round r1: finished"]);
  await setting.close();
});

test("a round that can't be shown any more goes on where somebody resumes it", async () => {
  const room = memoryRoom();
  const held = pausing(6);
  const setting = await deskSetting({ room, model: held.model, sandbox, config: { models } });
  const id = await setting.start();
  room.destroy("lab");
  const { store } = setting.services;
  await vi.waitUntil(async () => (await store.posts.get(`round:${id}`))?.facts.thread === "lost", patience);
  await setting.desk.startRound(id, ben, { channelId: "office", shared: true });
  held.goOn();
  await untilDone(setting, id);
  const thread = room.standing(room.threads[1]?.id ?? "");
  expect(thread.at(-1)).toMatchObject({ card: { title: "Round r1: finished" }, mention: ["ben-2"] });
  await setting.close();
});

const noCard = { title: "", tone: "plain", blocks: [], files: [], buttons: [] } as const;

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
