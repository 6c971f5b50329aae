/** A round in a chat, from its first message to its last, in a room that does what it is told. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { cancelRound, createRound, decide } from "../../graph/control.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { ann, ben, deskSetting, lab, patience, untilDone } from "../support/chat-rounds.ts";
import { drawn, type MemoryRoom, memoryRoom, type RoomMessage } from "../support/memory-room.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { roundOptionsOf, silent } from "../support/services.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, silent);
});
afterAll(() => sandbox.close());

const model = scriptedModel();

/** The messages of the only thread. */
function threadOf(room: MemoryRoom): readonly RoomMessage[] {
  return room.standing(room.threads[0]?.id ?? "");
}

const titles = (messages: readonly RoomMessage[]): string[] => messages.map(({ card }) => card.title);

/** Resolves when the round's last word has been said: its first message in the channel tells how it ended. */
async function untilTold(room: MemoryRoom, roundId: string, word: string): Promise<void> {
  await vi.waitUntil(
    () => room.messages.some(({ card }) => card.title === `Round ${roundId}: ${word}`),
    patience,
  );
}

test("a round has a thread with one status message, the voices, and a new message at its end", async () => {
  const room = memoryRoom();
  const setting = await deskSetting({ room, model, sandbox });
  const { id } = await createRound(setting.services, roundOptionsOf(), "Ann");
  const answer = await setting.desk.startRound(id, ann, lab);
  expect(drawn(answer)).toMatch(/^Round r1\n/);
  expect(drawn(answer)).toContain("3 designs, mixed");
  expect(drawn(answer)).toContain("Its progress: room:t2/m3");
  await untilDone(setting, id);

  const [starter, ...others] = room.standing("lab");
  expect(others).toEqual([]);
  expect(starter?.card.title).toBe("Round r1: finished");
  expect(room.threads).toMatchObject([{ channelId: "lab", title: "Round r1: 3 designs, mixed" }]);

  const [status, ...voices] = threadOf(room);
  const end = voices.pop();
  expect(titles(voices).slice(0, 3).sort()).toEqual([
    expect.stringMatching(/^r1-1 .+: admitted$/),
    expect.stringMatching(/^r1-2 .+: admitted$/),
    expect.stringMatching(/^r1-3 .+: admitted$/),
  ]);
  expect(titles(voices)[3]).toMatch(/^One instance of r1-\d .+, played twice$/);
  expect(voices).toHaveLength(4);
  expect(end?.card.title).toBe("Round r1: finished");
  expect(end?.mention).toEqual(["ann-1"]);
  expect(end?.card.chart).toMatchObject({ type: "round", environments: { length: 3 } });
  expect(room.messages.flatMap(({ mention }) => mention)).toEqual(["ann-1"]);

  expect(status?.history[0]?.card.buttons).toMatchObject([{ command: "cancel", options: { id: "r1" } }]);
  const last = drawn(status?.card ?? answer);
  expect(last).toContain("Round r1: finished");
  expect(last).toMatch(/play {5}█{12} 24\/24/);
  expect(last).toContain("3 admitted, 0 rejected");
  expect(last).toMatch(/regret so far +-?\d\.\d\d, mean of 3 environments/);
  expect(status?.card.buttons).toEqual([]);
  expect(await setting.desk.whereabouts(id)).toEqual({ link: "room:t2/m3", ahead: null });

  // A finished round is answered with its result.
  expect((await setting.desk.startRound(id, ben, lab)).title).toBe("Round r1: finished");
  await setting.close();
});

test("the voices say what was designed and why, what admission said, and how a hint changes a play", async () => {
  const room = memoryRoom();
  const told = scriptedModel({
    design: (call, repairs) =>
      call.seed % 2 === 0 || repairs > 0
        ? "<think>secret thoughts</think>A search for a number.\n```javascript\nclass X {\n// no more of it\n@@\n```\nHave fun."
        : "I would rather not.",
  });
  const setting = await deskSetting({ room, model: told, sandbox });
  const id = await setting.start({ envs: 2, repairs: 1 });
  await untilDone(setting, id);
  const words = room.read("t2").join("\n");
  expect(words).toContain("r1-1 X: rejected");
  expect(words).toContain("it went back to its designer once");
  expect(words).toContain("parse: ");
  expect(words).toContain("A search for a number.");
  expect(words).toContain("Have fun.");
  expect(words).not.toContain("secret thoughts");
  expect(words).not.toContain("no more of it");
  // Nothing was played, so there is no play to tell of.
  expect(words).not.toContain("played twice");
  await setting.close();

  const other = memoryRoom();
  const plain = await deskSetting({ room: other, model, sandbox });
  await untilDone(plain, await plain.start({ envs: 1, plays: 8 }));
  const voice = threadOf(other).find(({ card }) => card.title.includes("played twice"));
  const said = drawn(voice?.card ?? { title: "", tone: "plain", blocks: [], files: [], buttons: [] });
  expect(said).toMatch(/without the hint +return -?\d\.\d\d in \d+ turns?, /);
  expect(said).toContain("The hint");
  expect(voice?.card.files.map(({ name }) => name)).toEqual(["r1-1-plain.txt", "r1-1-hinted.txt"]);
  expect(voice?.card.buttons.map(({ options }) => options.id)).toEqual([
    expect.stringMatching(/^r1\.r1-1\.plain\.(\d)$/),
    expect.stringMatching(/^r1\.r1-1\.hinted\.(\d)$/),
  ]);
  await plain.close();
});

test("many designs share a few posts", async () => {
  const room = memoryRoom();
  const setting = await deskSetting({ room, model, sandbox });
  const id = await setting.start({ envs: 25, plays: 1, repairs: 0 });
  await untilDone(setting, id);
  const posts = threadOf(room).filter(({ card }) => card.title.startsWith("Designs "));
  expect(posts).toHaveLength(5);
  const said = posts.map(({ card }) => drawn(card)).join("\n");
  for (let slot = 1; slot <= 25; slot += 1) expect(said).toContain(`r1-${slot} `);
  expect(threadOf(room)).toHaveLength(8);
  await setting.close();
});

test("edits keep their distance, show the latest, and stop when nothing changes", async () => {
  const room = memoryRoom();
  const progressMs = 150;
  let editing = 0;
  room.before = async ({ method }) => {
    if (method !== "edit") return;
    editing += 1;
    expect(editing).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 40));
    editing -= 1;
  };
  const slow = scriptedModel({ before: () => new Promise((resolve) => setTimeout(resolve, 3)) });
  const setting = await deskSetting({ room, model: slow, sandbox, progressMs, config: few });
  const id = await setting.start({ envs: 2, plays: 8 });
  await untilDone(setting, id);
  const [status] = threadOf(room);
  const history = status?.history ?? [];
  expect(history.length).toBeGreaterThan(4);
  expect(setting.events.length).toBeGreaterThan(4 * history.length);
  for (const [at, { at: time }] of history.entries()) {
    const before = history[at - 1];
    if (before !== undefined) expect(time - before.at).toBeGreaterThanOrEqual(progressMs - 5);
  }
  const texts = history.map(({ card }) => JSON.stringify(card));
  expect(new Set(texts).size).toBe(texts.length);
  expect(status?.card.title).toBe("Round r1: finished");
  await setting.close();
});

/** Few model calls at once, so that a round takes a while. */
const few = { models: configSchema.parse({ models: { concurrency: 2 } }).models };

test("a cancelled round says so, and shows nothing more", async () => {
  const room = memoryRoom();
  const playing = Promise.withResolvers<void>();
  const hangs = scriptedModel({
    before: async (call) => {
      if (call.role !== "agent") return;
      playing.resolve();
      await new Promise((_, reject) => {
        call.signal.addEventListener("abort", () => reject(call.signal.reason), { once: true });
      });
    },
  });
  const setting = await deskSetting({ room, model: hangs, sandbox });
  const id = await setting.start();
  await playing.promise;
  await cancelRound(setting.services, id, "Ben");
  await untilDone(setting, id);
  const [status, ...others] = threadOf(room);
  expect(status?.card).toMatchObject({ title: "Round r1: cancelled", tone: "warning", buttons: [] });
  expect(others.at(-1)).toMatchObject({ card: { title: "Round r1: cancelled" }, mention: ["ann-1"] });
  expect(room.standing("lab")[0]?.card.title).toBe("Round r1: cancelled");
  await setting.close();
});

test("a failed round says why, and goes on in its thread when somebody resumes it", async () => {
  const room = memoryRoom();
  let refuses = true;
  const setting = await deskSetting({
    room,
    model: scriptedModel({
      before: ({ role }) => {
        if (refuses && role === "agent") throw new Error("no answer");
      },
    }),
    sandbox,
  });
  const id = await setting.start();
  await untilDone(setting, id);
  const end = threadOf(room).at(-1);
  expect(end).toMatchObject({ card: { title: "Round r1: failed", tone: "bad" }, mention: ["ann-1"] });
  expect(end?.card.buttons).toMatchObject([{ command: "resume", options: { id } }]);
  expect(threadOf(room)[0]?.card.buttons).toEqual([]);

  refuses = false;
  const answer = await setting.desk.startRound(id, ben, { channelId: "elsewhere", shared: true });
  expect(drawn(answer)).toContain("room:t2/m3");
  await untilTold(room, id, "finished");
  await untilDone(setting, id);
  const messages = threadOf(room);
  expect(messages[0]?.card.title).toBe("Round r1: finished");
  expect(messages.at(-1)).toMatchObject({ card: { title: "Round r1: finished" }, mention: ["ben-2"] });
  expect(messages.filter(({ card }) => card.title.includes("admitted"))).toHaveLength(3);
  expect(room.standing("elsewhere")).toEqual([]);
  await setting.close();
});

test("a round that waits for people calls them, and goes on when they have decided", async () => {
  const room = memoryRoom();
  const setting = await deskSetting({ room, model, sandbox });
  const id = await setting.start({ envs: 2, approve: true });
  await vi.waitUntil(() => threadOf(room).at(-1)?.card.title === "Round r1 asks for approval", patience);
  expect(threadOf(room).at(-1)).toMatchObject({ mention: ["ann-1"], card: { buttons: [] } });
  await vi.waitUntil(() => threadOf(room)[0]?.card.title === "Round r1: waiting", patience);
  expect(threadOf(room)[0]?.card.buttons).toMatchObject([{ command: "cancel" }]);
  expect(drawn(await setting.desk.startRound(id, ben, lab))).toContain("waits for people to decide");
  for (const { environmentId } of await setting.services.store.approvals.ofRound(id)) {
    await decide(setting.services, environmentId, { status: "approved", by: "Ann", reason: null });
  }
  await setting.desk.decided(id);
  await untilDone(setting, id);
  expect(titles(threadOf(room)).filter((title) => title.startsWith("Round"))).toEqual([
    "Round r1: finished",
    "Round r1 asks for approval",
    "Round r1: finished",
  ]);
  await setting.close();
});

test("rounds at once have a thread each, and wait for their turn visibly", async () => {
  const room = memoryRoom();
  const gate = Promise.withResolvers<void>();
  const setting = await deskSetting({
    room,
    model: scriptedModel({ before: () => gate.promise }),
    sandbox,
    limits: { roundsAtOnce: 1 },
  });
  const ids = [
    await setting.start({ envs: 1 }),
    await setting.start({ envs: 1 }),
    await setting.start({ envs: 1 }),
  ];
  expect(room.threads).toHaveLength(3);
  const status = (at: number): string => room.read(room.threads[at]?.id ?? "")[0] ?? "";
  await vi.waitUntil(() => status(2).includes("1 round comes before it"), patience);
  expect(status(1)).toContain("it is the next one");
  expect(await setting.desk.whereabouts("r3")).toMatchObject({ ahead: 1 });
  gate.resolve();
  for (const id of ids) await untilDone(setting, id);
  for (const at of [0, 1, 2]) expect(status(at)).toContain(`Round r${at + 1}: finished`);
  await setting.close();
});

test("in direct messages there is neither thread nor a word about it", async () => {
  const room = memoryRoom();
  const setting = await deskSetting({ room, model, sandbox });
  const id = await setting.start({ envs: 1 }, ann, { channelId: "direct-ann", shared: false });
  await untilDone(setting, id);
  expect(room.threads).toEqual([]);
  const words = room.read("direct-ann");
  expect(words[0]).toContain("Round r1: finished");
  expect(words[0]).not.toContain("thread");
  expect(words).toHaveLength(4);
  await setting.close();
});

test("a request ends with the card of its environment", async () => {
  const room = memoryRoom();
  const setting = await deskSetting({
    room,
    model,
    sandbox,
    requestCard: async (_services, round) => ({
      title: `Made to order: ${round.environmentIds[0]}`,
      tone: "good",
      blocks: [],
      files: [],
      buttons: [],
    }),
  });
  const { id } = await createRound(setting.services, roundOptionsOf({ envs: 1 }), "Ann");
  await setting.desk.startRound(id, ann, lab, "request");
  await untilDone(setting, id);
  expect(threadOf(room).at(-1)?.card.title).toBe("Made to order: r1-1");
  await setting.close();
});
