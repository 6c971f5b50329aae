/** Plays in a chat: turns by buttons, whoever presses them, however often, and whatever happens in between. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Caller } from "../../bot/caller.ts";
import type { Card } from "../../bot/cards/card.ts";
import { createPlayDesk, type PlayDesk, type PlayDeskOptions } from "../../bot/chat/play-desk.ts";
import type { PlayStep } from "../../bot/chat/team.ts";
import { configSchema } from "../../config/schema.ts";
import { transcript } from "../../graph/transcript.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { ada, bo, buttonOf, door, keepEnvironment } from "../support/chat-play.ts";
import { drawn } from "../support/memory-room.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { silent, type TestServices, testServices } from "../support/services.ts";

let sandbox: Sandbox;
let services: TestServices;
let desk: PlayDesk;
let opened = 0;
const place = { channelId: "7", shared: true };

const deskWith = (options: Partial<PlayDeskOptions> = {}): PlayDesk =>
  createPlayDesk({ services, log: silent, ...options });

beforeAll(async () => {
  const real = await createSandbox(configSchema.parse({ sandbox: { hosts: 1 } }).sandbox, silent);
  sandbox = {
    ...real,
    stats: () => real.stats(),
    close: () => real.close(),
    open: (...given) => {
      opened += 1;
      return real.open(...given);
    },
  };
  return () => real.close();
});

beforeEach(async () => {
  opened = 0;
  services = await testServices({ model: scriptedModel(), sandbox });
  const hintId = await services.store.texts.put("Say open.");
  await keepEnvironment(services.store, door, { id: "e1", name: "DoorEnv", hintId });
  await keepEnvironment(services.store, door, { id: "bare", name: "DoorEnv" });
  desk = deskWith();
  return async () => {
    await desk.close();
    await services.close();
  };
});

const start = (caller: Caller = ada, environmentId = "e1", seed = 5): Promise<Card> =>
  desk.startPlay({ environmentId, seed, shared: false }, caller, place);

const act = (id: string, turn: number, action: string, caller: Caller = ada): Promise<Card> =>
  desk.playStep(id, { type: "act", turn, action }, caller);

const sessions = async () => (await services.store.sessions.list("", { limit: 100 })).items;
const humans = async (id = "e1") =>
  (await services.store.episodes.ofEnvironment(id, { limit: 100 })).items.filter(
    ({ arm }) => arm === "human",
  );

async function started(caller: Caller = ada): Promise<string> {
  const first = await start(caller);
  const { id } = buttonOf(first, "Give up").options;
  return String(id);
}

describe("a play in a chat", () => {
  it("goes from button to button to its end, and is kept once beside the model's", async () => {
    const first = await start();
    expect(drawn(first)).toContain("Door 5.");
    expect(first.title).toBe("e1 DoorEnv: turn 1 of 6");
    expect(first.buttons.map(({ label }) => label)).toEqual([
      "open",
      "slam",
      "wait",
      "Type another",
      "Reveal hint",
      "Give up",
    ]);
    expect(buttonOf(first, "open").options).toEqual({ id: "h1", turn: 0, action: "open" });
    expect(buttonOf(first, "Type another").ask).toEqual(["action"]);
    expect(first.buttons.every(({ chatOnly }) => chatOnly === true)).toBe(true);

    const second = await act("h1", 0, "open");
    expect(drawn(second)).toContain("Opened 1 of 3 after open.");
    expect(drawn(second)).toMatch(/score so far\s+0\.10/);
    expect(buttonOf(second, "open").options.turn).toBe(1);
    await act("h1", 1, "wait");
    await act("h1", 2, "open");
    expect(await humans()).toHaveLength(0);
    const last = await act("h1", 3, "open");
    expect(drawn(last)).toContain("return 1.00");
    expect(last.buttons.map(({ label }) => label)).toEqual(
      expect.arrayContaining(["Play the same seed again", "Compare"]),
    );
    const [episode, ...more] = await humans();
    expect(more).toEqual([]);
    expect(episode).toMatchObject({
      id: "h1.e1.human.0",
      player: "Ada",
      seed: 5,
      return: 1,
      turns: 4,
      terminated: true,
      hintId: null,
    });
    expect(await sessions()).toMatchObject([
      { id: "h1", status: "finished", episodeId: "h1.e1.human.0", actions: ["open", "wait", "open", "open"] },
    ]);
    expect(opened).toBe(1);
  });

  it("never takes a turn twice, whether clicks come at once or late", async () => {
    const id = await started();
    const cards = await Promise.all([act(id, 0, "open"), act(id, 0, "open"), act(id, 0, "open")]);
    for (const card of cards) expect(drawn(card)).toContain("Opened 1 of 3 after open.");
    await act(id, 1, "wait");
    const late = await act(id, 0, "open");
    expect(late.title).toContain("turn 3 of 6");
    expect(drawn(late)).not.toContain("was not played");
    expect((await sessions())[0]?.actions).toEqual(["open", "wait"]);
  });

  it("says so when another action came too late for its turn", async () => {
    const id = await started();
    const [first, second] = await Promise.all([act(id, 0, "open"), act(id, 0, "slam")]);
    expect(drawn(first)).not.toContain("came late");
    expect(drawn(second)).toContain("“slam” came late and was not played: turn 1 was taken with “open”.");
    expect(drawn(await act(id, 5, "slam"))).toContain("the play is not there yet");
    expect((await sessions())[0]).toMatchObject({ actions: ["open"], status: "open" });
  });

  it("takes each turn once over two processes at once", async () => {
    const id = await started();
    const other = deskWith();
    const step: PlayStep = { type: "act", turn: 0, action: "open" };
    await Promise.all([desk.playStep(id, step, ada), other.playStep(id, step, ada)]);
    await other.playStep(id, { type: "act", turn: 1, action: "open" }, ada);
    // This process has seen one turn of three.
    const ends = await Promise.all([
      desk.playStep(id, { type: "act", turn: 2, action: "open" }, ada),
      other.playStep(id, { type: "act", turn: 2, action: "open" }, ada),
    ]);
    for (const end of ends) expect(drawn(end)).toContain("return 1.00");
    expect((await sessions())[0]?.actions).toEqual(["open", "open", "open"]);
    expect(await humans()).toHaveLength(1);
    await other.close();
  });

  it("belongs to its player", async () => {
    const id = await started();
    for (const step of [
      { type: "act", turn: 0, action: "open" },
      { type: "hint" },
      { type: "give-up" },
    ] as const) {
      await expect(desk.playStep(id, step, bo)).rejects.toMatchObject({
        code: "chat.not-yours",
        message: "This is Ada's play of e1, seed 5; nobody else can take its turns.",
      });
    }
    expect((await sessions())[0]).toMatchObject({ actions: [], status: "open", hintAfter: null });
    await expect(act("h99", 0, "open")).rejects.toMatchObject({ code: "input.not-found" });
  });

  it("remembers that the hint was seen, and when", async () => {
    const id = await started();
    await act(id, 0, "wait");
    const hinted = await desk.playStep(id, { type: "hint" }, ada);
    expect(drawn(hinted)).toContain("Say open.");
    expect(hinted.buttons.map(({ label }) => label)).not.toContain("Reveal hint");
    await act(id, 1, "open");
    await desk.playStep(id, { type: "hint" }, ada);
    expect((await sessions())[0]?.hintAfter).toBe(1);
    await desk.playStep(id, { type: "give-up" }, ada);
    const [episode] = await humans();
    const kept = transcript.parse(JSON.parse(await services.store.texts.get(episode?.transcriptId ?? "")));
    expect(episode?.hintId).not.toBeNull();
    expect(kept.firstObservation).not.toContain("Say open.");
    expect(kept.turns.map(({ observation }) => observation.includes("Say open."))).toEqual([true, false]);
  });

  it("offers no hint where there is none", async () => {
    const first = await start(ada, "bare");
    expect(first.buttons.map(({ label }) => label)).not.toContain("Reveal hint");
    await expect(desk.playStep("h1", { type: "hint" }, ada)).rejects.toMatchObject({
      code: "input.conflict",
    });
  });

  it("can be given up, once", async () => {
    const id = await started();
    const end = await desk.playStep(id, { type: "give-up" }, ada);
    expect(drawn(end)).toContain("Ada gave up.");
    expect(drawn(await desk.playStep(id, { type: "give-up" }, ada))).toContain("Ada gave up.");
    expect(drawn(await act(id, 0, "open"))).toContain("Ada gave up.");
    expect(await humans()).toMatchObject([{ return: 0, turns: 0, failure: { code: "gave-up" } }]);
  });

  it("is not begun where there is nothing to play", async () => {
    await expect(start(ada, "nothing")).rejects.toMatchObject({ code: "input.not-found" });
    await keepEnvironment(services.store, "class BrokenEnv {", { id: "broken" });
    await expect(start(ada, "broken")).rejects.toMatchObject({ code: "environment.failed" });
    expect(await sessions()).toEqual([]);
  });
});

describe("a play that loses its isolate", () => {
  it("goes on after a restart from its seed and its actions", async () => {
    const id = await started();
    await act(id, 0, "open");
    await desk.playStep(id, { type: "hint" }, ada);
    await act(id, 1, "wait");
    const before = await sessions();
    await desk.close();
    desk = deskWith();
    await desk.resume();
    const third = await act(id, 2, "open");
    expect(third.title).toBe("e1 DoorEnv: turn 4 of 6");
    expect(drawn(third)).toContain("Opened 2 of 3 after open.");
    expect(drawn(third)).toContain("Say open.");
    await act(id, 3, "open");
    const [episode] = await humans();
    expect(episode).toMatchObject({ return: 1, turns: 4, startedAt: before[0]?.startedAt });
    const kept = transcript.parse(JSON.parse(await services.store.texts.get(episode?.transcriptId ?? "")));
    expect(kept.turns.map(({ ms }) => ms).slice(0, 2)).toEqual(before[0]?.took);
    expect(kept.turns.map(({ observation }) => observation.includes("Say open."))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it("keeps what was over but not yet kept, once", async () => {
    const given = await started();
    const finished = await started(bo);
    await act(finished, 0, "slam", bo);
    // As a crash between the two writes of an end leaves them.
    for (const [id, status] of [
      [given, "given-up"],
      [finished, "finished"],
    ] as const) {
      await services.store.sessions.update(id, (session) => ({ ...session, status, episodeId: null }));
    }
    await desk.close();
    desk = deskWith();
    await desk.resume();
    await desk.resume();
    expect((await humans()).map(({ player, failure }) => [player, failure?.code ?? null]).sort()).toEqual([
      ["Ada", "gave-up"],
      ["Bo", null],
    ]);
    expect((await sessions()).every(({ episodeId }) => episodeId !== null)).toBe(true);
  });

  it("holds only so many isolates between steps", async () => {
    await desk.close();
    desk = deskWith({ mostLive: 2 });
    const ids = [];
    for (let i = 0; i < 5; i += 1) ids.push(await started());
    expect(sandbox.stats().live).toBe(2);
    for (const id of ids) expect(drawn(await act(id, 0, "open"))).toContain("Opened 1 of 3 after open.");
    expect(sandbox.stats().live).toBe(2);
    await desk.close();
    expect(sandbox.stats().live).toBe(0);
  });

  it("gives an idle isolate back", async () => {
    await desk.close();
    desk = deskWith({ idleMs: 20 });
    const id = await started();
    await expect.poll(() => sandbox.stats().live).toBe(0);
    expect(drawn(await act(id, 0, "open"))).toContain("Opened 1 of 3 after open.");
    expect(opened).toBe(2);
  });
});
