/**
 * The team's chat under load: the bot as its own process, on a Discord server for tests, while rounds are worked on. The
 * times are those that Discord sees.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import type { Chart } from "../bot/cards/chart.ts";
import { createPainter } from "../bot/charts/painter.ts";
import { openStore } from "../store/open.ts";
import { start } from "../tests/support/command-line.ts";
import type { Answer } from "../tests/support/discord/answer.ts";
import type { Person } from "../tests/support/discord/people.ts";
import { startDiscord } from "../tests/support/discord/server.ts";
import type { Row } from "./row.ts";

const rounds = 20;
const interactions = 200;
const withinMs = 10_000;
const people = 20;
const names = ["status", "rounds", "help", "env list"] as const;
const patience = { timeoutMs: 120_000 };
const charts = 12;
const log = pino({ level: "silent" });

export async function run(): Promise<Row[]> {
  return [...(await underLoad()), ...(await whileChartsAreDrawn())];
}

/** Rounds run that don't end meanwhile, and many people give commands and press buttons. */
async function underLoad(): Promise<Row[]> {
  const directory = await mkdtemp(join(tmpdir(), "spadework-bench-"));
  const discord = await startDiscord();
  const bot = start(["serve", "--data", directory], {
    directory,
    environment: {
      DISCORD_TOKEN: discord.token,
      SPADEWORK_DISCORD_API: discord.api,
      SPADEWORK_LIMITS_ROUNDS_AT_ONCE: String(rounds),
      SPADEWORK_LIMITS_COMMANDS_PER_MINUTE: "10000",
    },
  });
  try {
    await bot.says(/The commands were registered/);
    const channel = discord.channelId("lab");
    const everyone = Array.from({ length: people }, (_, at) => discord.user(`person${at}`));
    const personAt = (at: number): Person => everyone[at % people] ?? discord.user("nobody");
    for (let seed = 1; seed <= rounds; seed += 1) {
      const options = { envs: 8, plays: 200, seed };
      await personAt(seed).command(channel, "round", options, { wait: "acknowledged", ...patience });
    }
    await discord.until(() => discord.threads(channel).length === rounds, patience);
    const startedAt = performance.now();
    const given: Promise<Answer>[] = [];
    for (let at = 0; at < interactions; at += 1) {
      given.push(personAt(at).command(channel, names[at % names.length] ?? "status", {}, patience));
      // Spread over the ten seconds by the clock, however long a turn takes.
      const due = startedAt + ((at + 1) * withinMs) / interactions;
      await wait(Math.max(0, due - performance.now()));
    }
    const answers = await Promise.all(given);
    const took = performance.now() - startedAt;
    const times = answers.map(({ acknowledgedMs }) => acknowledgedMs ?? Number.POSITIVE_INFINITY);
    const answered = answers.filter(({ text }) => text.length > 10).length;
    // Stopped at once: what is left of the rounds is nobody's concern.
    bot.child.kill("SIGKILL");
    await bot.ended;
    const store = await openStore({ dataDir: directory, log });
    const { items } = await store.rounds.list({ limit: 100 });
    await store.close();
    const running = items.filter(({ status }) => status === "running");
    discord.assertNoProblems();
    const slowest = Math.max(...times);
    return [
      {
        name: "rounds that run meanwhile",
        value: running.length,
        unit: "",
        goal: `= ${rounds}`,
        ok: running.length === rounds,
      },
      {
        name: "acknowledgement, slowest",
        value: slowest,
        unit: "ms",
        goal: "<= 500",
        ok: slowest <= 500,
      },
      {
        name: "acknowledgement, median",
        value: [...times].sort((a, b) => a - b)[interactions >> 1] ?? Number.NaN,
        unit: "ms",
        goal: "part of the above",
        ok: true,
      },
      {
        name: `of ${interactions} interactions in 10 s answered`,
        value: answered,
        unit: "",
        goal: `= ${interactions}`,
        ok: answered === interactions,
      },
      {
        name: "the last of them answered after",
        value: took / 1_000,
        unit: "s",
        goal: "<= 13",
        ok: took <= withinMs + 3_000,
      },
    ];
  } finally {
    bot.child.kill("SIGKILL");
    await bot.ended;
    await discord.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** The longest that the bot's own thread is held up while charts are drawn in the other. */
async function whileChartsAreDrawn(): Promise<Row[]> {
  const painter = createPainter({ log });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  try {
    const before = process.threadCpuUsage();
    delay.enable();
    for (let number = 0; number < charts; number += 1) await painter.draw(chartOf(number));
    delay.disable();
    const { user, system } = process.threadCpuUsage(before);
    const longest = delay.max / 1e6;
    // Other processes can hold this thread up as well: its own part of the time says what charts cost it.
    const own = (user + system) / 1e3 / charts;
    return [
      {
        name: `event loop held up while ${charts} charts are drawn, longest`,
        value: longest,
        unit: "ms",
        goal: "< 50",
        ok: longest < 50,
      },
      {
        name: "CPU time of the bot's thread for a chart",
        value: own,
        unit: "ms",
        goal: "< 50",
        ok: own < 50,
      },
    ];
  } finally {
    await painter.close();
  }
}

function chartOf(number: number): Chart {
  const arm = (mean: number) => ({ mean, stderr: 0.1 });
  return {
    type: "round",
    title: `Round r${number}: environments played`,
    alt: "what it shows",
    environments: Array.from({ length: 40 }, (_, at) => ({
      name: `Environment${at}Env`,
      plain: arm((at % 10) / 10),
      hinted: arm(0.9),
      hintedHuman: at % 3 === 0 ? arm(1) : null,
      regret: arm(0.9 - (at % 10) / 10),
      winRate: (at % 10) / 10,
    })),
  };
}
