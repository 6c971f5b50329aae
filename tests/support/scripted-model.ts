/**
 * A model that plays both roles by a script: it answers designs from a list and plays the environments of designs.ts
 * by their rules, well with a hint and by luck without. What it says follows from the messages and the seed alone.
 */

import type { BaseMessage } from "@langchain/core/messages";
import { keyedRandom, type Random } from "../../config/random.ts";
import type { Model, ModelAnswer, ModelCall } from "../../graph/models/model.ts";
import { readSections } from "../../graph/prompts/sections.ts";
import { answerWith, hintFor, ledger, numberSearch, switches } from "./designs.ts";

/** Much cheaper than a message's own getter, which a model in a loop would feel. */
function textOf(message: BaseMessage | undefined): string {
  const content = message?.content;
  return typeof content === "string" ? content : "";
}

export interface Script {
  /** The answer to a design or a repair; `repairs` counts the answers before it. */
  readonly design?: (call: ModelCall, repairs: number) => string;
  /** The answer to a request for a hint; `rewrites` counts the answers before it. */
  readonly hint?: (source: string, rewrites: number) => string;
  readonly play?: (call: ModelCall) => string;
  /** Called before each answer; may wait, or throw as a provider would. */
  readonly before?: (call: ModelCall) => Promise<void> | void;
}

/** Four designs of three mechanics, dealt by the seed of the call. */
export function someDesign(seed: number): string {
  const random = keyedRandom("design", seed);
  const size = random.below(1_000);
  const mechanic = random.below(3);
  const name = `Made${seed}`;
  if (mechanic === 0) return numberSearch(name, 800 + size, 10);
  if (mechanic === 1) return switches(name, 8 + (size % 4), 16 + (size % 5));
  return ledger(name, 5 + (size % 5), 6 + (size % 4));
}

export function scriptedModel(script: Script = {}, name = "scripted"): Model {
  return {
    name,
    async call(call) {
      call.signal.throwIfAborted();
      await script.before?.(call);
      call.signal.throwIfAborted();
      return answerOf(call, say(call, script));
    },
  };
}

function say(call: ModelCall, script: Script): string {
  if (call.role === "agent") return script.play?.(call) ?? playByRules(call);
  const answersBefore = call.messages.filter((message) => message.getType() === "ai").length;
  const request = textOf(call.messages[1]);
  const source = readSections(request).find((section) => section.name === "source")?.body;
  if (source !== undefined) return script.hint?.(source, answersBefore) ?? hintFor(source);
  return script.design?.(call, answersBefore) ?? answerWith(someDesign(call.seed));
}

function answerOf(call: ModelCall, text: string): ModelAnswer {
  const inputTokens = call.messages.reduce((sum, message) => sum + Math.ceil(textOf(message).length / 4), 0);
  return {
    text,
    usage: { calls: 1, inputTokens, outputTokens: Math.ceil(text.length / 4), costUsd: 0 },
    decisions: null,
    policyVersion: null,
    ms: 1,
  };
}

/** With a hint it plays every mechanic rightly; without one it does so in some turns only. */
export function playByRules(call: ModelCall): string {
  const first = textOf(call.messages[1]);
  const random = keyedRandom("play", call.seed);
  const careful = readSections(first).some((section) => section.name === "hint") || random.next() < 0.5;
  const heard = call.messages.slice(2).map((message) => textOf(message));
  if (first.includes("is hidden")) return searchNumber(first, heard, careful, random);
  if (first.includes("switches")) return setSwitches(first, heard, careful, random);
  if (first.includes("ledger")) return readLedger(first, heard, careful);
  return "\\boxed{look}";
}

function searchNumber(first: string, heard: readonly string[], careful: boolean, random: Random): string {
  let low = 1;
  let high = Number(/between 1 and (\d+)/.exec(first)?.[1] ?? 1);
  for (const text of heard) {
    const told = /is (higher|lower) than (-?\d+)/.exec(text);
    if (told?.[1] === "higher") low = Math.max(low, Number(told[2]) + 1);
    if (told?.[1] === "lower") high = Math.min(high, Number(told[2]) - 1);
  }
  const guess = careful ? Math.floor((low + high) / 2) : low + random.below(Math.max(1, high - low + 1));
  return `It lies between ${low} and ${high}. \\boxed{guess ${guess}}`;
}

function setSwitches(first: string, heard: readonly string[], careful: boolean, random: Random): string {
  const count = Number(/There are (\d+) switches/.exec(first)?.[1] ?? 1);
  if (!careful) return `\\boxed{flip ${1 + random.below(count)}}`;
  let right = Number(/At first (\d+) stand/.exec(first)?.[1] ?? 0);
  let undo: number | null = null;
  const tried = new Set<number>();
  for (const text of heard) {
    const told = /Switch (\d+) is (?:on|off)\. (\d+) stand right/.exec(text);
    if (told === null) continue;
    const k = Number(told[1]);
    undo = Number(told[2]) < right && undo !== k ? k : null;
    right = Number(told[2]);
    tried.add(k);
  }
  const next = Array.from({ length: count }, (_, i) => i + 1).find((k) => !tried.has(k));
  return `\\boxed{flip ${undo ?? next ?? 1 + random.below(count)}}`;
}

function readLedger(first: string, heard: readonly string[], careful: boolean): string {
  const owner = /balance of (\w+)'s/.exec(first)?.[1] ?? "";
  const number = heard
    .map((text) => /^Account number (\S+)/.exec(text)?.[1])
    .findLast((found) => found !== undefined);
  const balance = heard
    .map((text) => /^Balance (\d+)/.exec(text)?.[1])
    .findLast((found) => found !== undefined);
  if (!careful && heard.length === 0) return "<answer>100</answer>";
  if (balance !== undefined) return `<answer>${balance}</answer>`;
  const call =
    number === undefined
      ? { name: "find_account", arguments: { owner } }
      : { name: "read_balance", arguments: { number } };
  return `<tool_call>${JSON.stringify(call)}</tool_call>`;
}
