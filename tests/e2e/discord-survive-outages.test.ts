/**
 * What a team's chat outlives while rounds run: a gateway that is gone, a platform that fails, a bot that is thrown out,
 * permissions that vanish, a store that is locked, a sandbox that hangs. Nothing is lost or done twice.
 *
 * LONG_OUTAGE_MS=60000 lets the gateway be gone for a minute, as in a real outage.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { StoreError } from "../../config/errors.ts";
import { databaseFile } from "../../store/sqlite/open.ts";
import type { Store } from "../../store/store.ts";
import { door, keepEnvironment } from "../support/chat-play.ts";
import type { Person } from "../support/discord/people.ts";
import { textOf } from "../support/discord/server.ts";
import { createDeeds, testCommands } from "../support/discord-commands.ts";
import { type DiscordLab, openDiscordLab } from "../support/discord-lab.ts";
import { expectToldOnce, isPlaying, isTold, statusesIn, threadOf, wait } from "../support/discord-rounds.ts";

const outageMs = Number(process.env.LONG_OUTAGE_MS ?? 1_200);
/** Plays for some seconds. */
const long = { envs: 3, plays: 24, kind: "game", seed: 11 } as const;

let lab: DiscordLab;
let ada: Person;
let channel: string;

afterEach(() => lab.close());

async function open(): Promise<void> {
  lab = await openDiscordLab({
    mapped: true,
    config: { discord: { progressMs: 1_000 }, watch: { debounceMs: 0 } },
  });
  ada = lab.discord.user("ada", { roles: ["researcher"] });
  channel = lab.discord.channelId("lab");
}

const store = (): Store => lab.services().store;

describe("while a round runs", () => {
  it(`the gateway may be gone for ${outageMs} ms: what was pressed meanwhile is done once, or not at all and then again`, async () => {
    await open();
    const { discord } = lab;
    await ada.command(channel, "round", long, wait);
    const thread = await threadOf(discord, channel, "r1");
    await keepEnvironment(store(), door, { id: "e1", name: "DoorEnv" });
    const play = await ada.command(channel, "env play", { id: "e1", seed: 1 });
    await isPlaying(store(), "r1");
    discord.gateway.drop({ hangMs: outageMs });
    const pressed = await ada.click(play.reply, "open", { wait: "none" });
    pressed.replay();
    const typed = await ada.command(channel, "doc list", {}, { wait: "none" });
    await discord.until(() => lab.lines.includes("the connection to Discord is back"), {
      what: "the connection to be back",
      timeoutMs: outageMs + 60_000,
    });
    const actions = async () => (await store().sessions.list("", { limit: 1 })).items[0]?.actions;
    if (outageMs < 2_000) {
      await typed.answered();
      await discord.until(() => textOf(play.reply).includes("Opened 1 of 3"));
    } else {
      await discord.until(() => lab.lines.filter((line) => line.includes("too late to answer")).length === 2);
      expect(await actions()).toEqual([]);
      await ada.click(play.reply, "open");
    }
    expect(await actions()).toEqual(["open"]);
    await isTold(store(), "r1");
    expectToldOnce(discord.messages(thread.id), { roundId: "r1", by: ada });
    expect(discord.gateway.identifies).toBe(1);
  });

  it("Discord may fail whole: 5xx, lost answers and limits, for everything at once", async () => {
    await open();
    const { discord } = lab;
    await ada.command(channel, "watch add", { events: "round-finished" });
    await ada.command(channel, "round", { ...long, plays: 12 }, wait);
    const thread = await threadOf(discord, channel, "r1");
    await isPlaying(store(), "r1");
    discord.faults.add("* **", { status: 503 }, 12);
    discord.faults.add("* **", { drop: "after" }, 4);
    discord.faults.add("* **", { rateLimitMs: 300, scope: "global" }, 2);
    const answer = await ada.command(channel, "rounds", {}, { wait: "none" });
    await isTold(store(), "r1");
    expectToldOnce(discord.messages(thread.id), { roundId: "r1", by: ada });
    // Discord may have been gone for longer than an acknowledgement lasts: then the log says so.
    await discord.until(
      () => answer.text.includes("r1") || lab.lines.some((line) => line.includes("nothing was done")),
      { what: "the answer or a line of the log", timeoutMs: 20_000 },
    );
    const told = await discord.messageWith(channel, "Round r1 is finished", { timeoutMs: 20_000 });
    expect(discord.messages(channel).filter((one) => textOf(one).includes("Round r1 is finished"))).toEqual([
      told,
    ]);
  });

  it("the bot may be thrown out and invited again: the round goes on in the same message, and tells its end once", async () => {
    await open();
    const { discord } = lab;
    await ada.command(channel, "round", { ...long, plays: 400 }, wait);
    const thread = await threadOf(discord, channel, "r1");
    await isPlaying(store(), "r1");
    const [status] = statusesIn(discord.messages(thread.id));
    discord.kickBot();
    await discord.until(() => lab.lines.some((line) => line.includes("goes on unseen")), wait);
    const before = status?.history.length ?? 0;
    discord.inviteBot();
    await discord.until(() => (status?.history.length ?? 0) > before, {
      what: "the message to go on",
      ...wait,
    });
    await ada.command(channel, "cancel", { id: "r1" }, wait);
    await isTold(store(), "r1", "cancelled");
    expectToldOnce(discord.messages(thread.id), { roundId: "r1", by: ada, status: "cancelled" });
    expect(discord.messages(ada.dm)).toEqual([]);
  });

  it("a channel's permissions may vanish: people are told where they can be, and refused requests stay few", async () => {
    await open();
    const { discord } = lab;
    await ada.command(channel, "round", { ...long, plays: 12 }, wait);
    await isPlaying(store(), "r1");
    discord.deny(channel, ["ViewChannel", "SendMessages", "SendMessagesInThreads"]);
    await isTold(store(), "r1");
    const refused = discord.refusals().filter(({ status }) => status === 403).length;
    expect(refused).toBeLessThan(12);
    const own = await discord.messageWith(ada.dm, "Round r1: finished", wait);
    expect(own.pings).toContain(ada.id);
    expect(textOf(own)).toMatch(/View Channel|Send Messages/);
    discord.allow(channel, ["ViewChannel", "SendMessages", "SendMessagesInThreads"]);
    expect((await ada.command(channel, "rounds")).text).toMatch(/r1.*finished/s);
  });
});

/** Holds the store's write lock from a thread of its own, since waiting for a lock holds up this one. */
function lockStore(ms: number): Promise<Worker> {
  const program = `
    const { workerData, parentPort } = require("node:worker_threads");
    const { DatabaseSync } = require("node:sqlite");
    const database = new DatabaseSync(workerData.path);
    database.exec("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE");
    parentPort.postMessage("locked");
    setTimeout(() => { database.exec("ROLLBACK"); database.close(); }, workerData.ms);`;
  const worker = new Worker(program, {
    eval: true,
    workerData: { path: join(lab.dataDir, databaseFile), ms },
  });
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", () => resolve(worker));
  });
}

describe("what the lab stands on may fail for a while", () => {
  it("a store that another process locks: the click is done once when it is free again", async () => {
    await open();
    await keepEnvironment(store(), door, { id: "e1", name: "DoorEnv" });
    const play = await ada.command(channel, "env play", { id: "e1", seed: 1 });
    await lockStore(700);
    const [one, other] = await ada.clickTwice(play.reply, "open", { timeoutMs: 20_000 });
    expect(one.text).toContain("Opened 1 of 3");
    expect(other.text).toContain("Opened 1 of 3");
    expect((await store().sessions.list("", { limit: 1 })).items[0]?.actions).toEqual(["open"]);
  });

  it("a store that fails: whoever asked is told what to do, and what they do next works", async () => {
    await open();
    await keepEnvironment(store(), door, { id: "e1", name: "DoorEnv" });
    const play = await ada.command(channel, "env play", { id: "e1", seed: 1 });
    const { sessions } = store();
    const update = sessions.update.bind(sessions);
    sessions.update = () => Promise.reject(new StoreError("store.full", "The disk of the lab is full."));
    const failed = await ada.click(play.reply, "open");
    expect(failed.followUps[0]?.ephemeralFor).toBe(ada.id);
    expect(failed.text).toContain("The disk of the lab is full.");
    sessions.update = update;
    expect((await ada.click(play.reply, "open")).text).toContain("Opened 1 of 3");
  });

  it("a store that is full: what can't be drawn any more says so instead of nothing", async () => {
    lab = await openDiscordLab({ commands: testCommands(createDeeds()) });
    ada = lab.discord.user("ada");
    channel = lab.discord.channelId("lab");
    const { texts } = store();
    const put = texts.put.bind(texts);
    texts.put = () => Promise.reject(new StoreError("store.full", "The disk of the lab is full."));
    expect((await ada.command(channel, "panel")).text).toContain("The disk of the lab is full.");
    texts.put = put;
    expect((await ada.command(channel, "panel")).text).toContain("panel by ada");
  });

  it("a sandbox host that is stopped: the play goes on where it was, on another", async () => {
    await open();
    await keepEnvironment(store(), door, { id: "e1", name: "DoorEnv" });
    const play = await ada.command(channel, "env play", { id: "e1", seed: 1 });
    await ada.click(play.reply, "open");
    const hosts = below(process.pid);
    expect(hosts.length).toBeGreaterThan(0);
    for (const pid of hosts) process.kill(pid, "SIGSTOP");
    const pressed = await ada.click(play.reply, "open", { timeoutMs: 30_000 });
    const last = pressed.text.includes("The sandbox lost this play")
      ? await ada.click(play.reply, "open", { timeoutMs: 30_000 })
      : pressed;
    expect(last.text).toContain("Opened 2 of 3");
    expect((await lab.services().sandbox()).stats().hostRestarts).toBe(1);
    expect((await ada.click(play.reply, "open")).text).toContain("return 1.00");
  });
});

/** Every process that a process started, and what those started: a host may run in a jail's own process. */
function below(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1");
  const direct = children
    .split(" ")
    .filter((part) => part !== "")
    .map(Number);
  return direct.flatMap((child) => [child, ...below(child)]);
}
