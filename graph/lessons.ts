/** What a round teaches: the agent's advantages, episode by episode, and the groups that carry no signal. */
import { z } from "zod";
import type { EpisodeRecord, RoundOptions } from "../store/records.ts";
import { type AgentAdvantages, agentAdvantages, plainGroups } from "./rewards/agent.ts";

/** One round's lessons, as the store keeps them under `lessonsId`. */
export const lessons = z.object({
  agent: z.array(
    z.object({
      groupId: z.string(),
      episodeId: z.string(),
      prompt: z.enum(["plain", "hinted"]),
      advantage: z.number(),
    }),
  ),
  designer: z.array(z.object({ environmentId: z.string(), reward: z.number(), advantage: z.number() })),
  keptGroups: z.number().int(),
  /** Groups without any spread. */
  droppedGroups: z.number().int(),
});
export type Lessons = z.infer<typeof lessons>;

/** The agent's advantages over a round's plain episodes; plays that share a seed are compared with each other alone. */
export function lessonsOf(
  options: Pick<RoundOptions, "playsPerSeed">,
  episodes: readonly EpisodeRecord[],
): AgentAdvantages {
  return agentAdvantages(plainGroups(episodes, options.playsPerSeed > 1 ? "same-instance" : "mixed"));
}
