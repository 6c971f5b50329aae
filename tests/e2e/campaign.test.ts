/** Campaigns on the command line: begun, looked at, interrupted, paused from elsewhere, and taken up. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { createCampaign } from "../../graph/campaigns/control.ts";
import { campaignRecord } from "../../store/campaign-records.ts";
import { openStore } from "../../store/open.ts";
import { campaignOptionsOf } from "../support/campaigns.ts";
import { createLab, errorDocument, type Lab, type Running } from "../support/command-line.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { silent, testServices } from "../support/services.ts";

let lab: Lab;
beforeEach(() => {
  lab = createLab();
});
afterEach(() => lab.remove());

const small = ["--envs", "2", "--plays", "2", "--every", "1", "--evaluations", "4", "--seed", "5"];
const start = ["campaign", "start", ...small];
const environment = { SPADEWORK_SANDBOX_HOSTS: "1" };

/** A long campaign that has played a round. */
async function playing(): Promise<Running> {
  const running = lab.start([...start, "--rounds", "500", "--evaluate-every", "0"], { environment });
  await running.says(/^rounds [1-9]\d*\/500/m);
  return running;
}

it("plays, trains and evaluates, and shows it", { timeout: 120_000 }, async () => {
  const words = [...start, "--rounds", "2", "--evaluate-every", "2"];
  const record = await lab.json(campaignRecord, words, { environment });
  expect(record).toMatchObject({ id: "c1", status: "finished", error: null });
  expect(record.options).toMatchObject({ trainer: "embedded", groups: "cross-arm", every: 1 });
  expect(record.rounds.map(({ roundId }) => roundId)).toEqual(["c1r1", "c1r2"]);
  expect(record.rounds.every(({ update }) => update !== null)).toBe(true);
  expect(record.evaluations.map(({ after }) => after)).toEqual([0, 2]);

  const status = await lab.run(["campaign", "status"]);
  expect(status.code).toBe(0);
  expect(status.stdout).toMatch(/Campaign c1: finished[\s\S]*2\/2[\s\S]*held-out success/);
  expect((await lab.run(["campaign", "list"])).stdout).toMatch(/c1 .*finished .*2\/2/);
  expect((await lab.run(["rounds"])).stdout).not.toContain("c1r1");
  expect((await lab.run(["rounds", "--campaign", "c1"])).stdout).toMatch(/c1r2[\s\S]*c1r1/);
  // One that is over is shown, not begun anew.
  expect(await lab.json(campaignRecord, ["campaign", "resume", "c1"])).toEqual(record);
});

it("finishes what is in flight at the first Ctrl-C, and says how to go on", {
  timeout: 120_000,
}, async () => {
  const running = await playing();
  const busy = await lab.run(["campaign", "resume", "c1"]);
  expect(busy.code).toBe(3);
  expect(busy.stderr).toContain("Another process works on campaign c1 at the moment.");
  const second = await lab.run(start);
  expect(second.code).toBe(3);
  expect(second.stderr).toContain("Campaign c1 trains embedded already");
  running.child.kill("SIGINT");
  const { code, stdout, stderr } = await running.ended;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
  expect(stderr).toMatch(/Campaign c1 was interrupted; \d+ of 500 rounds are done and kept\./);
  expect(stderr).toContain("Go on with it: spadework campaign resume c1");
  const { stdout: shown } = await lab.run(["status"]);
  expect(shown).toMatch(/c1 .*interrupted/);
  expect(shown).not.toContain("c1r");
});

it("waits when another process pauses it, and ends when one stops it", { timeout: 120_000 }, async () => {
  const running = await playing();
  expect((await lab.run(["campaign", "pause", "c1"])).code).toBe(0);
  const paused = await running.ended;
  expect(paused.code).toBe(0);
  expect(paused.stdout).toContain("Campaign c1: paused");
  const again = lab.start(["campaign", "resume", "c1", "--json"], { environment });
  await again.says(/Campaign c1 goes on: \d+ of 500 rounds are done\./);
  expect((await lab.run(["campaign", "stop", "c1"])).code).toBe(0);
  const stopped = await again.ended;
  expect(stopped.code).toBe(3);
  expect(campaignRecord.parse(JSON.parse(stopped.stdout)).status).toBe("stopped");
  const over = await lab.run(["campaign", "pause", "c1"]);
  expect(over.code).toBe(3);
  expect(over.stderr).toContain("Campaign c1 is stopped already.");
});

it("goes on with the policy as it is when somebody changed it meanwhile", { timeout: 120_000 }, async () => {
  const words = [...start, "--rounds", "1", "--evaluate-every", "0"];
  const first = await lab.json(campaignRecord, words, { environment });
  const store = await openStore({ dataDir: lab.dataDir, log: silent });
  const newest = await store.policies.latest("embedded");
  if (newest === null) throw new Error("it was trained");
  // As it is when it was killed before its update, and the policy was changed since.
  await store.campaigns.update("c1", (campaign) => ({
    ...campaign,
    status: "running",
    rounds: campaign.rounds.map((round) => ({ ...round, update: null })),
  }));
  const changed = { ...newest, version: "embedded-rolled", parent: newest.version, batchId: "other" };
  await store.policies.insert(changed);
  await store.close();
  const record = await lab.json(campaignRecord, ["campaign", "resume", "c1"], { environment });
  expect(record).toMatchObject({ status: "finished", id: first.id });
  // Its batch had made a version before the change: it is not trained on again.
  expect(record.rounds[0]?.update?.version).toBe(first.rounds[0]?.update?.version);
});

it.each([
  [["--trainer", "embedded", "--model", "openai:x"], "The trainer embedded takes the model embedded"],
  [["--trainer", "tinker"], "The trainer tinker takes a model whose name begins with tinker:"],
  [["--plays", "2", "--hinted-plays", "3"], "3 hinted plays are more than 2 plays"],
  [["--pool", "e1", "--pool-size", "3"], "--pool-size"],
  [["--pool", "e1"], "There is no environment e1."],
  [["--pool", "all"], "There is no environment that can be played yet."],
  [["--trainer", "magic"], "--trainer"],
])("refuses %j with a usage error", async (words, sentence) => {
  const { code, stdout } = await lab.run(["campaign", "start", ...words, "--json"]);
  expect(code).toBe(2);
  expect(errorDocument.parse(JSON.parse(stdout)).error.message).toContain(sentence);
});

it("says that there is none", async () => {
  const services = await testServices({ model: scriptedModel(), dataDir: lab.dataDir });
  const none = await lab.run(["campaign", "status"]);
  expect(none.code).toBe(2);
  const options = campaignOptionsOf({ trainer: "none" }, { model: "scripted" });
  await createCampaign(services, options, "tester");
  await services.close();
  expect((await lab.run(["campaign", "status", "c2"])).stderr).toContain('There is no campaign "c2".');
  expect((await lab.run(["campaign", "status"])).stdout).toContain("Campaign c1: interrupted");
});
