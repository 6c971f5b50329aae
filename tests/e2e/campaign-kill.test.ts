/** A campaign whose process is killed, at chosen and at random moments, ends as one that nobody touched. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { composeServices } from "../../config/compose.ts";
import { keyedRandom } from "../../config/random.ts";
import { configSchema } from "../../config/schema.ts";
import { createCampaign } from "../../graph/campaigns/control.ts";
import { runCampaign } from "../../graph/campaigns/run.ts";
import type { Services } from "../../graph/services.ts";
import type { CampaignOptions } from "../../store/campaign-records.ts";
import { campaignOptionsOf, lastingOf } from "../support/campaigns.ts";
import { start } from "../support/command-line.ts";
import { silent } from "../support/services.ts";

const child = join(import.meta.dirname, "../support/campaign-child.ts");
/** Processes that load everything, some a test; a busy machine takes its time for that. */
const timeout = 300_000;
/** Kills of the program itself at random moments; a long run asks for more. */
const randomKills = Number(process.env.SPADEWORK_CAMPAIGN_KILLS ?? 3);
const longestLifeMs = 6_000;

/** What happens so many times before the process kills itself, just before or after it. */
type Moment = readonly [what: string, nth: number, when: "before" | "after"];

const moments: readonly Moment[] = [
  ["called", 2, "before"],
  ["evaluated", 1, "before"],
  ["begun", 1, "after"],
  ["designed", 2, "after"],
  ["episode", 2, "before"],
  ["played", 1, "before"],
  ["version", 1, "before"],
  ["version", 1, "after"],
  ["trained", 1, "before"],
  ["trained", 1, "after"],
  ["version", 1, "after"],
  ["finished", 1, "before"],
];
const poolMoments: readonly Moment[] = [
  ["designed", 2, "before"],
  ["pooled", 1, "before"],
  ["pooled", 1, "after"],
  ["trained", 2, "before"],
];

async function lab(): Promise<Services> {
  const dataDir = await mkdtemp(join(tmpdir(), "spadework-campaign-"));
  return composeServices(configSchema.parse({ dataDir, sandbox: { hosts: 1 } }), {
    log: silent,
    emit: () => {},
  });
}

async function close({ close: end, config }: Services): Promise<void> {
  await end();
  await rm(config.dataDir, { recursive: true });
}

/** Works on the campaign in a process of its own; the signal that ended it, or what it said. */
async function work(dataDir: string, id: string, moment: Moment | null): Promise<string> {
  const parameters = [child, dataDir, id, ...(moment ?? []).map(String)];
  const worker = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...parameters], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "spadework-compile-cache") },
  });
  let said = "";
  worker.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [, signal] = await once(worker, "exit");
  return signal ?? said.trim();
}

/** What the campaign is when nobody touches it. */
async function unbroken(options: CampaignOptions): Promise<Awaited<ReturnType<typeof lastingOf>>> {
  const services = await lab();
  const { id } = await createCampaign(services, options, "tester");
  expect(await runCampaign(services, id)).toMatchObject({ status: "finished", error: null });
  const lasting = await lastingOf(services, id);
  await close(services);
  return lasting;
}

test.each([
  ["whose rounds design", campaignOptionsOf(), moments],
  ["over a fixed pool", campaignOptionsOf({ poolSize: 2, rounds: 3, evaluateEvery: 0 }), poolMoments],
])("a campaign %s, killed at chosen moments", { timeout }, async (_what, options, killedAt) => {
  const services = await lab();
  const { id } = await createCampaign(services, options, "tester");
  for (const moment of killedAt) {
    expect(await work(services.config.dataDir, id, moment), moment.join(" ")).toBe("SIGKILL");
  }
  expect(await work(services.config.dataDir, id, null)).toBe("finished");
  const lasting = await lastingOf(services, id);
  expect(lasting.record.rounds).toHaveLength(options.rounds);
  expect(lasting).toEqual(await unbroken(options));
  await close(services);
});

test("a campaign of the program itself, killed at random moments", { timeout }, async () => {
  const random = keyedRandom("campaign-kills");
  const services = await lab();
  const { dataDir } = services.config;
  const { id } = await createCampaign(services, campaignOptionsOf(), "tester");
  for (let kills = 0; kills < randomKills; kills += 1) {
    const running = start(["campaign", "resume", id, "--json", "--data", dataDir]);
    const timer = setTimeout(() => running.child.kill("SIGKILL"), random.below(longestLifeMs));
    await running.ended;
    clearTimeout(timer);
  }
  const { code, stderr } = await start(["campaign", "resume", id, "--json", "--data", dataDir]).ended;
  expect(code, stderr).toBe(0);
  expect(await lastingOf(services, id)).toEqual(await unbroken(campaignOptionsOf()));
  await close(services);
});
