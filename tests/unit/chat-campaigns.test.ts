/** Campaigns in chat: one message that goes on, through pauses, restarts and whatever people do to it. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type CampaignDesk, createCampaignDesk } from "../../bot/chat/campaign-desk.ts";
import { configSchema } from "../../config/schema.ts";
import { changeCampaign, createCampaign } from "../../graph/campaigns/control.ts";
import type { Model } from "../../graph/models/model.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { CampaignStatus } from "../../store/campaign-records.ts";
import { campaignOptionsOf } from "../support/campaigns.ts";
import { ann, lab, patience, pausing } from "../support/chat-rounds.ts";
import { drawn, forbidden, memoryRoom } from "../support/memory-room.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { silent, type TestServices, testServices } from "../support/services.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, silent);
});
afterAll(() => sandbox.close());

let open: (() => Promise<void>) | null = null;
afterEach(async () => {
  await open?.();
  open = null;
});

/** A chat with a campaign of two rounds that trains nothing. */
async function chat(model: Model = scriptedModel()) {
  const room = memoryRoom();
  const made = await testServices({ model, sandbox });
  const discord = { ...made.config.discord, progressMs: 20 };
  const services: TestServices = { ...made, config: { ...made.config, discord } };
  const begin = (): CampaignDesk => createCampaignDesk({ services, room, log: silent, takeUpAfterMs: 50 });
  const setting = { room, services, desk: begin(), id: "" };
  const asked = campaignOptionsOf({ rounds: 2, trainer: "none", evaluateEvery: 0 }, { model: "scripted" });
  setting.id = (await createCampaign(services, asked, "Ann")).id;
  open = async () => {
    await setting.desk.close();
    await services.close();
  };
  return {
    setting,
    messages: () => room.messages.filter(({ gone }) => !gone),
    start: () => setting.desk.startCampaign(setting.id, ann, lab),
    async until(status: CampaignStatus): Promise<void> {
      await vi.waitUntil(
        async () => (await services.store.campaigns.get(setting.id))?.status === status,
        patience,
      );
    },
    /** Nothing is left to say. */
    async untilTold(): Promise<void> {
      const id = `campaign:${setting.id}`;
      await vi.waitUntil(async () => (await services.store.posts.get(id))?.facts.done === true, patience);
    },
    async restart(): Promise<void> {
      await setting.desk.close();
      setting.desk = begin();
      await setting.desk.resume();
    },
  };
}

const titles = (messages: readonly { readonly card: { readonly title: string } }[]): string[] =>
  messages.map(({ card }) => card.title);

test("a campaign has one message, which is edited in place, and one more at its end; its rounds have none", async () => {
  const { setting, messages, start, untilTold } = await chat();
  const answer = await start();
  expect(drawn(answer)).toContain("Its progress: room:lab/m1");
  await untilTold();
  expect(titles(messages())).toEqual(["Campaign c1: finished", "Campaign c1: finished"]);
  const [status, end] = messages();
  expect(status?.history.length).toBeGreaterThan(1);
  expect(status?.history[0]?.card.buttons.map(({ label }) => label)).toEqual(["Pause", "Stop"]);
  expect(end?.mention).toEqual([ann.id]);
  expect(drawn(status?.card ?? answer)).toContain("2/2");
  expect(setting.room.threads).toEqual([]);
  expect((await setting.services.store.posts.list("round:", { limit: 10 })).items).toEqual([]);
});

test("a paused one says so and goes on in the same message", async () => {
  const { model, paused, goOn } = pausing(3);
  const { setting, messages, start, until, untilTold } = await chat(model);
  await start();
  await paused;
  await changeCampaign(setting.services, setting.id, "pause", "Ann");
  goOn();
  await vi.waitUntil(() => titles(messages())[0] === "Campaign c1: paused", patience);
  expect(messages()[0]?.card.buttons.map(({ label }) => label)).toEqual(["Resume", "Stop"]);
  await changeCampaign(setting.services, setting.id, "resume", "Ann");
  await start();
  await until("finished");
  await untilTold();
  expect(titles(messages())).toEqual(["Campaign c1: finished", "Campaign c1: finished"]);
});

test("a stopped one is over for good", async () => {
  const { model, paused, goOn } = pausing(3);
  const { setting, messages, start, untilTold } = await chat(model);
  await start();
  await paused;
  await changeCampaign(setting.services, setting.id, "stop", "Ann");
  goOn();
  await untilTold();
  expect(titles(messages())).toEqual(["Campaign c1: stopped", "Campaign c1: stopped"]);
});

test("it goes on after a restart of the bot, where it stopped and in the same message", async () => {
  const { model, paused, goOn } = pausing(3);
  const { messages, start, restart, untilTold } = await chat(model);
  await start();
  await paused;
  const restarted = restart();
  goOn();
  await restarted;
  await untilTold();
  expect(titles(messages())).toEqual(["Campaign c1: finished", "Campaign c1: finished"]);
  const said = messages()[0]?.history.map(({ card }) => drawn(card)) ?? [];
  expect(said.some((text) => text.includes("It goes on with this campaign when it is started again."))).toBe(
    true,
  );
});

test("one that another process let go of is taken up", async () => {
  const { setting, start, messages, untilTold } = await chat();
  const { leases } = setting.services.store;
  const lease = await leases.acquire(`campaign:${setting.id}`, 60_000);
  if (lease === null) throw new Error("nobody else has it");
  await start();
  expect(titles(messages())).toEqual(["Campaign c1: running"]);
  expect((await setting.services.store.campaigns.get(setting.id))?.rounds).toEqual([]);
  await leases.release(lease);
  await untilTold();
  expect((await setting.services.store.campaigns.get(setting.id))?.rounds).toHaveLength(2);
});

test("a message that somebody deletes is posted anew, once", async () => {
  const { model, paused, goOn } = pausing(3);
  const { setting, messages, start, untilTold } = await chat(model);
  await start();
  await paused;
  setting.room.destroy("m1");
  goOn();
  await untilTold();
  expect(titles(messages())).toEqual(["Campaign c1: finished", "Campaign c1: finished"]);
  expect(setting.room.messages).toHaveLength(3);
});

test("where nothing can be posted it goes on unseen, and whoever started it is told directly", async () => {
  const { setting, start, messages, untilTold } = await chat();
  setting.room.before = ({ method, channelId }) => {
    if (method === "post" && channelId === lab.channelId) throw forbidden();
  };
  expect(drawn(await start())).toContain("Send Messages");
  await untilTold();
  expect(messages().map(({ channelId, card }) => [channelId, card.title])).toEqual([
    [`direct-${ann.id}`, "Campaign c1: finished"],
  ]);
});
