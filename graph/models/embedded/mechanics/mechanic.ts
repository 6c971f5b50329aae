/** A mechanic: a family of environments that share rules, with its sizes, its rule branches and its concept. */
import type { Random } from "../../../../config/random.ts";
import type { EnvironmentKind, Skill } from "../../../../config/words.ts";
import type { Concept } from "./concepts.ts";
import type { Theme } from "./theme.ts";

export type Level = 0 | 1 | 2;

/** Everything that is decided before a source is written. */
export interface Design {
  readonly mechanic: Mechanic;
  /** 1 to 16; held-out relatives also come in half sizes. */
  readonly size: number;
  /** Cues of the concept that the text leaves out: 0, 1 or 2 of six. */
  readonly hidden: Level;
  /** Foreign cues and commands that never help. */
  readonly distractors: Level;
  /** Index into `budgets`. */
  readonly budget: Level;
  readonly turnCap: number;
  /** The branch taken of each rule of the mechanic. */
  readonly rules: Readonly<Record<string, string>>;
  readonly theme: Theme;
  /** Draws names, constants and phrases. */
  readonly random: Random;
}

/** A rule with several branches, each of which reads and is coded differently. */
export interface Rule {
  readonly name: string;
  readonly options: readonly string[];
}

export interface Mechanic {
  readonly name: string;
  readonly kind: EnvironmentKind;
  readonly concept: Concept;
  /** Where its six cues begin among the nine of the concept. */
  readonly cueOffset: number;
  /** How well it trains a skill of its kind, about 0 to 2; absent = not at all. */
  readonly skills: Readonly<Partial<Record<Skill, number>>>;
  /** Words of documents and briefs that call for it. */
  readonly topics: readonly string[];
  readonly rules: readonly Rule[];
  /** Held-out relatives are for evaluation; the designer never picks them. */
  readonly heldOut: boolean;
  /** What a hint says of its phases and of its answer format, without a word that depends on the seed or the theme. */
  readonly phases: readonly string[];
  readonly answerFormat: string;
  /** The whole source, tags line included. */
  write(design: Design): string;
}

export const sizes = Array.from({ length: 16 }, (_, i) => i + 1);

/** Turns allowed per progress step needed: tight, fair, generous. */
export const budgets = [1.15, 1.5, 2.2] as const;

/** Progress steps that careful play needs at a size (the formulation's L), 4 to 11. */
export function stepsNeeded(size: number): number {
  return Math.round(3 + size / 2);
}

/** Turns an environment declares: ⌈L · budget⌉, at most the task's turn cap. */
export function turnsOf(design: Pick<Design, "size" | "budget" | "turnCap">): number {
  return Math.max(1, Math.min(design.turnCap, Math.ceil(stepsNeeded(design.size) * budgets[design.budget])));
}

/** The tags of a design, as the first line of its source names them. */
export function tagsLine(design: Design): string {
  const { mechanic, size, hidden, distractors, budget } = design;
  return `// tags: ${mechanic.name}, ${mechanic.name}/size-${size}, hidden-${hidden}, distractors-${distractors}, budget-${budget}`;
}

/** The branch of a rule that a design takes; the first one if the design does not say. */
export function branch(design: Design, name: string): string {
  const rule = design.mechanic.rules.find((one) => one.name === name);
  if (rule === undefined) throw new RangeError(`${design.mechanic.name} has no rule ${name}`);
  return design.rules[name] ?? rule.options[0] ?? "";
}
