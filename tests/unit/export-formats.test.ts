/** Every format has the fields that its readers know, over real rounds of the embedded policy: games and tool use. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createRound, runRound } from "../../graph/control.ts";
import { exportFormat } from "../../graph/export/options.ts";
import { startHumanPlay } from "../../graph/human-play.ts";
import type { EpisodeRecord } from "../../store/records.ts";
import { embeddedLab } from "../support/embedded-lab.ts";
import { type Exported, exported } from "../support/exports.ts";
import { roundOptionsOf, type TestServices } from "../support/services.ts";

const text = z.string();
const textMessage = z.strictObject({ role: z.enum(["system", "user", "assistant"]), content: text });
const assistant = textMessage.extend({ role: z.literal("assistant") });
const opening = z.tuple([
  textMessage.extend({ role: z.literal("system") }),
  textMessage.extend({ role: z.literal("user") }),
]);
const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({ name: text, description: text, parameters: z.record(text, z.unknown()) }),
});
const call = z.strictObject({
  role: z.literal("assistant"),
  content: text,
  tool_calls: z
    .array(
      z.strictObject({
        id: text,
        type: z.literal("function"),
        function: z.strictObject({ name: text, arguments: text }),
      }),
    )
    .length(1),
});
const toolResult = z.strictObject({ role: z.literal("tool"), tool_call_id: text, content: text });
const message = z.union([textMessage, call, toolResult]);
const answer = z.union([assistant, call]);

const sft = z.strictObject({ messages: z.array(textMessage).min(3), tools: text });
const dpo = z.strictObject({
  prompt: z.array(textMessage).min(2),
  chosen: z.array(textMessage).min(1),
  rejected: z.array(textMessage).min(1),
});
const kto = z.strictObject({
  prompt: z.array(textMessage).min(2),
  completion: z.array(textMessage).min(1),
  label: z.boolean(),
});
const openai = z.strictObject({
  input: z.strictObject({
    messages: z.array(message).min(2),
    tools: z.array(tool),
    parallel_tool_calls: z.boolean(),
  }),
  preferred_output: z.array(answer).length(1),
  non_preferred_output: z.array(answer).length(1),
});
const verifiers = z.strictObject({
  example_id: z.number().int().min(0),
  prompt: opening,
  completion: z.array(message).min(1),
  answer: text,
  info: z.looseObject({ episodeId: text, promptHoldsHint: z.boolean() }),
  reward: z.number(),
  error: z.null(),
  timing: z.strictObject({
    start_time: z.number(),
    generation_ms: z.number(),
    scoring_ms: z.number(),
    total_ms: z.number(),
  }),
  is_completed: z.boolean(),
  is_truncated: z.boolean(),
  stop_condition: text,
  metrics: z.record(text, z.number()),
  tool_defs: z.array(
    z.strictObject({ name: text, description: text, parameters: z.record(text, z.unknown()) }),
  ),
  token_usage: z.strictObject({ input_tokens: z.number(), output_tokens: z.number() }),
});
const whole = z.looseObject({
  id: text,
  player: text,
  promptHoldsHint: z.boolean(),
  environment: z.looseObject({ id: text, kind: text }),
  transcript: z.looseObject({
    system: text,
    firstObservation: text,
    turns: z.array(z.looseObject({ said: text })),
  }),
});

let lab: TestServices;
let episodes: readonly EpisodeRecord[];
const person = "Ada Lovelace";

beforeAll(async () => {
  lab = await embeddedLab();
  const options = roundOptionsOf({ model: "embedded", seed: 6, envs: 4, plays: 4, playsPerSeed: 2 });
  const { id } = await createRound(lab, options, "tester");
  expect((await runRound(lab, id)).status).toBe("finished");
  episodes = await lab.store.episodes.ofRound(id);
  for (const kind of ["game", "tool-use"] as const) {
    const environments = await lab.store.environments.list({ status: "admitted" }, { limit: 10 });
    const environment = environments.items.find((one) => one.kind === kind && one.hintId !== null);
    const play = await startHumanPlay(lab, { environmentId: environment?.id ?? "", seed: 3, player: person });
    await play.act("look");
    if (kind === "tool-use") play.revealHint();
    await play.act("wait");
    await play.finish();
  }
}, 120_000);

afterAll(() => lab.close());

const hintText = "<hint>";
const holdsHint = (row: unknown): boolean => JSON.stringify(row).includes(hintText);

function armsOf({ index }: Exported<unknown>): Set<string> {
  return new Set(index.flatMap(({ episodes: made }) => made.map(({ arm }) => arm)));
}

function count(arm: string): number {
  return episodes.filter((episode) => episode.arm === arm).length;
}

describe("trl-sft", () => {
  test("is one conversation a plain play: what the agent was told and shown, and what it said", async () => {
    const made = await exported(lab, sft, { format: "trl-sft" });
    expect(made.rows).toHaveLength(count("plain"));
    expect(armsOf(made)).toEqual(new Set(["plain"]));
    for (const { messages } of made.rows) {
      expect(messages.map(({ role }) => role)).toEqual([
        "system",
        ...messages.slice(1).map((_, at) => (at % 2 === 0 ? "user" : "assistant")),
      ]);
      expect(messages.at(-1)?.role).toBe("assistant");
    }
    expect(made.rows.filter(holdsHint)).toEqual([]);
  });

  test("names a task's tools in their own column or in the system message, never in both", async () => {
    const column = await exported(lab, sft, { format: "trl-sft" });
    const prompt = await exported(lab, sft, { format: "trl-sft", tools: "prompt" });
    const lists = column.rows.map(({ tools }) => z.array(tool).parse(JSON.parse(tools)));
    expect(lists.some((list) => list.length > 0)).toBe(true);
    expect(lists.some((list) => list.length === 0)).toBe(true);
    for (const { messages } of column.rows) expect(messages[0]?.content).not.toContain("<tools>");
    expect(prompt.rows.map(({ tools }) => tools)).toEqual(prompt.rows.map(() => "[]"));
    expect(prompt.rows.map(({ messages }) => messages[0]?.content.includes("<tools>"))).toEqual(
      lists.map((list) => list.length > 0),
    );
  });

  test("takes people's plays in the agent's format, without their names", async () => {
    const made = await exported(lab, sft, { format: "trl-sft", arms: ["human"] });
    // The hint was shown in the other play.
    expect(made.rows).toHaveLength(1);
    expect(made.rows[0]?.messages[2]?.content).toBe("\\boxed{look}");
    const kept = await exported(lab, sft, { format: "trl-sft", arms: ["human"], hint: "keep" });
    const dropped = await exported(lab, sft, { format: "trl-sft", arms: ["human"], hint: "drop" });
    expect(kept.rows.map(holdsHint)).toEqual([false, true]);
    expect(dropped.rows.map(holdsHint)).toEqual([false, false]);
    expect(JSON.parse(kept.rows[1]?.tools ?? "[]")).not.toEqual([]);
    expect(JSON.stringify(kept.files).includes(person)).toBe(false);
  });

  test("knows the least return", async () => {
    const made = await exported(lab, sft, { format: "trl-sft", minReturn: 0.5 });
    const good = episodes.filter((one) => one.arm === "plain" && (one.return ?? 0) >= 0.5);
    expect(made.index.flatMap(({ episodes: [one] }) => one?.episodeId)).toEqual(good.map(({ id }) => id));
    expect(good.length).toBeGreaterThan(0);
    expect(good.length).toBeLessThan(count("plain"));
  });
});

describe("hints", () => {
  test("stay in the prompts where that was asked for, and every such row says so", async () => {
    const made = await exported(lab, sft, { format: "trl-sft", hint: "keep" });
    expect(armsOf(made)).toEqual(new Set(["plain", "hinted"]));
    expect(made.index.map(({ episodes: [one] }) => one?.promptHoldsHint)).toEqual(made.rows.map(holdsHint));
    expect(made.rows.filter(holdsHint)).toHaveLength(count("hinted"));
  });

  test("are taken out of the prompts where that was asked for, and the row says that the player saw one", async () => {
    const made = await exported(lab, sft, { format: "trl-sft", hint: "drop" });
    expect(made.rows.filter(holdsHint)).toEqual([]);
    const hints = made.index.map(({ episodes: [one] }) => [one?.hint, one?.promptHoldsHint]);
    expect(hints.filter(([hint]) => hint === "dropped")).toHaveLength(count("hinted"));
    expect(hints.every(([, holds]) => holds === false)).toBe(true);
    // The same instance reads the same with and without the hint.
    const shown = (arm: string) =>
      made.index.flatMap(({ episodes: [one] }, at) =>
        one?.arm === arm ? [`${one.environmentId} ${one.seed} ${made.rows[at]?.messages[1]?.content}`] : [],
      );
    expect(shown("hinted")).toEqual(shown("plain"));
  });
});

describe("pairs", () => {
  test("trl-dpo: best and worst play of one instance after the same prompt, and the card counts the rest", async () => {
    const made = await exported(lab, dpo, { format: "trl-dpo", hint: "drop" });
    expect(made.rows.length).toBeGreaterThan(0);
    for (const { prompt } of made.rows) opening.parse(prompt);
    for (const { episodes: sources } of made.index) {
      const [chosen, rejected] = sources;
      expect(sources.map((one) => one.as)).toEqual(["chosen", "rejected"]);
      expect(chosen?.seed).toBe(rejected?.seed);
      expect(chosen?.return).toBeGreaterThan(rejected?.return ?? 1);
    }
    expect(made.rows.filter(holdsHint)).toEqual([]);
    if (made.outcome.state === "empty") throw new Error("there are rows");
    const { groups, leftOut } = made.outcome.card.counts;
    const instances = new Set(episodes.map((one) => `${one.environmentId} ${one.seed}`));
    expect(groups).toEqual({ looked: instances.size, paired: made.rows.length });
    expect(leftOut["same-return"]).toBe(instances.size - made.rows.length);
    expect(made.files["README.md"]).toContain(`${made.rows.length} of ${instances.size} groups gave one`);
  });

  test("trl-dpo a turn: the first answers in which the plays part", async () => {
    const made = await exported(lab, dpo, { format: "trl-dpo", hint: "drop", per: "turn" });
    expect(made.rows.length).toBeGreaterThan(0);
    for (const { chosen, rejected, prompt } of made.rows) {
      expect([chosen.length, rejected.length]).toEqual([1, 1]);
      expect(chosen).not.toEqual(rejected);
      expect(prompt.at(-1)?.role).toBe("user");
    }
  });

  test("openai-dpo: one answer on each side, in the shape that hosted trainers take", async () => {
    const made = await exported(lab, openai, { format: "openai-dpo", hint: "drop" });
    expect(made.rows.length).toBeGreaterThan(0);
    for (const { preferred_output, non_preferred_output } of made.rows) {
      expect(preferred_output).not.toEqual(non_preferred_output);
    }
  });
});

test("trl-kto: a play is good from the return on that was asked for", async () => {
  const made = await exported(lab, kto, { format: "trl-kto", labelReturn: 0.5 });
  for (const { prompt } of made.rows) opening.parse(prompt);
  const returns = made.index.map(({ episodes: [one] }) => one?.return ?? 0);
  expect(made.rows.map(({ label }) => label)).toEqual(returns.map((gained) => gained >= 0.5));
  expect(new Set(made.rows.map(({ label }) => label)).size).toBe(2);
  const turns = await exported(lab, kto, { format: "trl-kto", per: "turn" });
  const plain = episodes.filter(({ arm }) => arm === "plain");
  expect(turns.rows).toHaveLength(plain.reduce((sum, one) => sum + one.turns, 0));
  for (const { completion } of turns.rows) expect(completion).toHaveLength(1);
});

test("verifiers: one results.jsonl with calls in their own fields, and metadata that counts it", async () => {
  const made = await exported(lab, verifiers, { format: "verifiers" });
  expect(made.rows).toHaveLength(count("plain"));
  const calls = made.rows.flatMap(({ completion }) => completion.filter((one) => "tool_calls" in one));
  expect(calls.length).toBeGreaterThan(0);
  const metadata: unknown = JSON.parse(made.files["metadata.json"] ?? "");
  const instances = new Set(made.index.map(({ episodes: [one] }) => `${one?.environmentId} ${one?.seed}`));
  expect(metadata).toMatchObject({
    env_id: "spadework",
    model: "embedded",
    num_examples: instances.size,
    rollouts_per_example: 2,
    avg_reward: made.rows.reduce((sum, { reward }) => sum + reward, 0) / made.rows.length,
  });
  expect(new Set(made.rows.map(({ example_id }) => example_id)).size).toBe(instances.size);
});

test("episodes: every play of every arm, whole, and people are not named", async () => {
  const made = await exported(lab, whole, { format: "episodes" });
  expect(made.rows).toHaveLength(episodes.length + 2);
  expect(armsOf(made)).toEqual(new Set(["plain", "hinted", "human"]));
  const decisions = made.rows.filter((row) => JSON.stringify(row.transcript).includes('"decisions":[{'));
  expect(decisions).toHaveLength(episodes.length);
  expect(JSON.stringify(made.files).includes(person)).toBe(false);
});

test("tokens: plays of the embedded policy hold none, and nothing is written", async () => {
  const made = await exported(lab, z.never(), { format: "tokens" });
  expect(made.outcome).toMatchObject({ state: "empty", leftOut: { "no-tokens": count("plain") } });
  expect(made.files).toEqual({});
});

test.each(exportFormat.options.filter((format) => format !== "tokens"))(
  "%s: the index has a line a row, in their order",
  async (format) => {
    const hint = format === "episodes" ? "keep" : "drop";
    const made = await exported(lab, z.looseObject({}), { format, hint });
    expect(made.index).toHaveLength(made.rows.length);
    expect(made.index.map(({ line }) => line)).toEqual(made.rows.map((_, at) => at + 1));
  },
);
