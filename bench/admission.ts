/** Admission: how long all gates take on a typical environment, and how many environments a second pass through them. */
import { readFileSync } from "node:fs";
import { pino } from "pino";
import { configSchema } from "../config/schema.ts";
import { admit } from "../sandbox/admission/admit.ts";
import { createSandbox } from "../sandbox/pool.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Row } from "./row.ts";

const typical = "../tests/support/environments/good/vault-dial.js";
const warmUps = 10;
const oneByOne = 40;
const sideBySide = 80;
const atOnce = 6;

/** Admits one source after another and then several at once, every one of them a source of its own. */
export async function run(): Promise<Row[]> {
  const source = readFileSync(new URL(typical, import.meta.url), "utf8");
  const sandbox = await createSandbox(configSchema.parse({}).sandbox, pino({ level: "silent" }));
  try {
    for (let i = 0; i < warmUps; i += 1) await admitted(sandbox, `${source}\n// warm-up ${i}`);
    const times: number[] = [];
    for (let i = 0; i < oneByOne; i += 1) times.push(await admitted(sandbox, `${source}\n// ${i}`));
    const median = times.toSorted((a, b) => a - b)[oneByOne >> 1] ?? Number.NaN;
    const rate = await ratePerSecond(sandbox, source);
    return [
      { name: "all gates, median", value: median, unit: "ms", goal: "< 100", ok: median < 100 },
      { name: `admissions, ${atOnce} at once`, value: rate, unit: "1/s", goal: ">= 20", ok: rate >= 20 },
    ];
  } finally {
    await sandbox.close();
  }
}

/** Milliseconds that one admission took. Throws if the environment was refused: then the time means nothing. */
async function admitted(sandbox: Sandbox, source: string): Promise<number> {
  const started = performance.now();
  const report = await admit(source, {
    language: "javascript",
    sandbox,
    novelty: async () => null,
    reviewer: null,
  });
  const ms = performance.now() - started;
  const refused = report.gates.filter(({ verdict }) => verdict === "fail").map(({ detail }) => detail);
  if (!report.admitted) throw new Error(`The typical environment was refused: ${refused.join(" ")}`);
  return ms;
}

async function ratePerSecond(sandbox: Sandbox, source: string): Promise<number> {
  const started = performance.now();
  let next = 0;
  const work = async () => {
    while (next < sideBySide) {
      next += 1;
      await admitted(sandbox, `${source}\n// side by side ${next}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return (sideBySide * 1_000) / (performance.now() - started);
}
