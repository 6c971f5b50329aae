/** Approvals on Discord: decided once, whoever presses what at the same moment, whatever was deleted, taken away or restarted. */
import { afterEach, describe, expect, it } from "vitest";
import type { Store } from "../../store/store.ts";
import type { Person } from "../support/discord/people.ts";
import { textOf } from "../support/discord/server.ts";
import type { Channel, Message } from "../support/discord/world.ts";
import { type DiscordLab, openDiscordLab } from "../support/discord-lab.ts";
import {
  expectToldOnce,
  hasStatus,
  isTold,
  labelsOf,
  requestsIn,
  threadOf,
  wait,
} from "../support/discord-rounds.ts";

let lab: DiscordLab;
let ada: Person;
let bo: Person;
let channel: string;
let thread: Channel;

afterEach(() => lab.close());

const store = (): Store => lab.services().store;
const requests = (): Message[] => requestsIn(lab.discord.messages(thread.id));

/** A round of two environments that waits for people, each with its message. */
async function asks(): Promise<readonly [Message, Message]> {
  lab = await openDiscordLab({ mapped: true, config: { discord: { progressMs: 1_000 } } });
  ada = lab.discord.user("ada", { roles: ["researcher"] });
  bo = lab.discord.user("bo", { roles: ["researcher"] });
  channel = lab.discord.channelId("lab");
  const options = { envs: 2, plays: 1, kind: "game", seed: 1, approve: true };
  await ada.command(channel, "round", options, wait);
  thread = await threadOf(lab.discord, channel, "r1");
  await hasStatus(store(), "r1", "waiting");
  const [first, second] = await lab.discord.until(() => requests().length === 2 && requests(), {
    what: "two requests",
  });
  if (first === undefined || second === undefined) throw new Error("requests are missing");
  return [first, second];
}

const idIn = (message: Message): string => /^### (\S+) /.exec(textOf(message))?.[1] ?? "";

async function decisions(): Promise<string[]> {
  const { items } = await store().audit.list({ limit: 100 });
  return items
    .filter(({ what }) => /^environment\.(approved|rejected)$/.test(what))
    .map(({ who, what, subject }) => `${subject} ${what.slice("environment.".length)} by ${who}`)
    .reverse();
}

describe("an approval on Discord", () => {
  it("is decided by one of two people who press at once; the other is told who did, and the round goes on once", async () => {
    const [first, second] = await asks();
    const answers = await Promise.all([ada.click(first, "Approve"), bo.click(first, "Approve")]);
    const [decision] = await decisions();
    const winner = /by (\w+)$/.exec(decision ?? "")?.[1];
    expect(decision).toBe(`${idIn(first)} approved by ${winner}`);
    await lab.discord.until(() => textOf(first).includes(`Approved by ${winner}`));
    expect(labelsOf(first)).toEqual([]);
    const refused = answers.flatMap(({ followUps }) => followUps);
    expect(refused.map(textOf).join()).toContain(`was approved already by ${winner}`);
    expect(refused.map(({ ephemeralFor }) => ephemeralFor)).toEqual([winner === "ada" ? bo.id : ada.id]);

    const { modal } = await ada.click(second, "Reject…");
    await Promise.all([
      ada.submit(modal, { reason: "too dull" }),
      bo.click(second, "Approve"),
      bo.click(second, "Approve"),
    ]);
    await isTold(store(), "r1");
    expect(await decisions()).toHaveLength(2);
    expect(requests()).toHaveLength(2);
    expect(requests().flatMap(labelsOf)).toEqual([]);
    expectToldOnce(lab.discord.messages(thread.id), { roundId: "r1", by: ada });
  });

  it("counts once when Discord sends a click twice, and not at all when it comes too late or its role is gone", async () => {
    const [first, second] = await asks();
    const { modal } = await bo.click(second, "Reject…");
    lab.discord.removeRole(bo, "researcher");
    const refused = await Promise.all([
      bo.click(first, "Approve"),
      bo.submit(modal, { reason: "none of mine" }),
    ]);
    for (const { text, isEphemeral } of refused) {
      expect(text).toContain("The lab gives bo no role");
      expect(isEphemeral).toBe(true);
    }
    await ada.click(first, "Approve", { lateMs: 3_100, wait: "none" });
    await lab.discord.until(() => lab.lines.some((line) => line.includes("too late to answer")));
    expect(await decisions()).toEqual([]);
    expect(labelsOf(first)).toContain("Approve");

    const answer = await ada.click(first, "Approve");
    answer.replay();
    await ada.click(second, "Approve");
    await isTold(store(), "r1");
    expect(await decisions()).toEqual([`${idIn(first)} approved by ada`, `${idIn(second)} approved by ada`]);
  });

  it("goes on in the same message after a restart, and from the queue where its message was deleted", async () => {
    const [first, second] = await asks();
    lab.discord.deleteMessage(second);
    await lab.restart();
    expect(requests().map(({ id }) => id)).toEqual([first.id]);
    const queue = await ada.command(channel, "approve");
    expect(queue.text).toContain("2 environments wait for approval");
    await ada.click(queue.reply, `Approve ${idIn(second)}`);
    await ada.click(first, "Approve");
    await isTold(store(), "r1");
    expect(requests().map(({ id }) => id)).toEqual([first.id]);
    expect(labelsOf(first)).toEqual([]);
    expect(await decisions()).toHaveLength(2);
    expectToldOnce(lab.discord.messages(thread.id), { roundId: "r1", by: ada });
  });

  it("outlives its thread: what waits is in the queue, and the round ends in the channel", async () => {
    const [first, second] = await asks();
    const ids = [idIn(first), idIn(second)];
    lab.discord.deleteChannel(thread.id);
    for (const id of ids) {
      const queue = await ada.command(channel, "approve");
      expect((await ada.click(queue.reply, `Approve ${id}`)).text).toContain("Approved by ada");
    }
    await isTold(store(), "r1");
    expectToldOnce(lab.discord.messages(channel), { roundId: "r1", by: ada });
    expect(ada.reads(channel)).toContain("Its thread was deleted. The round goes on here.");
  });
});
