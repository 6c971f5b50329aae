/** What people see of a round, from its events, and the card that is drawn from it. */
import { describe, expect, it } from "vitest";
import { roundProgressCard } from "../../bot/cards/round-progress-card.ts";
import { episodesVoiceCard } from "../../bot/cards/round-voice-card.ts";
import { countVerdicts, type RoundView, runningRegret, viewAfter } from "../../bot/chat/round-view.ts";
import { voicesOf } from "../../bot/chat/voices.ts";
import { SpadeworkError } from "../../config/errors.ts";
import type { Arm } from "../../config/words.ts";
import type { RoundEvent, Stage } from "../../graph/events.ts";
import { environmentRecord, episodeRecord } from "../../store/records.ts";
import { drawn } from "../support/memory-room.ts";
import { roundOptionsOf } from "../support/services.ts";

const start: RoundView = {
  roundId: "r1",
  options: roundOptionsOf({ envs: 2, repairs: 1 }),
  startedBy: "Ann",
  startedAt: 1_000,
  job: { type: "running" },
  stage: null,
  stages: [],
  designs: new Map(),
  returns: new Map(),
  episodes: 0,
  failed: 0,
  warnings: [],
  at: 1_000,
};

type Said = RoundEvent extends infer E ? (E extends RoundEvent ? Omit<E, "roundId"> : never) : never;

/** The view after events that come a second apart. */
function told(events: readonly Said[], view = start): RoundView {
  return events.reduce<RoundView>(
    (seen, event, at) => viewAfter(seen, { ...event, roundId: "r1" } as RoundEvent, 2_000 + at * 1_000),
    view,
  );
}

const stage = (name: Stage, done: number, total: number): Said => ({
  type: "stage",
  stage: name,
  done,
  total,
});
const designed = (slot: number, attempt = 0): Said => ({
  type: "designed",
  environmentId: `r1-${slot}`,
  name: `Env${slot}`,
  attempt,
});
const judged = (slot: number, admitted: boolean, attempt = 0): Said => ({
  type: "judged",
  environmentId: `r1-${slot}`,
  admitted,
  failedGates: admitted ? [] : ["winnable"],
  attempt,
});
const episode = (slot: number, arm: Arm, value: number | null): Said => ({
  type: "episode",
  episodeId: "e",
  environmentId: `r1-${slot}`,
  arm,
  index: 0,
  return: value,
  turns: 3,
});

const moment = (at: number): string => `at ${at}`;
const text = (view: RoundView): string => drawn(roundProgressCard(view, { moment, note: null }));

describe("the view of a round", () => {
  it("changes nothing but itself, and the same events give the same view", () => {
    const events = [stage("design", 0, 2), designed(1), designed(2), judged(1, true), episode(1, "plain", 1)];
    const frozen = JSON.stringify([start, [...start.designs]]);
    expect(told(events)).toEqual(told(events));
    expect(JSON.stringify([start, [...start.designs]])).toBe(frozen);
  });

  it("tells designs that are mended from those that are turned away for good", () => {
    const first = told([designed(1), designed(2), judged(1, true), judged(2, false)]);
    expect(countVerdicts(first)).toEqual({ open: 0, mended: 1, admitted: 1, rejected: 0 });
    const second = told([designed(2, 1), judged(2, false, 1)], first);
    expect(countVerdicts(second)).toEqual({ open: 0, mended: 0, admitted: 1, rejected: 1 });
  });

  it("counts what a person turned away as rejected, and no environment that it does not design", () => {
    const decided = (slot: number, status: "approved" | "rejected"): Said => ({
      type: "approval-decided",
      environmentId: `r1-${slot}`,
      status,
    });
    const begun = told([designed(1), designed(2), judged(1, true), judged(2, true)]);
    const view = told([decided(1, "approved"), decided(2, "rejected"), decided(3, "rejected")], begun);
    expect(countVerdicts(view)).toEqual({ open: 0, mended: 0, admitted: 1, rejected: 1 });
  });

  it("keeps what is done when a few designs go back", () => {
    const view = told([
      stage("design", 2, 2),
      stage("admit", 2, 2),
      stage("design", 0, 1),
      stage("admit", 0, 1),
    ]);
    expect(view.stages.map(({ done, total }) => `${done}/${total}`)).toEqual(["1/2", "1/2"]);
    const mended = told([stage("design", 1, 1)], view);
    expect(mended.stages[0]).toMatchObject({ done: 2, total: 2 });
  });

  it("averages the regret over the environments that were played in both arms", () => {
    const view = told([
      episode(1, "plain", 0),
      episode(1, "plain", 1),
      episode(1, "hinted", 1),
      episode(2, "plain", 1),
      episode(2, "hinted", null),
      episode(1, "hinted-human", 1),
    ]);
    expect(runningRegret(view)).toEqual({ mean: 0.5, environments: 1 });
    expect(view).toMatchObject({ episodes: 6, failed: 1 });
    expect(runningRegret(start)).toBeNull();
  });

  it("lets a design speak once its verdict is final, and the agent once all was played", () => {
    const keys = (view: RoundView): string[] => voicesOf(view).map(({ key }) => key);
    const begun = told([designed(1), designed(2), judged(1, true), judged(2, false)]);
    expect(keys(begun)).toEqual(["design:0"]);
    const settled = told([designed(2, 1), judged(2, false, 1), stage("play", 3, 4)], begun);
    expect(keys(settled)).toEqual(["design:0", "design:1"]);
    expect(keys(told([stage("score", 0, 2)], settled))).toEqual(["design:0", "design:1", "episode"]);
  });
});

describe("the status message", () => {
  it("shows every stage, what became of the designs, and the regret so far", () => {
    const view = told([
      stage("design", 2, 2),
      designed(1),
      designed(2),
      judged(1, true),
      judged(2, false, 1),
      stage("play", 0, 16),
      episode(1, "plain", 0),
      episode(1, "hinted", 1),
      stage("play", 4, 16),
      { type: "warning", message: "one line\nand another" },
    ]);
    expect(text(view)).toMatchInlineSnapshot(`
      "Round r1: running

        design   ████████████ 2/2, 0.0 s
        play     ███░░░░░░░░░ 4/16, 4.0 s, about 12 s left

      stage          play
      designs        1 admitted, 1 rejected
      episodes       2
      regret so far  1.00, mean of 1 environment
      started        at 1000 by Ann
      model          scripted, seed 7

      Warning: one line and another

      Try next
        spadework cancel --id r1  Cancel
      "
    `);
  });

  it("says what a round waits for, and ends without a button", () => {
    const at = (job: RoundView["job"]) => roundProgressCard({ ...start, job }, { moment, note: "A word." });
    expect(drawn(at({ type: "queued", ahead: 0 }))).toContain("it is the next one");
    expect(drawn(at({ type: "queued", ahead: 2 }))).toContain("2 rounds come before it");
    expect(drawn(at({ type: "waiting" }))).toContain("waits for people to decide");
    expect(drawn(at({ type: "elsewhere" }))).toContain("Another process");
    expect(drawn(at({ type: "stopped" }))).toContain("goes on with this round when it is started again");
    for (const type of ["running", "waiting", "elsewhere", "stopped"] as const) {
      expect(at({ type }).buttons).toMatchObject([{ command: "cancel" }]);
    }
    const broken = at({ type: "broken", error: new SpadeworkError("store.full", "The disk is full.") });
    expect(broken).toMatchObject({ title: "Round r1: failed", tone: "bad", buttons: [] });
    expect(drawn(broken)).toContain("The disk is full. Free some space");
    expect(drawn(broken)).toContain("A word.");
  });
});

describe("one instance, played twice", () => {
  const turn = (action: string) => ({
    said: `I think. ${action}`,
    action,
    observation: "Go on.",
    reward: 0,
    terminated: false,
    truncated: false,
    info: {},
    decisions: null,
    usage: { calls: 1, inputTokens: 1, outputTokens: 1, costUsd: 0 },
    ms: 1,
  });
  const id = "0".repeat(64);
  const played = (arm: Arm, actions: readonly string[]) => ({
    episode: episodeRecord.parse({
      id: `r1.r1-1.${arm}.0`,
      roundId: "r1",
      environmentId: "r1-1",
      arm,
      index: 0,
      seed: 7,
      player: "embedded",
      policyVersion: null,
      return: arm === "plain" ? 0 : 1,
      terminated: true,
      truncated: false,
      turns: actions.length,
      failure: null,
      hintId: null,
      transcriptId: id,
      usage: { calls: 1, inputTokens: 1, outputTokens: 1, costUsd: 0 },
      startedAt: 1,
      endedAt: 2,
    }),
    transcript: { system: "", firstObservation: "A door.", turns: actions.map(turn) },
  });
  const arm = { plays: 0, meanReturn: null, stderr: null, returns: [], failed: 0 };
  const environment = environmentRecord.parse({
    id: "r1-1",
    roundId: "r1",
    slot: 0,
    name: "DoorEnv",
    kind: "tool-use",
    language: "javascript",
    skill: null,
    difficulty: null,
    documentId: null,
    brief: null,
    status: "admitted",
    reason: null,
    sourceId: id,
    gates: [],
    repairs: 0,
    firstAnswerAdmitted: true,
    hintId: id,
    firstObservation: "A door.",
    maxTurns: 9,
    tags: [],
    fingerprint: null,
    designer: { model: "embedded", policyVersion: null, decisions: null, conversationId: null },
    score: {
      plain: arm,
      hinted: arm,
      hintedHuman: null,
      regret: null,
      regretStderr: null,
      humanRegret: null,
      humanRegretStderr: null,
      winRate: null,
      designerReward: null,
      designerAdvantage: null,
    },
    createdAt: 1,
  });

  it("stands side by side, actions without their wrapping, and whole in files", () => {
    const card = episodesVoiceCard({
      environment,
      hint: "Push.",
      plain: played("plain", [
        "\\boxed{pull the door}",
        '<tool_call>{"name": "push", "arguments": {"door": "left", "force": 3}}</tool_call>',
        "<tool_call>{broken</tool_call>",
        ...Array.from({ length: 12 }, () => "wait"),
      ]),
      hinted: played("hinted", ["<answer> open </answer>"]),
    });
    const said = drawn(card);
    expect(said).toMatch(/1 │ pull the door +│ answer open/);
    expect(said).toMatch(/2 │ push left 3/);
    expect(said).toMatch(/3 │ \{broken/);
    expect(said).toContain("And 3 turns more: see the files.");
    expect(card.files.map(({ name }) => name)).toEqual(["r1-1-plain.txt", "r1-1-hinted.txt"]);
    expect(card.files[0]?.text.match(/--- turn/g)).toHaveLength(15);
  });
});
