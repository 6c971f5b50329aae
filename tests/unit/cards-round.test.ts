import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { roundCard } from "../../bot/cards/round-card.ts";
import { renderCard } from "../../bot/cli/render.ts";
import { commands } from "../../bot/commands/all.ts";
import { type GateResult, gateName } from "../../config/words.ts";
import type { EnvironmentResult, RoundResult } from "../../graph/result.ts";
import type { ArmStatistics } from "../../store/records.ts";

const arm = (meanReturn: number | null, stderr: number | null): ArmStatistics => ({
  plays: meanReturn === null ? 0 : 8,
  meanReturn,
  stderr,
  returns: [],
  failed: 0,
});

const gates = (failed: GateResult["gate"] | null): GateResult[] =>
  gateName.options.map((gate) => ({
    gate,
    verdict: gate === failed ? "fail" : gate === "review" ? "unknown" : "pass",
    detail:
      gate === failed ? "The pattern /target (\\d+)/ reads the solution off the first observation." : "",
    ms: 1,
  }));

function environment(changes: Partial<EnvironmentResult>): EnvironmentResult {
  return {
    id: "r3-1",
    name: "VaultDialEnv",
    kind: "game",
    language: "javascript",
    skill: "Mathematical Reasoning",
    difficulty: "hard",
    documentId: null,
    status: "admitted",
    reason: null,
    gates: gates(null),
    repairs: 0,
    hint: "Halve the interval.",
    plain: arm(0.375, 0.183),
    hinted: arm(0.875, 0.125),
    hintedHuman: null,
    regret: 0.5,
    regretStderr: 0.189,
    humanRegret: null,
    humanRegretStderr: null,
    humanLift: null,
    humanLiftStderr: null,
    designerReward: 0.82,
    designerAdvantage: 0.11,
    ...changes,
  };
}

function result(changes: Partial<RoundResult> = {}): RoundResult {
  return {
    roundId: "r3",
    mode: "self-play",
    seed: 7,
    model: "embedded",
    policyVersion: "embedded-0123456789ab",
    status: "finished",
    wallMs: 3_210,
    environments: [
      environment({}),
      environment({
        id: "r3-2",
        name: "HarbourTradingPostEnv",
        skill: "Multi-Step Workflows",
        status: "rejected",
        reason: "Rejected.",
        gates: gates("no-leak"),
        plain: arm(null, null),
        hinted: arm(null, null),
        regret: null,
        regretStderr: null,
        designerReward: 0,
      }),
      environment({ id: "r3-3", name: "SlidingSwitchEnv", regret: -0.125, plain: arm(-0.25, 0.31) }),
    ],
    totals: {
      episodes: 32,
      steps: 410,
      modelCalls: 422,
      inputTokens: 100_000,
      outputTokens: 23_456,
      costUsd: 0,
      droppedGroups: 1,
    },
    error: null,
    ...changes,
  };
}

const draw = (shown: RoundResult, width: number, waiting: readonly string[] = []): string =>
  renderCard(roundCard(shown, waiting), { width, color: false, commands });

const widest = (shown: string): number => Math.max(...shown.split("\n").map((line) => stringWidth(line)));

describe("the result of a round", () => {
  it("fits 120 columns, one line an environment", () => {
    expect(draw(result(), 120)).toMatchInlineSnapshot(`
      "Round r3: finished

      ┌────────────────────────────┬────────────────────────┬──────────┬─────────────┬────────────┬─────────────┬────────┐
      │ environment                │ skill                  │ status   │       plain │     hinted │      regret │ earned │
      ├────────────────────────────┼────────────────────────┼──────────┼─────────────┼────────────┼─────────────┼────────┤
      │ r3-1 VaultDialEnv          │ Mathematical Reasoning │ admitted │  0.38 ±0.18 │ 0.88 ±0.13 │  0.50 ±0.19 │   0.82 │
      ├────────────────────────────┼────────────────────────┼──────────┼─────────────┴────────────┴─────────────┴────────┤
      │ r3-2 HarbourTradingPostEnv │ Multi-Step Workflows   │ rejected │ no-leak: The pattern /target (\\d+)/ reads the   │
      │                            │                        │          │ solution off the first observation.             │
      ├────────────────────────────┼────────────────────────┼──────────┼─────────────┬────────────┬─────────────┬────────┤
      │ r3-3 SlidingSwitchEnv      │ Mathematical Reasoning │ admitted │ -0.25 ±0.31 │ 0.88 ±0.13 │ -0.13 ±0.19 │   0.82 │
      └────────────────────────────┴────────────────────────┴──────────┴─────────────┴────────────┴─────────────┴────────┘

      r3-1 is the nearest to the edge of what the agent can do: with its hint it returns 0.50 more than without.

      model        embedded
      policy       embedded-0123456789ab
      seed         7
      took         3.2 s
      played       32 episodes, 410 steps
      model calls  422, 123,456 tokens
      no signal    1 group whose plays all had the same return

      Try next
        spadework env show r3-1      Look at VaultDialEnv
        spadework env play r3-1      Play it yourself
        spadework episodes r3        Read its episodes
        spadework round --docs PATH  Ground the next round on documents
      "
    `);
  });

  it("fits 80 columns, with cells broken between words and before the error", () => {
    const shown = draw(result(), 80);
    expect(widest(shown)).toBeLessThanOrEqual(80);
    expect(shown.split("\n\n")[1]).toMatchInlineSnapshot(`
      "┌──────────────┬──────────────┬──────────┬────────┬─────────┬─────────┬────────┐
      │ environment  │ skill        │ status   │  plain │  hinted │  regret │ earned │
      ├──────────────┼──────────────┼──────────┼────────┼─────────┼─────────┼────────┤
      │ r3-1         │ Mathematical │ admitted │   0.38 │    0.88 │    0.50 │   0.82 │
      │ VaultDialEnv │ Reasoning    │          │  ±0.18 │   ±0.13 │   ±0.19 │        │
      ├──────────────┼──────────────┼──────────┼────────┴─────────┴─────────┴────────┤
      │ r3-2 Harbour │ Multi-Step   │ rejected │ no-leak: The pattern /target (\\d+)/ │
      │ TradingPost  │ Workflows    │          │ reads the solution off the first    │
      │ Env          │              │          │ observation.                        │
      ├──────────────┼──────────────┼──────────┼────────┬─────────┬─────────┬────────┤
      │ r3-3 Sliding │ Mathematical │ admitted │  -0.25 │    0.88 │   -0.13 │   0.82 │
      │ SwitchEnv    │ Reasoning    │          │  ±0.31 │   ±0.13 │   ±0.19 │        │
      └──────────────┴──────────────┴──────────┴────────┴─────────┴─────────┴────────┘"
    `);
  });

  it("says so when everything was rejected", () => {
    const rejected = environment({ status: "rejected", gates: gates("winnable"), regret: null });
    const shown = draw(result({ environments: [rejected] }), 80);
    expect(shown).toContain("Every design was rejected, so nothing was played.");
    expect(shown).toContain("spadework env show r3-1");
    expect(shown).not.toContain("env play");
  });

  it("names the sentence of a rejection by people, where no gate failed", () => {
    const refused = environment({ status: "rejected", reason: "Rejected by ada: too easy.", regret: null });
    expect(draw(result({ environments: [refused] }), 120)).toContain("Rejected by ada: too easy.");
  });

  it("shows what waits, and how to decide", () => {
    const shown = draw(result({ status: "waiting" }), 100, ["r3-1", "r3-3"]);
    expect(shown).toContain("It waits for people to decide about 2 environments.");
    expect(shown).toContain("spadework approve r3-1");
    expect(shown).toContain("spadework reject r3-3 --reason");
  });

  it("says what ended a failed round, and how to go on", () => {
    const error = { code: "provider.unreachable", message: "openai:m did not answer." };
    const shown = draw(result({ status: "failed", error }), 80);
    expect(shown).toContain("Round r3: failed\n\nopenai:m did not answer. Wait and resume the round");
    expect(shown).toContain("spadework resume r3");
  });

  it("has a column for a person's hint only where somebody wrote one, and none for a designer who did nothing", () => {
    const measured = environment({ hintedHuman: arm(0.625, 0.1), designerReward: null });
    const shown = draw(result({ mode: "measure", environments: [measured] }), 120);
    expect(shown).toContain("person's hint");
    expect(shown).toContain("0.63 ±0.10");
    expect(shown).not.toContain("earned");
    expect(widest(draw(result({ mode: "measure", environments: [measured] }), 80))).toBeLessThanOrEqual(80);
  });
});
