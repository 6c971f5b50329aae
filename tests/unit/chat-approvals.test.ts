/** What chat shows of approvals: one message each, kept up to date whoever decides, through restarts and failures. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type ApprovalDesk, createApprovalDesk } from "../../bot/chat/approval-desk.ts";
import { configSchema } from "../../config/schema.ts";
import { createRound, decide, runRound } from "../../graph/control.ts";
import type { RoundEvent } from "../../graph/events.ts";
import { editHint } from "../../graph/hints/edit.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { drawn, forbidden, type MemoryRoom, memoryRoom, unavailable } from "../support/memory-room.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { roundOptionsOf, silent, type TestServices, testServices } from "../support/services.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, silent);
});
afterAll(() => sandbox.close());

interface Waiting {
  readonly services: TestServices;
  readonly room: MemoryRoom;
  readonly roundId: string;
  readonly asked: readonly string[];
  readonly woken: string[];
  open(): ApprovalDesk;
}

/** A round that waits, begun in a chat channel with a thread; the clock is the test's. */
async function waiting(clock: { now: number } = { now: Date.now() }): Promise<Waiting> {
  const listeners: ((event: RoundEvent) => void)[] = [];
  const tested = await testServices({
    model: scriptedModel(),
    sandbox,
    onEvent: (event) => {
      if (event.type === "campaign") return;
      for (const listen of listeners) listen(event);
    },
  });
  const services: TestServices = Object.assign(tested, { now: () => clock.now });
  const room = memoryRoom();
  const { id: roundId } = await createRound(services, roundOptionsOf({ approve: true }), "tester");
  await services.store.posts.insert({
    id: `round:${roundId}`,
    channelId: "c1",
    messageId: "m0",
    threadId: await room.openThread("c1", "a round"),
    personId: "7",
    facts: {},
    updatedAt: 1,
  });
  const woken: string[] = [];
  const open = () => {
    const desk = createApprovalDesk({
      services,
      room,
      log: silent,
      goOn: async (id) => void woken.push(id),
      lookEveryMs: 50,
    });
    listeners.push((event) => desk.listen(event));
    return desk;
  };
  await runRound(services, roundId);
  const asked = (await services.store.approvals.ofRound(roundId)).map(({ environmentId }) => environmentId);
  return { services, room, roundId, asked, woken, open };
}

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 20 });

describe("an approval in chat", () => {
  test("holds what is needed, says who decided, loses its buttons, and wakes the round", async () => {
    const { services, room, roundId, asked, woken, open } = await waiting();
    const desk = open();
    await desk.resume();
    const [thread] = room.threads;
    const messages = room.standing(thread?.id ?? "");
    expect(messages).toHaveLength(asked.length);
    const [first] = messages;
    expect(first?.card.buttons.map(({ command }) => command)).toEqual([
      "approve",
      "reject",
      "hint edit",
      "env play",
    ]);
    // Whoever edits the hint begins with what there is.
    const edit = first?.card.buttons.find(({ command }) => command === "hint edit");
    expect(drawn(first?.card ?? neverCard())).toContain(String(edit?.options.text).slice(0, 40));
    expect(first?.card.files[0]?.text).toContain("class ");
    expect(drawn(first?.card ?? neverCard())).toMatch(/First observation[\s\S]*gates[\s\S]*reviewer/);

    const [one = "", ...others] = asked;
    await decide(services, one, { status: "rejected", by: "Ann", reason: "too dull" });
    await until(() => expect(drawn(first?.card ?? neverCard())).toContain("Rejected by Ann"));
    expect(drawn(first?.card ?? neverCard())).toContain("too dull");
    expect(first?.card.buttons).toEqual([]);
    expect(woken).toEqual([]);
    for (const other of others)
      await decide(services, other, { status: "approved", by: "Ben", reason: null });
    await until(() => expect(woken).toEqual([roundId]));
    // Nothing was posted beside what was edited.
    expect(room.messages).toHaveLength(asked.length);
    await desk.close();
    await services.close();
  });

  test("outlives a restart: decided meanwhile, it is brought up to date and not posted again", async () => {
    const { services, room, roundId, asked, woken, open } = await waiting();
    const before = open();
    await before.resume();
    await before.close();
    for (const one of asked) await decide(services, one, { status: "approved", by: "Ann", reason: null });
    expect(room.messages.every(({ card }) => card.buttons.length > 0)).toBe(true);
    const after = open();
    await after.resume();
    expect(room.messages).toHaveLength(asked.length);
    expect(room.messages.every(({ card }) => card.buttons.length === 0)).toBe(true);
    expect(woken).toEqual([roundId]);
    await after.close();
    await services.close();
  });

  test("is shown later where the chat does not answer, and given up where it is gone", async () => {
    const { services, room, asked, open } = await waiting();
    room.before = () => {
      throw unavailable();
    };
    const desk = open();
    await desk.resume();
    expect(room.messages).toHaveLength(0);
    room.before = null;
    await until(() => expect(room.messages).toHaveLength(asked.length));

    room.destroy(room.messages[0]?.messageId ?? "");
    for (const one of asked) await decide(services, one, { status: "approved", by: "Ann", reason: null });
    await until(() =>
      expect(room.messages.slice(1).every(({ card }) => card.buttons.length === 0)).toBe(true),
    );
    await desk.close();
    await services.close();
  });

  test("goes to the channel where its thread was deleted", async () => {
    const { services, room, asked, open } = await waiting();
    room.destroy(room.threads[0]?.id ?? "");
    const desk = open();
    await desk.resume();
    expect(room.standing("c1")).toHaveLength(asked.length);
    await desk.close();
    await services.close();
  });

  test("goes to the channel where its thread is closed to the bot, and is not asked for again and again where both are", async () => {
    const clock = { now: Date.now() };
    const { room, asked, open, services } = await waiting(clock);
    let refused = 0;
    room.before = () => {
      refused += 1;
      throw forbidden();
    };
    const desk = open();
    await desk.resume();
    for (let look = 0; look < 20; look += 1) await desk.resume();
    expect(refused).toBeLessThanOrEqual(2 * asked.length);
    room.before = ({ channelId }) => {
      if (channelId !== "c1") throw forbidden();
    };
    clock.now += 60_000;
    await desk.resume();
    expect(room.standing("c1")).toHaveLength(asked.length);
    await desk.close();
    await services.close();
  });

  test("that nobody decides expires: rejected, visibly, and the round goes on", async () => {
    const clock = { now: Date.now() };
    const { services, room, roundId, asked, woken, open } = await waiting(clock);
    const desk = open();
    await desk.resume();
    expect(drawn(room.messages[0]?.card ?? neverCard())).toContain("<relative");
    clock.now += 73 * 3_600_000;
    await until(() => expect(woken).toEqual([roundId]));
    expect(drawn(room.messages[0]?.card ?? neverCard())).toMatch(/Rejected by expiry.*Nobody decided/s);
    await expect(
      decide(services, asked[0] ?? "", { status: "approved", by: "Ann", reason: null }),
    ).rejects.toMatchObject({ code: "input.conflict" });
    await desk.close();
    await services.close();
  });

  test("shows a hint that somebody edits; one that gives the solution away is refused", async () => {
    const { services, room, asked, open } = await waiting();
    const desk = open();
    await desk.resume();
    const [one = ""] = asked;
    await editHint(services, one, "Think of the middle first.", "Ann");
    await until(() => expect(drawn(room.messages[0]?.card ?? neverCard())).toContain("Think of the middle"));
    expect(drawn(room.messages[0]?.card ?? neverCard())).toContain("as Ann wrote it");
    const record = await services.store.environments.get(one);
    const source = await services.store.texts.get(record?.sourceId ?? "");
    await expect(editHint(services, one, source.slice(0, 400), "Ann")).rejects.toMatchObject({
      code: "input.bad-option",
    });
    await decide(services, one, { status: "approved", by: "Ann", reason: null });
    await expect(editHint(services, one, "Too late.", "Ann")).rejects.toMatchObject({
      code: "input.conflict",
    });
    await desk.close();
    await services.close();
  });
});

describe("the policy", () => {
  test.each([
    ["always", true, true],
    ["first-use", true, false],
  ] as const)(
    "%s: a pool waits for what is new: %s, for what was played: %s",
    async (asks, fresh, played) => {
      const services = await testServices({ model: scriptedModel(), sandbox });
      const first = await createRound(services, roundOptionsOf({ envs: 1 }), "tester");
      await runRound(services, first.id);
      const [environment] = (await services.store.environments.list({ status: "admitted" }, { limit: 10 }))
        .items;
      const pool = [environment?.id ?? ""];
      const options = roundOptionsOf({ mode: "pool", pool, approve: true, asks });
      const again = await createRound(services, options, "tester");
      expect((await runRound(services, again.id)).status).toBe(played ? "waiting" : "finished");
      if (played) {
        await decide(services, pool[0] ?? "", { status: "approved", by: "Ann", reason: null });
        expect((await runRound(services, again.id)).status).toBe("finished");
      }
      await services.store.environments.update(pool[0] ?? "", (record) => ({ ...record, score: null }));
      const new_ = await createRound(services, { ...options, seed: 77 }, "tester");
      expect((await runRound(services, new_.id)).status).toBe(fresh ? "waiting" : "finished");
      await services.close();
    },
  );
});

function neverCard(): never {
  throw new Error("there is no such message");
}
