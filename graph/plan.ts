/**
 * The plan of a round: for every slot what is to be designed or played, and what the memory held when the round began.
 * It is drawn once from the round's seed and kept as a text, so that a round that is resumed works to the same plan.
 */
import { z } from "zod";
import { type KeyPart, keyedRandom, type Random } from "../config/random.ts";
import {
  type Difficulty,
  difficulty,
  type EnvironmentKind,
  environmentKind,
  gameSkills,
  kindOfSkill,
  type Skill,
  skill,
  toolUseSkills,
} from "../config/words.ts";
import { type RoundOptions, textId } from "../store/records.ts";

export const planSlot = z.object({
  environmentId: z.string(),
  /** What to design; null for an environment that exists. */
  task: z
    .object({
      kind: environmentKind,
      skill,
      difficulty,
      /** The document it is grounded on; null if the corpus is empty. */
      documentId: z.string().nullable(),
    })
    .nullable(),
  /** Text of the newest hint that a person wrote, for the `hinted-human` arm; null if there is none. */
  humanHintId: textId.nullable(),
});
export type PlanSlot = z.infer<typeof planSlot>;

export const plan = z.object({
  slots: z.array(planSlot),
  /** The environments that the memory held, newest first. */
  memory: z.array(z.string()),
});
export type Plan = z.infer<typeof plan>;

/** The id of the environment that a slot of a self-play round makes. */
export function environmentIdOf(roundId: string, slot: number): string {
  return `${roundId}-${slot + 1}`;
}

/** What a slot is asked to design, before a document is drawn for it. */
export interface SlotTask {
  readonly kind: EnvironmentKind;
  readonly skill: Skill;
  readonly difficulty: Difficulty;
}

/**
 * One task a slot, spread as evenly as the options allow: skills and difficulties are dealt from shuffled decks, and
 * kinds take turns when they are mixed. A skill that is asked for brings its kind.
 */
export function drawTasks(
  options: Pick<RoundOptions, "seed" | "envs" | "kind" | "skill" | "difficulty">,
): SlotTask[] {
  const { seed } = options;
  const skills = options.skill;
  const games = dealer(skills === null ? gameSkills : [skills], seed, "skill", "game");
  const tools = dealer(skills === null ? toolUseSkills : [skills], seed, "skill", "tool-use");
  const difficulties = dealer(
    options.difficulty === null ? difficulty.options : [options.difficulty],
    seed,
    "difficulty",
  );
  const kinds = dealer(kindsOf(options), seed, "kind");
  return Array.from({ length: options.envs }, () => {
    const kind = kinds();
    return { kind, skill: kind === "game" ? games() : tools(), difficulty: difficulties() };
  });
}

function kindsOf(options: Pick<RoundOptions, "kind" | "skill">): readonly EnvironmentKind[] {
  if (options.skill !== null) return [kindOfSkill(options.skill)];
  return options.kind === "mixed" ? environmentKind.options : [options.kind];
}

/** Deals a shuffled deck to its end, then shuffles it again. */
function dealer<T>(deck: readonly T[], ...key: readonly KeyPart[]): () => T {
  const random: Random = keyedRandom(...key);
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = random.shuffle(deck);
    return left.pop() as T;
  };
}
