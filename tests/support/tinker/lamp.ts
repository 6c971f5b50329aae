/** A toy game of one look and one action: the lamp's colour says which is right. As an environment, and as plain calls. */
import { hash } from "node:crypto";
import { keyedSeed } from "../../../config/random.ts";
import type { Model } from "../../../graph/models/model.ts";
import { agentSystem, openingMessages } from "../../../graph/prompts/agent.ts";
import { agentAdvantages } from "../../../graph/rewards/agent.ts";
import type { AgentTrajectory, Batch } from "../../../graph/trainers/trainer.ts";

export const lampSource = `class LampEnv {
  static maxTurns = 1;
  reset(seed) {
    this.at = seed % 3;
    return { observation: "The lamp is" + [" red", " green", " blue"][this.at] + ".", info: {} };
  }
  step(action) {
    const right = ["left", "middle", "right"][this.at];
    return { observation: "", reward: action === "\\\\boxed{" + right + "}" ? 1 : 0, terminated: true, truncated: false, info: {} };
  }
  solution() { return [["left", "middle", "right"][this.at]]; }
}`;

const colours = ["red", "green", "blue"];
const actions = ["left", "middle", "right"];

export interface Lamps {
  readonly batch: Batch;
  readonly meanReturn: number;
}

/** Plays each colour some times; plays of one colour are one group. */
export async function playLamps(model: Model, step: number, playsEach: number): Promise<Lamps> {
  const played = await Promise.all(
    colours.flatMap((colour, at) =>
      Array.from({ length: playsEach }, async (_, play) => {
        const firstObservation = `The lamp is ${colour}.`;
        const answer = await model.call({
          role: "agent",
          messages: openingMessages(agentSystem(null), firstObservation),
          seed: keyedSeed(step, at, play),
          temperature: 1,
          maxOutputTokens: 8,
          signal: new AbortController().signal,
        });
        const isRight = answer.text === `\\boxed{${actions[at]}}`;
        const episodeId = `s${step}.${colour}.plain.${play}`;
        return { episodeId, colour, firstObservation, answer, return: isRight ? 1 : 0 };
      }),
    ),
  );
  const groups = colours.map((colour) => ({
    id: `s${step}.${colour}`,
    environmentId: colour,
    prompt: "plain" as const,
    members: played.filter((one) => one.colour === colour),
  }));
  const byEpisode = new Map(played.map((one) => [one.episodeId, one]));
  const agent = agentAdvantages(groups).advantages.flatMap(({ episodeId, groupId, prompt, advantage }) => {
    const one = byEpisode.get(episodeId);
    const tokens = one?.answer.tokens;
    if (one === undefined || tokens === undefined) return [];
    const { colour: environmentId, firstObservation } = one;
    const trajectory: AgentTrajectory = {
      episodeId,
      environmentId,
      groupId,
      prompt,
      firstObservation,
      decisions: [[]],
      tokens: [tokens],
      advantage,
      weight: 1,
    };
    return [trajectory];
  });
  return {
    batch: {
      id: hash("sha256", `lamps ${model.policyVersion} ${step}`).slice(0, 16),
      policyVersion: model.policyVersion ?? "",
      roundIds: [`s${step}`],
      agent,
      designer: [],
    },
    meanReturn: played.reduce((sum, one) => sum + one.return, 0) / played.length,
  };
}
