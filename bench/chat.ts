/**
 * The team's chat under load: a real bot on a Discord server of its own process's, while rounds are worked on. The times
 * are those that Discord would see, the server's own part included.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import type { Chart } from "../bot/cards/card.ts";
import { createPainter } from "../bot/charts/painter.ts";
import type { Answer } from "../tests/support/discord/answer.ts";
import type { Person } from "../tests/support/discord/people.ts";
import { openDiscordLab } from "../tests/support/discord-lab.ts";
import type { Row } from "./row.ts";

const rounds = 20;
const interactions = 200;
const withinMs = 10_000;
const people = 20;
const names = ["status", "rounds", "help", "env list"] as const;
const patience = { timeoutMs: 120_000 };
const charts = 12;

export async function run(): Promise<Row[]> {
  return [...(await underLoad()), await whileChartsAreDrawn()];
}

/** Rounds run that don't end meanwhile, and many people give commands and press buttons. */
async function underLoad(): Promise<Row[]> {
  const lab = await openDiscordLab({ config: { limits: { roundsAtOnce: rounds } } });
  try {
    const { discord } = lab;
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
    const { items } = await lab.services().store.rounds.list({ limit: 100 });
    const running = items.filter(({ status }) => status === "running");
    for (const { id } of running) await personAt(0).command(channel, "cancel", { id }, patience);
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
    await lab.close();
  }
}

/** The longest that the bot's own thread is held up while charts are drawn in the other. */
async function whileChartsAreDrawn(): Promise<Row> {
  const painter = createPainter({ log: pino({ level: "silent" }) });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  try {
    delay.enable();
    for (let number = 0; number < charts; number += 1) await painter.draw(chartOf(number));
    delay.disable();
    const longest = delay.max / 1e6;
    return {
      name: `event loop held up while ${charts} charts are drawn, longest`,
      value: longest,
      unit: "ms",
      goal: "< 50",
      ok: longest < 50,
    };
  } finally {
    await painter.close();
  }
}

function chartOf(number: number): Chart {
  const arm = (mean: number) => ({ mean, stderr: 0.1 });
  return {
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
