/** Gathers a batch from finished rounds: the trajectories of both roles with their advantages. */
import { hash } from "node:crypto";
import { TrainerError } from "../../config/errors.ts";
import type { EnvironmentRecord, EpisodeRecord, RoundRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { readConversation } from "../conversation.ts";
import { lessons } from "../lessons.ts";
import type { AnswerTokens } from "../models/answer-tokens.ts";
import { agentAdvantages, crossArmGroups, plainGroups } from "../rewards/agent.ts";
import { type Turn, transcript } from "../transcript.ts";
import type { AgentTrajectory, Batch, DesignerTrajectory } from "./trainer.ts";

/** Which of the agent's episodes are compared: plain ones alone, as in the reference, or both arms. */
export type AgentGroups = "plain" | "cross-arm";

/** What one design is to teach its designer. */
export interface DesignLesson {
  readonly environmentId: string;
  readonly advantage: number;
}

export interface BatchOptions {
  readonly roundIds: readonly string[];
  readonly groups: AgentGroups;
  /**
   * The designs that train the designer; they may be those of earlier rounds and versions, whose reward came late
   * (graph/campaigns/window.ts). Missing: those of the rounds, by what each round says of them.
   */
  readonly designs?: readonly DesignLesson[];
}

/**
 * Throws `trainer.bad-batch` if a round is missing or not finished, or if not one version of the policy played them all.
 */
export async function gatherBatch(store: Store, options: BatchOptions): Promise<Batch> {
  const { roundIds, groups } = options;
  const agent: AgentTrajectory[] = [];
  const designs: DesignLesson[] = [...(options.designs ?? [])];
  const versions = new Set<string>();
  for (const roundId of roundIds) {
    const round = await store.rounds.get(roundId);
    if (round?.status !== "finished") {
      throw new TrainerError("trainer.bad-batch", `Round ${roundId} is not finished.`);
    }
    if (round.options.policyVersion !== undefined) versions.add(round.options.policyVersion);
    const episodes = await store.episodes.ofRound(roundId);
    agent.push(...(await agentTrajectories(store, round, episodes, groups, versions)));
    if (options.designs === undefined) designs.push(...(await lessonsOf(store, round)));
  }
  const [policyVersion, ...others] = [...versions];
  if (policyVersion === undefined || others.length > 0) {
    const said = policyVersion === undefined ? "no version" : [policyVersion, ...others].join(" and ");
    throw new TrainerError("trainer.bad-batch", `The rounds were played by ${said} of the policy.`);
  }
  const designer = await designerTrajectories(store, designs);
  const id = hash("sha256", JSON.stringify([policyVersion, groups, roundIds, designs])).slice(0, 16);
  return { id, policyVersion, roundIds: [...roundIds], agent, designer };
}

async function agentTrajectories(
  store: Store,
  { options }: RoundRecord,
  episodes: readonly EpisodeRecord[],
  groups: AgentGroups,
  versions: Set<string>,
): Promise<AgentTrajectory[]> {
  const instances = options.playsPerSeed > 1 ? "same-instance" : "mixed";
  const gathered = (groups === "plain" ? plainGroups : crossArmGroups)(episodes, instances);
  const byId = new Map(episodes.map((episode) => [episode.id, episode]));
  const { advantages } = agentAdvantages(gathered);
  const trajectories: AgentTrajectory[] = [];
  for (const { episodeId, groupId, prompt, advantage } of advantages) {
    const episode = byId.get(episodeId);
    if (episode === undefined || episode.policyVersion === null) continue;
    versions.add(episode.policyVersion);
    const { firstObservation, turns } = transcript.parse(
      JSON.parse(await store.texts.get(episode.transcriptId)),
    );
    trajectories.push({
      episodeId,
      environmentId: episode.environmentId,
      groupId,
      prompt,
      firstObservation,
      decisions: turns.map(({ decisions }) => decisions ?? []),
      ...tokensOf(turns, prompt === "plain" && episode.arm !== "plain"),
      advantage,
      weight: 1,
    });
  }
  return trajectories;
}

/** A hint that a player saw is in its prompts for good: such a play has no tokens under the plain prompt. */
function tokensOf(turns: readonly Turn[], sawMore: boolean): { tokens?: AnswerTokens[] } {
  const tokens = turns.flatMap((turn) => turn.tokens ?? []);
  return sawMore || tokens.length === 0 || tokens.length < turns.length ? {} : { tokens };
}

/** What a round itself says of its designs. */
async function lessonsOf(store: Store, { lessonsId }: RoundRecord): Promise<readonly DesignLesson[]> {
  if (lessonsId === undefined) return [];
  return lessons.parse(JSON.parse(await store.texts.get(lessonsId))).designer;
}

async function designerTrajectories(
  store: Store,
  designs: readonly DesignLesson[],
): Promise<DesignerTrajectory[]> {
  const trajectories: DesignerTrajectory[] = [];
  for (const { environmentId, advantage } of designs) {
    const environment = await store.environments.get(environmentId);
    const trajectory = environment === null ? null : await firstAnswer(store, environment);
    if (trajectory === null) continue;
    trajectories.push({ environmentId, ...trajectory, advantage, weight: 1 });
  }
  return trajectories;
}

/** What the designer's first answer was to, and its decisions or tokens; null if there are none, as with other models. */
async function firstAnswer(
  store: Store,
  { designer }: EnvironmentRecord,
): Promise<Pick<DesignerTrajectory, "messages" | "decisions" | "tokens"> | null> {
  if (designer.conversationId === null) return null;
  const whole = await readConversation(store.texts, designer.conversationId);
  const at = whole.findIndex(({ by }) => by === "designer");
  const { decisions = null, tokens } = whole[at] ?? {};
  if (decisions === null && tokens === undefined) return null;
  const messages = whole.slice(0, at).flatMap(({ by, text }) => (by === "designer" ? [] : [{ by, text }]));
  return { messages, decisions: decisions ?? [], ...(tokens === undefined ? {} : { tokens }) };
}
