/** Plays of the embedded policy in a real sandbox, with given weights, and instances of its mechanics to play. */
import type { BaseMessage } from "@langchain/core/messages";
import { keyedRandom, keyedSeed } from "../../config/random.ts";
import {
  type Difficulty,
  difficulty as difficultySchema,
  gameSkills,
  kindOfSkill,
  toolUseSkills,
} from "../../config/words.ts";
import { createEmbeddedChatModel } from "../../graph/models/embedded/chat-model.ts";
import type { Strategy } from "../../graph/models/embedded/mechanics/concepts.ts";
import { strategies } from "../../graph/models/embedded/mechanics/concepts.ts";
import type { Level, Mechanic } from "../../graph/models/embedded/mechanics/mechanic.ts";
import { themeOf } from "../../graph/models/embedded/mechanics/theme.ts";
import { initialWeights, type PolicyWeights } from "../../graph/models/embedded/weights.ts";
import type { Model } from "../../graph/models/model.ts";
import { type Played, playEpisode } from "../../graph/play.ts";
import { designMessages } from "../../graph/prompts/designer.ts";
import { hintMessages } from "../../graph/prompts/hint.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { decision } from "../../store/records.ts";

const turnCap = 25;

/** The policy with the given weights as a model, without the retries and budgets that a local one does not need. */
export function embeddedModel(weights: PolicyWeights): Model {
  const chat = createEmbeddedChatModel({ weights, version: "test" });
  return {
    name: "embedded",
    async call({ messages, seed, signal }) {
      const answer = await chat.invoke([...messages], { seed, signal });
      const { input_tokens: inputTokens = 0, output_tokens: outputTokens = 0 } = answer.usage_metadata ?? {};
      return {
        text: answer.text,
        usage: { calls: 1, inputTokens, outputTokens, costUsd: 0 },
        decisions: decision.array().parse(answer.response_metadata.decisions),
        policyVersion: "test",
        ms: 0,
      };
    },
  };
}

/** Weights of a player that has one strategy and carries it out as well as can be. */
export function masterOf(strategy: Strategy): PolicyWeights {
  const weights = initialWeights();
  return {
    ...weights,
    agent: {
      ...weights.agent,
      bias: strategies.map((one) => (one === strategy ? 1_000 : 0)),
      skill: strategies.map(() => 1_000),
    },
  };
}

/** One episode; equal arguments give an equal play. `arm` changes the player's draws and not the instance. */
export function playOne(
  sandbox: Sandbox,
  model: Model,
  subject: { readonly source: string; readonly kind: "game" | "tool-use"; readonly hint?: string | null },
  key: readonly (string | number)[],
  arm = "plain",
): Promise<Played> {
  return playEpisode(
    {
      source: subject.source,
      language: "javascript",
      kind: subject.kind,
      seed: keyedSeed("instance", ...key),
      hint: subject.hint ?? null,
      key: [...key, arm],
    },
    {
      model,
      sandbox,
      limits: { turnCap, contextTokens: 32_768, temperature: 0.6, maxOutputTokens: 8_192 },
      signal: new AbortController().signal,
    },
  );
}

/** The source of a mechanic at a size, with rules, theme and details drawn by `key`. */
export function instanceOf(mechanic: Mechanic, size: number, budget: Level, key: number): string {
  const random = keyedRandom("instance-of", mechanic.name, size, budget, key);
  const level = (): Level => random.pick([0, 1, 2] as const);
  return mechanic.write({
    mechanic,
    size,
    hidden: level(),
    distractors: level(),
    budget,
    turnCap,
    rules: Object.fromEntries(mechanic.rules.map((rule) => [rule.name, random.pick(rule.options)])),
    theme: themeOf("", random),
    random,
  });
}

export interface Designed {
  readonly kind: "game" | "tool-use";
  readonly difficulty: Difficulty;
  /** The designer's choices by site. */
  readonly choices: Readonly<Record<string, string>>;
  readonly source: string;
  readonly hint: string;
}

/** Design number `index` of a model: all skills and difficulties take turns. */
export async function designOne(sandbox: Sandbox, model: Model, index: number): Promise<Designed> {
  const skills = [...gameSkills, ...toolUseSkills];
  const skill = skills[index % skills.length] ?? gameSkills[0];
  const difficulties = difficultySchema.options;
  const difficulty =
    difficulties[(index + Math.floor(index / skills.length)) % difficulties.length] ?? "medium";
  const kind = kindOfSkill(skill);
  const ask = (messages: BaseMessage[], purpose: string) =>
    model.call({
      role: "designer",
      messages,
      seed: keyedSeed("design-one", index, purpose),
      temperature: 0.6,
      maxOutputTokens: 8_192,
      signal: new AbortController().signal,
    });
  const task = { kind, language: "javascript", skill, difficulty, turnCap } as const;
  const answer = await ask(designMessages({ ...task, brief: null, document: null, memory: "" }), "design");
  const source = /```javascript\n([\s\S]*?)```/.exec(answer.text)?.[1] ?? "";
  const opened = await sandbox.open(source, { language: "javascript" });
  if (!opened.ok) throw new Error(opened.failure.detail);
  const first = await opened.value.reset(0);
  await opened.value.close();
  if (!first.ok) throw new Error(first.failure.detail);
  const hint = await ask(hintMessages({ source, firstObservation: first.value.observation }), "hint");
  return {
    kind,
    difficulty,
    choices: Object.fromEntries((answer.decisions ?? []).map(({ site, choice }) => [site, choice])),
    source,
    hint: hint.text,
  };
}

export interface Measured extends Designed {
  /** Mean returns. */
  readonly plain: number;
  readonly hinted: number;
}

/** Design number `index`, played so many times in each arm on the same instances. */
export async function measureOne(
  sandbox: Sandbox,
  model: Model,
  index: number,
  plays: number,
): Promise<Measured> {
  const designed = await designOne(sandbox, model, index);
  const mean = async (arm: string, hint: string | null) => {
    const played = await Promise.all(
      Array.from({ length: plays }, (_, play) =>
        playOne(sandbox, model, { ...designed, hint }, ["measure", index, play], arm),
      ),
    );
    return played.reduce((sum, { ending }) => sum + (ending.return ?? 0), 0) / plays;
  };
  return { ...designed, plain: await mean("plain", null), hinted: await mean("hinted", designed.hint) };
}
