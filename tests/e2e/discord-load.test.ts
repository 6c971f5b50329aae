/** Many people at once: every interaction is answered, and acknowledged in time, while rounds are worked on. */
import { afterEach, describe, expect, it } from "vitest";
import type { Answer } from "../support/discord/answer.ts";
import { type DiscordLab, openDiscordLab } from "../support/discord-lab.ts";

let lab: DiscordLab;

afterEach(() => lab.close());

const rounds = 20;
const interactions = 200;
const withinMs = 10_000;
const acknowledgedMs = 500;
/** After that Discord gives an interaction up. */
const discordsLimitMs = 3_000;

/** The value below which a share of the sorted numbers lies. */
const quantile = (numbers: readonly number[], share: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.ceil(numbers.length * share) - 1] ?? Number.NaN;

describe("under load", () => {
  it(`acknowledges within ${acknowledgedMs} ms while ${rounds} rounds run, and answers ${interactions} interactions in 10 s`, async () => {
    lab = await openDiscordLab({ config: { limits: { roundsAtOnce: rounds } } });
    const { discord } = lab;
    const channel = discord.channelId("lab");
    const people = Array.from({ length: 20 }, (_, at) => discord.user(`person${at}`));
    const [ada] = people;
    if (ada === undefined) throw new Error("nobody is there");
    for (let seed = 1; seed <= rounds; seed += 1) {
      await ada.command(
        channel,
        "round",
        { envs: 8, plays: 64, seed },
        { wait: "acknowledged", timeoutMs: 30_000 },
      );
    }
    await discord.until(() => discord.threads(channel).length === rounds, {
      what: "the rounds to be shown",
      timeoutMs: 60_000,
    });
    const given: Promise<Answer>[] = [];
    for (let at = 0; at < interactions; at += 1) {
      const person = people[at % people.length] ?? ada;
      const name = ["status", "rounds", "help", "env list"][at % 4] ?? "status";
      given.push(person.command(channel, name, {}, { timeoutMs: 60_000 }));
      await new Promise((resolve) => setTimeout(resolve, withinMs / interactions / 2));
    }
    const answers = await Promise.all(given);
    const acknowledged = answers.map((answer) => answer.acknowledgedMs ?? Number.POSITIVE_INFINITY);
    const running = (await lab.services().store.rounds.list({ limit: 50 })).items.filter(
      ({ status }) => status === "running",
    );
    expect(running).toHaveLength(rounds);
    expect(answers.filter(({ text }) => text.length <= 10)).toEqual([]);
    // The tests' own server and people run in the same process, beside other tests: the slowest few are theirs.
    expect(quantile(acknowledged, 0.9)).toBeLessThanOrEqual(acknowledgedMs);
    expect(Math.max(...acknowledged)).toBeLessThan(discordsLimitMs);
    for (const { id } of running) await ada.command(channel, "cancel", { id }, { timeoutMs: 60_000 });
  });
});
