/** Rounds on Discord as a team sees them: through the real client, over restarts, deletions and a platform that fails. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Config } from "../../config/schema.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { type Running, start } from "../support/command-line.ts";
import type { Person } from "../support/discord/people.ts";
import { controlsOf, type DiscordServer, startDiscord, textOf } from "../support/discord/server.ts";
import type { Channel, Message } from "../support/discord/world.ts";
import { type DiscordLab, openDiscordLab } from "../support/discord-lab.ts";
import { silent } from "../support/services.ts";

const wait = { timeoutMs: 60_000 };
const patience = { timeout: 60_000, interval: 25 };

/** A round that plays for some seconds. */
const long = { envs: 3, plays: 24, kind: "game", seed: 11 } as const;
const short = { envs: 2, plays: 2, kind: "game", seed: 11 } as const;

/** Waits until a round has a status, and everything was said about it. */
async function told({ rounds, posts }: Store, roundId: string, status = "finished"): Promise<void> {
  await vi.waitFor(async () => {
    expect((await rounds.get(roundId))?.status).toBe(status);
    expect((await posts.get(`round:${roundId}`))?.facts.done).toBe(true);
  }, patience);
}

/** Waits until the round plays; it is far from done then. */
async function playing({ episodes }: Store, roundId: string): Promise<void> {
  await vi.waitFor(async () => expect((await episodes.ofRound(roundId)).length).toBeGreaterThan(2), patience);
}

const threadOf = (discord: DiscordServer, channel: string, roundId: string): Promise<Channel> =>
  discord.threadIn(channel, new RegExp(`^Round ${roundId}:`), wait);

const isStatus = (message: Message): boolean => textOf(message).includes("**started**");

/** What a thread holds when all is over: one status message, a post a design, one play told, one end that calls ada. */
function expectWhole(discord: DiscordServer, channelId: string, roundId: string, ada: Person): void {
  const messages = discord.messages(channelId).filter(({ author }) => author.bot);
  const texts = messages.map(textOf);
  const ends = messages.filter(({ pings }) => pings.includes(ada.id));
  expect(messages.filter(isStatus)).toHaveLength(1);
  expect(ends).toHaveLength(1);
  expect(textOf(ends[0])).toContain(`Round ${roundId}: finished`);
  for (const slot of [1, 2, 3]) {
    const own = texts.filter((text) =>
      new RegExp(`### ${roundId}-${slot} .+: (admitted|rejected)`).test(text),
    );
    expect(own, `posts of design ${slot}`).toHaveLength(1);
  }
  expect(texts.filter((text) => text.includes("played twice"))).toHaveLength(1);
  expect(messages).toHaveLength(6);
}

describe("a round on Discord", () => {
  let lab: DiscordLab;
  let ada: Person;
  let channel: string;

  async function open(limits: Partial<Config["limits"]> = {}): Promise<void> {
    lab = await openDiscordLab({ mapped: true, config: { discord: { progressMs: 1_000 }, limits } });
    ada = lab.discord.user("ada", { roles: ["researcher"] });
    channel = lab.discord.channelId("lab");
  }

  afterEach(() => lab.close());

  const give = (options: Parameters<Person["command"]>[2], act = {}) =>
    ada.command(channel, "round", options, { ...wait, ...act });
  const store = (): Store => lab.services().store;
  const statusIn = (channelId: string): Message | undefined => lab.discord.messages(channelId).find(isStatus);

  it("has a thread with progress, voices, and a result with its chart that calls who started it", async () => {
    await open();
    const answer = await give({ ...long, plays: 8 });
    const thread = await threadOf(lab.discord, channel, "r1");
    const status = await lab.discord.until(() => statusIn(thread.id), { what: "the status message" });
    expect(answer.text).toContain("Round r1");
    expect(answer.text).toContain(
      `https://discord.com/channels/${lab.discord.guildId}/${thread.id}/${status.id}`,
    );
    await told(store(), "r1");
    expectWhole(lab.discord, thread.id, "r1", ada);

    expect(textOf(status)).toContain("Round r1: finished");
    expect(textOf(status)).toMatch(/play +█{12} \d+\/\d+/);
    expect(textOf(status)).toMatch(/\*\*regret so far\*\* +-?\d/);
    expect(controlsOf(status)).toEqual([]);
    expect(status.history.length).toBeGreaterThan(1);
    for (const [at, { at: time }] of status.history.entries()) {
      const before = status.history[at - 1];
      if (before !== undefined) expect(time - before.at).toBeGreaterThanOrEqual(950);
    }
    const end = lab.discord.messages(thread.id).at(-1);
    expect(end?.attachments.map(({ name }) => name)).toContain("chart.png");
    expect(controlsOf(end).map(({ label }) => label)).toContain("Read its episodes");
    expect(textOf(lab.discord.messages(channel).find(({ threadId }) => threadId === thread.id))).toContain(
      "Round r1: finished",
    );
    expect((await ada.command(channel, "status")).text).toContain("No round runs or waits.");
  });

  it("is stopped by its Cancel button, and says so everywhere", async () => {
    await open();
    await give(long);
    await playing(store(), "r1");
    const thread = await threadOf(lab.discord, channel, "r1");
    const shown = await ada.command(channel, "status");
    expect(shown.text).toContain(`https://discord.com/channels/${lab.discord.guildId}/${thread.id}`);
    const clicked = await ada.click(statusIn(thread.id), "Cancel", wait);
    expect(clicked.text).toContain("Round r1: cancelled");
    await told(store(), "r1", "cancelled");
    expect(textOf(statusIn(thread.id))).toContain("Round r1: cancelled");
    expect(controlsOf(statusIn(thread.id))).toEqual([]);
    const end = lab.discord.messages(thread.id).filter(({ pings }) => pings.includes(ada.id));
    expect(end.map(textOf).join()).toContain("Round r1: cancelled");
  });

  it("goes on in the same status message after the bot was stopped and started", async () => {
    await open();
    await give(long);
    await playing(store(), "r1");
    const thread = await threadOf(lab.discord, channel, "r1");
    const before = statusIn(thread.id);
    await lab.restart();
    expect(before?.history.some(({ text }) => text.includes("Round r1: interrupted"))).toBe(true);
    await told(store(), "r1");
    expect(statusIn(thread.id)?.id).toBe(before?.id);
    expectWhole(lab.discord, thread.id, "r1", ada);
  });

  it("survives the loss of its status message, and then of its thread", async () => {
    await open();
    await give(long);
    await playing(store(), "r1");
    const thread = await threadOf(lab.discord, channel, "r1");
    const first = statusIn(thread.id);
    if (first !== undefined) lab.discord.deleteMessage(first);
    const second = await lab.discord.until(
      () => {
        const status = statusIn(thread.id);
        return status !== undefined && status.id !== first?.id ? status : null;
      },
      { what: "a new status message", ...wait },
    );
    expect(textOf(second)).toContain("Round r1: running");
    lab.discord.deleteChannel(thread.id);
    const third = await lab.discord.until(() => statusIn(channel), {
      what: "a status message in the channel",
      ...wait,
    });
    expect(textOf(third)).toContain("Its thread was deleted. The round goes on here.");
    await told(store(), "r1");
    expect(textOf(third)).toContain("Round r1: finished");
    const end = lab.discord.messages(channel).filter(({ pings }) => pings.includes(ada.id));
    expect(end.map(textOf).join()).toContain("Round r1: finished");
  });

  it("goes on in the channel where threads are forbidden, and says which permission is missing", async () => {
    await open();
    lab.discord.deny(channel, ["CreatePublicThreads"]);
    await give(short);
    await told(store(), "r1");
    expect(lab.discord.threads(channel)).toEqual([]);
    expect(textOf(statusIn(channel))).toMatch(/no thread for it.*Create Public Threads/is);
    expect(textOf(statusIn(channel))).toContain("Round r1: finished");
  });

  it("neither loses nor repeats anything when Discord limits edits, fails for a while and loses answers", async () => {
    await open();
    const { faults } = lab.discord;
    faults.add("PATCH /channels/:channel/messages/:message", { rateLimitMs: 1_500 }, 2);
    faults.add("POST /channels/:channel/messages", { status: 502 }, 6);
    faults.add("POST /channels/:channel/messages", { drop: "after" }, 2);
    faults.add("PATCH /channels/:channel/messages/:message", { status: 503 }, 7);
    await give({ ...long, plays: 16 });
    const thread = await threadOf(lab.discord, channel, "r1");
    await playing(store(), "r1");
    faults.add("POST /channels/:channel/messages", { drop: "after" }, 3);
    await told(store(), "r1");
    expectWhole(lab.discord, thread.id, "r1", ada);
    expect(textOf(statusIn(thread.id))).toContain("Round r1: finished");
    expect(lab.discord.rateLimited).toBeLessThan(6);
  });

  it("has company: rounds at once have a thread each, and further ones wait for their turn", async () => {
    await open({ roundsAtOnce: 2 });
    await give({ ...long, plays: 8, seed: 1 });
    await give({ ...long, plays: 8, seed: 2 });
    const third = await give({ ...short, seed: 3 });
    expect(third.text).toContain("Round r3");
    expect(third.text).toContain("it is the next one");
    for (const id of ["r1", "r2", "r3"]) await told(store(), id);
    const threads = lab.discord.threads(channel);
    expect(threads).toHaveLength(3);
    for (const [at, { id }] of threads.entries()) {
      expect(textOf(statusIn(id))).toContain(`Round r${at + 1}: finished`);
      expect(lab.discord.messages(id).filter(({ pings }) => pings.includes(ada.id))).toHaveLength(1);
    }
  });
});

describe("a bot that is killed", () => {
  let discord: DiscordServer;
  let dataDir: string;
  let store: Store;
  let bot: Running;

  function startBot(): Running {
    return start(["serve", "--data", dataDir], {
      environment: {
        DISCORD_TOKEN: discord.token,
        SPADEWORK_DISCORD_API: discord.api,
        SPADEWORK_DISCORD_PROGRESS_MS: "1000",
        SPADEWORK_SANDBOX_HOSTS: "1",
      },
    });
  }

  afterEach(async () => {
    bot.child.kill("SIGTERM");
    await bot.ended;
    await store.close();
    await discord.stop();
    await rm(dataDir, { recursive: true });
  });

  it("goes on with its rounds when it is started again: the same message, nothing twice", async () => {
    discord = await startDiscord();
    dataDir = await mkdtemp(join(tmpdir(), "spadework-killed-"));
    store = await openStore({ dataDir, log: silent });
    bot = startBot();
    await bot.says(/The commands were registered/);
    const ada = discord.user("ada");
    const channel = discord.channelId("lab");
    await ada.command(channel, "round", long, wait);
    await playing(store, "r1");
    const thread = await threadOf(discord, channel, "r1");
    const status = discord.messages(thread.id).find(isStatus);
    bot.child.kill("SIGKILL");
    await bot.ended;
    const played = (await store.episodes.ofRound("r1")).length;
    expect((await store.rounds.get("r1"))?.status).toBe("running");

    bot = startBot();
    await told(store, "r1");
    expect(discord.messages(thread.id).find(isStatus)?.id).toBe(status?.id);
    expect(textOf(status)).toContain("Round r1: finished");
    expect((await store.episodes.ofRound("r1")).length).toBeGreaterThan(played);
    expectWhole(discord, thread.id, "r1", ada);
    expect(discord.threads(channel)).toHaveLength(1);
    discord.assertNoProblems();
  });
});
