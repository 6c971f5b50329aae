/** What the designer reads in its messages: the task, the brief, the document, the memory, and what became of an earlier answer. */
import type { BaseMessage } from "@langchain/core/messages";
import { type Difficulty, difficulty, kindOfSkill, type Skill, skill } from "../../../../config/words.ts";
import { readFields, readSections } from "../../../prompts/sections.ts";
import { type Digest, readDigest } from "./digest.ts";

export interface DesignRequest {
  readonly skill: Skill;
  readonly difficulty: Difficulty;
  /** Turns of an episode at most. */
  readonly turnCap: number;
  /** "" where there is none. */
  readonly brief: string;
  readonly document: string;
  readonly digest: Digest;
  /** Null for a first request. */
  readonly repair: Repair | null;
}

/** The last answer and the gates that it failed, by name. */
export interface Repair {
  /** The tags and the rule branches that the answer named; empty where it named none. */
  readonly choices: Readonly<Record<string, string>>;
  readonly failed: readonly string[];
}

const defaultTurnCap = 25;

/** Reads a design conversation. What is missing or unreadable gets a sensible default; never throws. */
export function readRequest(messages: readonly BaseMessage[]): DesignRequest {
  const asked = messages.find((message) => message.getType() === "human")?.text ?? "";
  const sections = readSections(asked);
  const body = (name: string) => sections.find((part) => part.name === name)?.body ?? "";
  const fields = readFields(body("task"));
  const named = skill.safeParse(fields.skill);
  const level = difficulty.safeParse(fields.difficulty);
  const fallback: Skill = fields.kind === "tool-use" ? "Multi-Step Workflows" : "Strategic Planning";
  const turnCap = Number(fields["turn cap"]);
  const digest = readSections(body("memory")).find((part) => part.name === "digest")?.body ?? "";
  return {
    skill: named.success ? named.data : fallback,
    difficulty: level.success ? level.data : "medium",
    turnCap: Number.isInteger(turnCap) && turnCap >= 1 ? turnCap : defaultTurnCap,
    brief: body("brief"),
    document: body("document"),
    digest: readDigest(digest),
    repair: readRepair(messages),
  };
}

/** The kind of environment that a request asks for. */
export function kindOf(request: Pick<DesignRequest, "skill">): "game" | "tool-use" {
  return kindOfSkill(request.skill);
}

function readRepair(messages: readonly BaseMessage[]): Repair | null {
  const last = messages.at(-1);
  const answer = messages.findLast((message) => message.getType() === "ai")?.text;
  if (answer === undefined || last === undefined || last.getType() !== "human") return null;
  const gates = readSections(last.text).find((part) => part.name === "gates")?.body ?? "";
  const failed = [...gates.matchAll(/^([a-z-]+): fail/gm)].map((match) => match[1] ?? "");
  return { choices: readChoices(answer), failed };
}

/** The choices that an answer names: in its `tags:` line, and in its sentence as `Rules: name = branch, …`. */
export function readChoices(answer: string): Record<string, string> {
  const tags = /^\/\/ tags: (.*)$/m.exec(answer)?.[1]?.split(", ") ?? [];
  const choices: Record<string, string> = {};
  if (tags[0] !== undefined) choices.mechanic = tags[0];
  for (const tag of tags) {
    const numbered = /(?:^|\/)(size|hidden|distractors|budget)-(\d+)$/.exec(tag);
    if (numbered?.[1] !== undefined) choices[numbered[1]] = numbered[2] ?? "";
  }
  const rules = /^Rules: (.*)\.$/m.exec(answer)?.[1]?.split(", ") ?? [];
  for (const rule of rules) {
    const [name, branch] = rule.split(" = ");
    if (name !== undefined && branch !== undefined) choices[`rule/${choices.mechanic}/${name}`] = branch;
  }
  return choices;
}
