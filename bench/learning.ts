/** Learning: how long an update takes, and that memory does not grow with the rounds of a campaign. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createCampaign } from "../graph/campaigns/control.ts";
import { runCampaign } from "../graph/campaigns/run.ts";
import { createRound, runRound } from "../graph/control.ts";
import { gatherBatch } from "../graph/trainers/batch.ts";
import { createEmbeddedTrainer } from "../graph/trainers/embedded/trainer.ts";
import { embeddedLab } from "../tests/support/embedded-lab.ts";
import { roundOptionsOf } from "../tests/support/services.ts";
import type { Row } from "./row.ts";

const trajectories = 400;
const updates = 7;
/** Rounds after which memory is looked at: by the first everything is loaded and warm. */
const [warmRounds, allRounds] = [60, 160];

export async function run(): Promise<Row[]> {
  return [await updateRow(), await memoryRow()];
}

/** As the embedded policy's campaigns have it: both arms, cross-arm groups, 25 designs; from the batch to the stored version. */
async function updateRow(): Promise<Row> {
  const lab = await embeddedLab();
  try {
    const options = roundOptionsOf({
      model: "embedded",
      envs: 25,
      plays: 12,
      hintedPlays: 4,
      fill: true,
      reward: "regret",
    });
    const { id } = await createRound(lab, options, "bench");
    await runRound(lab, id);
    const { store } = lab;
    const batch = await gatherBatch(store, { roundIds: [id], groups: "cross-arm" });
    // Groups without a spread are not in it: what is there comes again until it is as many.
    const agent = Array.from({ length: trajectories }, (_, i) => batch.agent[i % batch.agent.length]).filter(
      (one) => one !== undefined,
    );
    const trainer = createEmbeddedTrainer({ store, now: Date.now });
    let { policyVersion } = batch;
    const took: number[] = [];
    for (let at = 0; at < updates; at += 1) {
      const began = performance.now();
      const { version } = await trainer.update({ ...batch, id: `${batch.id}-${at}`, policyVersion, agent });
      took.push(performance.now() - began);
      policyVersion = version;
    }
    const value = took.sort((a, b) => a - b)[Math.floor(updates / 2)] ?? Number.NaN;
    return {
      name: `update of ${agent.length} trajectories and ${batch.designer.length} designs, median of ${updates}`,
      value,
      unit: "ms",
      goal: "< 200",
      ok: value < 200,
    };
  } finally {
    await lab.close();
  }
}

async function memoryRow(): Promise<Row> {
  const lab = await embeddedLab();
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  const heapMb = (): number => {
    if (typeof collect === "function") collect();
    return process.memoryUsage().heapUsed / 1_000_000;
  };
  try {
    const { id } = await createCampaign(
      lab,
      {
        rounds: allRounds,
        every: 1,
        trainer: "embedded",
        groups: "cross-arm",
        designer: "reward",
        evaluateEvery: 0,
        evaluations: 1,
        poolSize: 0,
        round: roundOptionsOf({ model: "embedded", envs: 1, plays: 2, reward: "regret" }),
      },
      "bench",
    );
    let warm = Number.NaN;
    await runCampaign(lab, id, {
      onStep: ({ rounds }) => {
        if (rounds.length === warmRounds && rounds.at(-1)?.update !== null) warm = heapMb();
      },
    });
    const value = heapMb() - warm;
    return {
      name: `campaign: heap that rounds ${warmRounds} to ${allRounds} leave behind`,
      value,
      unit: "MB",
      goal: "< 10",
      ok: value < 10,
    };
  } finally {
    await lab.close();
  }
}
