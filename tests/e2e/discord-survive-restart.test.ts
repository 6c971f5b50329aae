/**
 * The bot killed in the middle of everything: a round that plays, one that waits for its turn, one that waits for
 * people, a play, a form that is open, alerts that are due. The next process loses none of it and does none of it twice.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { door, keepEnvironment } from "../support/chat-play.ts";
import { type Running, start } from "../support/command-line.ts";
import type { Person } from "../support/discord/people.ts";
import { type DiscordServer, startDiscord, textOf } from "../support/discord/server.ts";
import type { Message } from "../support/discord/world.ts";
import {
  expectToldOnce,
  hasStatus,
  isPlaying,
  isTold,
  labelsOf,
  requestsIn,
  statusesIn,
  threadOf,
  wait,
} from "../support/discord-rounds.ts";
import { silent } from "../support/services.ts";

let discord: DiscordServer;
let dataDir: string;
let store: Store;
let bot: Running;

async function startBot(): Promise<void> {
  bot = start(["serve", "--data", dataDir], {
    environment: {
      DISCORD_TOKEN: discord.token,
      SPADEWORK_DISCORD_API: discord.api,
      SPADEWORK_DISCORD_PROGRESS_MS: "1000",
      SPADEWORK_WATCH_DEBOUNCE_MS: "0",
      SPADEWORK_LIMITS_ROUNDS_AT_ONCE: "1",
      SPADEWORK_SANDBOX_HOSTS: "1",
    },
  });
  await bot.says(/The commands were registered/);
}

beforeEach(async () => {
  discord = await startDiscord();
  dataDir = await mkdtemp(join(tmpdir(), "spadework-survive-"));
  store = await openStore({ dataDir, log: silent });
});

afterEach(async () => {
  bot.child.kill("SIGTERM");
  await bot.ended;
  await store.close();
  await discord.stop();
  await rm(dataDir, { recursive: true });
});

const alertsOf = (channel: string, roundId: string): Message[] =>
  discord.messages(channel).filter((message) => textOf(message).includes(`Round ${roundId} is finished`));

it("a bot that is killed in the middle of everything goes on with all of it, once", async () => {
  await startBot();
  const ada: Person = discord.user("ada");
  const bo: Person = discord.user("bo");
  const channel = discord.channelId("lab");
  const alerts = discord.channelId("general");
  await ada.command(alerts, "watch add", { events: "round-finished" }, wait);
  const asking = { envs: 2, plays: 1, kind: "game", seed: 1, approve: true };
  await ada.command(channel, "round", asking, wait);
  await hasStatus(store, "r1", "waiting");
  await ada.command(channel, "round", { envs: 3, plays: 24, kind: "game", seed: 11 }, wait);
  await ada.command(channel, "round", { envs: 1, plays: 2, kind: "game", seed: 3 }, wait);
  await keepEnvironment(store, door, { id: "e1", name: "DoorEnv" });
  const play = await bo.command(channel, "env play", { id: "e1", seed: 4 }, wait);
  await bo.click(play.reply, "open", wait);
  const asked = await threadOf(discord, channel, "r1");
  const requests = (): Message[] => requestsIn(discord.messages(asked.id));
  await discord.until(() => requests().length === 2, { what: "two requests", ...wait });
  const [first, second] = requests();
  const { modal } = await ada.click(second, "Reject…", wait);
  const played = await threadOf(discord, channel, "r2");
  const queued = await threadOf(discord, channel, "r3");
  await isPlaying(store, "r2");
  const statuses = [asked, played, queued].map(({ id }) => statusesIn(discord.messages(id))[0]?.id);

  bot.child.kill("SIGKILL");
  await bot.ended;
  const episodes = (await store.episodes.ofRound("r2")).map(({ id }) => id);
  await startBot();

  const clicks = await Promise.all([ada.click(first, "Approve", wait), bo.click(first, "Approve", wait)]);
  expect(clicks.map(({ text }) => text).join("\n")).toMatch(/was approved already by (ada|bo)/);
  await ada.submit(modal, { reason: "too dull" }, wait);
  await bo.click(play.reply, "open", wait);
  const end = await bo.click(play.reply, "open", wait);
  expect(end.text).toContain("return 1.00");
  for (const id of ["r1", "r2", "r3"]) await isTold(store, id);

  for (const [at, { id }] of [asked, played, queued].entries()) {
    const messages = discord.messages(id);
    expectToldOnce(messages, { roundId: `r${at + 1}`, by: ada });
    expect(statusesIn(messages).map((message) => message.id)).toEqual([statuses[at]]);
  }
  expect(discord.threads(channel)).toHaveLength(3);
  expect(requests()).toHaveLength(2);
  await discord.until(() => requests().flatMap(labelsOf).length === 0, { what: "decided requests" });
  expect((await store.episodes.ofRound("r2")).map(({ id }) => id)).toEqual(expect.arrayContaining(episodes));
  const human = (await store.episodes.ofEnvironment("e1", { limit: 10 })).items;
  expect(human.map(({ arm, player, return: score }) => [arm, player, score])).toEqual([["human", "bo", 1]]);
  const decided = (await store.audit.list({ limit: 100 })).items.filter(({ what }) =>
    /^environment\.(approved|rejected)$/.test(what),
  );
  expect(decided).toHaveLength(2);
  for (const id of ["r1", "r2", "r3"]) {
    await discord.until(() => alertsOf(alerts, id).length === 1, { what: `the alert of ${id}`, ...wait });
  }
  discord.assertNoProblems();
});
