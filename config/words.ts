/**
 * The words of the field that every part shares: kinds, languages, skills, arms and verdict names, each as a
 * schema, so that what comes from outside is checked against the same list that the code is written with.
 */
import { z } from "zod";

export const environmentKind = z.enum(["game", "tool-use"]);
export type EnvironmentKind = z.infer<typeof environmentKind>;

export const language = z.enum(["javascript", "python"]);
export type Language = z.infer<typeof language>;

export const difficulty = z.enum(["easy", "medium", "hard"]);
export type Difficulty = z.infer<typeof difficulty>;

/** `plain` without a hint, `hinted` with the designer's, `hinted-human` with a person's, `human` played by one. */
export const arm = z.enum(["plain", "hinted", "hinted-human", "human"]);
export type Arm = z.infer<typeof arm>;

export const role = z.enum(["designer", "agent"]);
export type Role = z.infer<typeof role>;

export const gameSkills = [
  "Pattern Recognition",
  "Logical Deduction",
  "Strategic Planning",
  "Mathematical Reasoning",
  "Spatial Reasoning",
  "Causal Inference",
  "Memory Recall",
  "Optimization",
  "Language Understanding",
] as const;

export const toolUseSkills = [
  "API Orchestration",
  "Data Retrieval",
  "State Modification",
  "Error Recovery",
  "Tool Selection",
  "Multi-Step Workflows",
] as const;

export const skill = z.enum([...gameSkills, ...toolUseSkills]);
export type Skill = z.infer<typeof skill>;

/** The kind of environment that trains a skill. */
export function kindOfSkill(name: Skill): EnvironmentKind {
  return (gameSkills as readonly string[]).includes(name) ? "game" : "tool-use";
}

export const rewardVariant = z.enum(["blend", "regret", "learning_potential", "micro_lp", "solve_rate"]);
export type RewardVariant = z.infer<typeof rewardVariant>;

export const gateName = z.enum([
  "parse",
  "contract",
  "robust",
  "determinism",
  "seeding",
  "winnable",
  "non-trivial",
  "no-leak",
  "interactive",
  "termination",
  "resources",
  "novelty",
  "review",
]);
export type GateName = z.infer<typeof gateName>;

export const gateVerdict = z.enum(["pass", "fail", "unknown"]);
export type GateVerdict = z.infer<typeof gateVerdict>;

/** One gate's answer: `detail` is a sentence that a designer can repair from; `ms` is the time it took. */
export const gateResult = z.object({
  gate: gateName,
  verdict: gateVerdict,
  detail: z.string(),
  ms: z.number(),
});
export type GateResult = z.infer<typeof gateResult>;

export const roundStatus = z.enum(["running", "waiting", "finished", "cancelled", "failed"]);
export type RoundStatus = z.infer<typeof roundStatus>;

/** `designed` while a round still works on it; the others are final until a person retires or rejects it. */
export const environmentStatus = z.enum(["designed", "admitted", "rejected", "retired"]);
export type EnvironmentStatus = z.infer<typeof environmentStatus>;

/** A JSON value, as environments give it in `info` and tool schemas. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
// z.json() tries a union for every number, which costs 40 ms on the fingerprints of 200 environments.
export const json: z.ZodType<Json> = z.custom<Json>(isJson, "not a JSON value");

function isJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value !== "object") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJson);
}
