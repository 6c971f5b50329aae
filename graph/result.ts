/** The result of a round as one document: what `--json` prints, and what cards and tables are made from. */
import { z } from "zod";
import { InputError } from "../config/errors.ts";
import { difficulty, environmentKind, gateResult, language, roundStatus, skill } from "../config/words.ts";
import {
  armStatistics,
  type EnvironmentRecord,
  type EnvironmentScore,
  type RoundRecord,
  roundTotals,
} from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { lessonsOf } from "./lessons.ts";
import { environmentIdOf } from "./plan.ts";
import { humanLift, scoreOf } from "./rewards/statistics.ts";
import { designedIn, totalsOf } from "./totals.ts";

export const environmentResult = z.object({
  id: z.string(),
  name: z.string(),
  kind: environmentKind,
  language,
  skill: skill.nullable(),
  difficulty: difficulty.nullable(),
  documentId: z.string().nullable(),
  status: z.enum(["admitted", "rejected", "retired"]),
  /** Why it was rejected or retired; null otherwise. */
  reason: z.string().nullable(),
  gates: z.array(gateResult),
  /** Times it went back to the designer. */
  repairs: z.number().int(),
  /** The designer's hint; null if it has none. */
  hint: z.string().nullable(),
  plain: armStatistics,
  hinted: armStatistics,
  /** Null without a hint of a person. */
  hintedHuman: armStatistics.nullable(),
  regret: z.number().nullable(),
  regretStderr: z.number().nullable(),
  humanRegret: z.number().nullable(),
  humanRegretStderr: z.number().nullable(),
  /** Mean hinted-human return − mean hinted return; null without a person's hint. */
  humanLift: z.number().nullable(),
  humanLiftStderr: z.number().nullable(),
  /** What the designer earned for it (u); null if nothing can be said, or if this round did not design it. */
  designerReward: z.number().nullable(),
  designerAdvantage: z.number().nullable(),
});
export type EnvironmentResult = z.infer<typeof environmentResult>;

export const roundResultSchema = z.object({
  roundId: z.string(),
  mode: z.enum(["self-play", "pool", "measure", "design"]),
  seed: z.number().int(),
  model: z.string(),
  /** The version of the weights that designs and plays in it; null where the model's provider tells none. */
  policyVersion: z.string().nullable(),
  status: roundStatus,
  /** Time spent at work, milliseconds. */
  wallMs: z.number(),
  environments: z.array(environmentResult),
  totals: roundTotals,
  /** Code and sentence of what ended a failed round. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type RoundResult = z.infer<typeof roundResultSchema>;

/** The result of a round as far as it has come. Numbers are unrounded. Throws `input.not-found`. */
export async function roundResult(store: Store, roundId: string): Promise<RoundResult> {
  const round = await store.rounds.get(roundId);
  if (round === null) throw new InputError("input.not-found", `There is no round ${roundId}.`);
  const episodes = await store.episodes.ofRound(roundId);
  const played = Map.groupBy(episodes, (episode) => episode.environmentId);
  const environments: EnvironmentResult[] = [];
  for (const id of environmentIdsOf(round)) {
    const record = await store.environments.get(id);
    if (record === null) continue;
    const own = played.get(id) ?? [];
    const human = own.filter(({ arm }) => arm === "hinted-human");
    const hinted = own.filter(({ arm }) => arm === "hinted");
    // A round that has not come to its scores yet is measured by what it has played.
    const score =
      round.scores[id] ??
      scoreOf({
        plain: own.filter(({ arm }) => arm === "plain"),
        hinted,
        hintedHuman: human.length === 0 ? null : human,
      });
    const lift = humanLift(human, hinted);
    environments.push({
      ...(await environmentResultOf(store, record, score)),
      humanLift: lift.mean,
      humanLiftStderr: lift.stderr,
    });
  }
  const { dropped } = lessonsOf(round.options, episodes);
  return {
    roundId,
    mode: round.options.mode,
    seed: round.options.seed,
    model: round.options.model,
    policyVersion: round.options.policyVersion ?? null,
    status: round.status,
    wallMs: round.wallMs,
    environments,
    totals: round.totals ?? totalsOf(await designedIn(store, roundId), episodes, dropped),
    error: round.error,
  };
}

async function environmentResultOf(
  store: Store,
  record: EnvironmentRecord,
  score: EnvironmentScore,
): Promise<Omit<EnvironmentResult, "humanLift" | "humanLiftStderr">> {
  const { winRate: _, ...scored } = score;
  return {
    id: record.id,
    name: record.name,
    kind: record.kind,
    language: record.language,
    skill: record.skill,
    difficulty: record.difficulty,
    documentId: record.documentId,
    // The round stopped before it was judged for good.
    status: record.status === "designed" ? "rejected" : record.status,
    reason: record.status === "designed" ? "The round stopped before it was judged." : record.reason,
    gates: record.gates,
    repairs: record.repairs,
    hint: record.hintId === null ? null : await store.texts.get(record.hintId),
    ...scored,
  };
}

/** In slot order, those that are still to be designed included. */
function environmentIdsOf({ id, options }: RoundRecord): string[] {
  if (options.mode === "pool" || options.mode === "measure") return options.pool;
  return Array.from({ length: options.envs }, (_, slot) => environmentIdOf(id, slot));
}
