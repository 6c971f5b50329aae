/**
 * Answers: what an environment may answer to each call, as schemas, and as checks by hand for what comes with every
 * step, where a schema would cost more than the step. Both say the same; a test holds them equal.
 */
import { z } from "zod";
import { environmentKind, type Json } from "../config/words.ts";
import type { EnvironmentShape, Observation, Step, ToolDefinition } from "./sandbox.ts";

/** Levels of nesting an `info` may have; deeper ones would overflow whoever walks them. */
export const maxDepth = 64;

type JsonObject = { readonly [key: string]: Json };

/** Cheaper than a schema for any JSON: what JSON.parse gave can only be wrong in kind, depth or an infinite number. */
function isJson(value: unknown, depth: number): value is Json {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth >= maxDepth) return false;
  for (const key in value) {
    if (!isJson((value as Record<string, unknown>)[key], depth + 1)) return false;
  }
  return true;
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && isJson(value, 0);
}

const jsonObject = z.custom<JsonObject>(isJsonObject);

export const resetReply = z.tuple([z.string(), jsonObject]);
export const stepReply = z.tuple([z.string(), z.number(), z.boolean(), z.boolean(), jsonObject]);
export const openReply = z.tuple([
  z.string().max(200),
  environmentKind,
  z.number().int().min(1),
  z.boolean(),
  z.boolean(),
]);
export const solutionReply = z.array(z.string()).nullable();
const toolReply = z.tuple([z.string(), z.string(), jsonObject]);
export const toolsReply = z.array(toolReply);

type StepReply = z.infer<typeof stepReply>;

/** The same as `stepReply`. */
export function isStepReply(value: unknown): value is StepReply {
  return (
    Array.isArray(value) &&
    value.length === 5 &&
    typeof value[0] === "string" &&
    typeof value[1] === "number" &&
    Number.isFinite(value[1]) &&
    typeof value[2] === "boolean" &&
    typeof value[3] === "boolean" &&
    isJsonObject(value[4])
  );
}

export function shapeOf(reply: z.infer<typeof openReply>): EnvironmentShape {
  const [className, kind, maxTurns, singleInstance, hasSolution] = reply;
  return { className, kind, maxTurns, singleInstance, hasSolution };
}

export function observationOf(reply: z.infer<typeof resetReply>): Observation {
  return { observation: reply[0].toWellFormed(), info: reply[1] };
}

export function stepOf(reply: StepReply): Step {
  return {
    observation: reply[0].toWellFormed(),
    reward: reply[1],
    terminated: reply[2],
    truncated: reply[3],
    info: reply[4],
  };
}

/** What each step has among the numbers: the length of its observation, its reward, and 1 for terminated + 2 for truncated. */
const numbersPerStep = 3;

/**
 * Adds the steps of a run to `steps`; false at the first thing that does not fit. They come by column: all observations
 * as one text, three numbers a step, and a list of infos.
 */
export function stepsOf(columns: unknown, steps: Step[]): boolean {
  if (!Array.isArray(columns) || columns.length !== 3) return false;
  const [observations, numbers, infos]: readonly unknown[] = columns;
  if (typeof observations !== "string" || !Array.isArray(numbers) || !Array.isArray(infos)) return false;
  if (numbers.length !== infos.length * numbersPerStep) return false;
  let start = 0;
  for (let i = 0; i < infos.length; i += 1) {
    const length: unknown = numbers[i * numbersPerStep];
    const reward: unknown = numbers[i * numbersPerStep + 1];
    const ends: unknown = numbers[i * numbersPerStep + 2];
    const info: unknown = infos[i];
    if (typeof length !== "number" || !Number.isInteger(length) || length < 0) return false;
    if (typeof reward !== "number" || !Number.isFinite(reward)) return false;
    if (ends !== 0 && ends !== 1 && ends !== 2 && ends !== 3) return false;
    if (!isJsonObject(info) || start + length > observations.length) return false;
    steps.push({
      observation: observations.slice(start, start + length).toWellFormed(),
      reward,
      terminated: (ends & 1) !== 0,
      truncated: (ends & 2) !== 0,
      info,
    });
    start += length;
  }
  return start === observations.length;
}

export function toolOf(reply: z.infer<typeof toolReply>): ToolDefinition {
  const [name, description, parameters] = reply;
  return { name, description, parameters };
}
