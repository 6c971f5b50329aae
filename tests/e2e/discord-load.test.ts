/** Many people at once: every interaction is answered, and acknowledged in time, while rounds are worked on. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { start } from "../support/command-line.ts";
import type { Answer } from "../support/discord/answer.ts";
import { startDiscord } from "../support/discord/server.ts";
import { runInside } from "../support/inside.ts";

const rounds = 20;
const interactions = 200;
const withinMs = 10_000;
const acknowledgedMs = 500;
/** After that Discord gives an interaction up. */
const discordsLimitMs = 3_000;

const openRounds = z.object({ rounds: z.array(z.object({ status: z.string() })) });

/** The value below which a share of the numbers lies. */
const quantile = (numbers: readonly number[], share: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.ceil(numbers.length * share) - 1] ?? Number.NaN;

it(`acknowledges within ${acknowledgedMs} ms while ${rounds} rounds run, and answers ${interactions} interactions of 10 s`, async () => {
  const directory = mkdtempSync(join(tmpdir(), "spadework-load-"));
  const discord = await startDiscord();
  // A process of its own, as it is for people: what the tests do themselves takes none of its time.
  const bot = start(["serve", "--data", directory], {
    directory,
    environment: {
      DISCORD_TOKEN: discord.token,
      SPADEWORK_DISCORD_API: discord.api,
      SPADEWORK_SANDBOX_HOSTS: "1",
      SPADEWORK_LIMITS_ROUNDS_AT_ONCE: String(rounds),
      SPADEWORK_LIMITS_COMMANDS_PER_MINUTE: "10000",
    },
  });
  await bot.says(/The commands were registered/);
  const channel = discord.channelId("lab");
  const people = Array.from({ length: 20 }, (_, at) => discord.user(`person${at}`));
  await Promise.all(
    people.map((person, at) =>
      person.command(channel, "round", { envs: 8, plays: 64, seed: at + 1 }, { timeoutMs: 60_000 }),
    ),
  );
  await discord.until(() => discord.threads(channel).length === rounds, {
    what: "the rounds to be shown",
    timeoutMs: 60_000,
  });
  const given: Promise<Answer>[] = [];
  const from = performance.now();
  for (let at = 0; at < interactions; at += 1) {
    const person = people[at % people.length];
    if (person === undefined) throw new Error("nobody is there");
    const name = ["status", "rounds", "help", "env list"][at % 4] ?? "status";
    given.push(person.command(channel, name, {}, { timeoutMs: 60_000 }));
    const due = from + ((at + 1) * withinMs) / interactions;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
  }
  const answers = await Promise.all(given);
  const acknowledged = answers.map((answer) => answer.acknowledgedMs ?? Number.POSITIVE_INFINITY);
  // Stopped at once: what is left of the rounds is nobody's concern.
  bot.child.kill("SIGKILL");
  await bot.ended;
  await discord.stop();
  const left = await runInside(["status", "--json", "--data", directory], { directory });
  rmSync(directory, { recursive: true });
  const running = openRounds
    .parse(JSON.parse(left.stdout))
    .rounds.filter(({ status }) => status === "running");
  expect(running).toHaveLength(rounds);
  expect(answers.filter(({ text }) => text.length <= 10)).toEqual([]);
  // Other processes share the cores: the slowest tenth may have waited for them.
  expect(quantile(acknowledged, 0.9)).toBeLessThanOrEqual(acknowledgedMs);
  expect(Math.max(...acknowledged)).toBeLessThan(discordsLimitMs);
  discord.assertNoProblems();
});
