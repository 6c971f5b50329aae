/** The designer's answer: reads its messages, makes its choices, and writes the environment that they describe. */
import type { BaseMessage } from "@langchain/core/messages";
import { keyedRandom } from "../../../../config/random.ts";
import type { Decision } from "../../../../store/records.ts";
import type { Design, Level, Mechanic } from "../mechanics/mechanic.ts";
import { themeOf } from "../mechanics/theme.ts";
import { readDesignerWeights, sampleDesign } from "./policy.ts";
import { readRequest } from "./request.ts";

export interface DesignerCall {
  readonly messages: readonly BaseMessage[];
  /** Names every random draw; equal messages, weights and seed give an equal answer. */
  readonly seed: number;
  /** The designer's part of the policy's weights. */
  readonly weights: object;
}

export interface DesignerAnswer {
  readonly text: string;
  readonly decisions: readonly Decision[];
}

/** Answers a request for an environment, or for the repair of one, with a sentence and the source. */
export function designAnswer({ messages, seed, weights }: DesignerCall): DesignerAnswer {
  const request = readRequest(messages);
  const { mechanic, made, decisions } = sampleDesign(request, readDesignerWeights(weights), seed);
  const random = keyedRandom("embedded-source", seed);
  const ground = request.document.trim() === "" ? request.brief : request.document;
  const design: Design = {
    mechanic,
    size: Number(made.size),
    hidden: levelOf(made.hidden),
    distractors: levelOf(made.distractors),
    budget: levelOf(made.budget),
    turnCap: request.turnCap,
    rules: Object.fromEntries(
      mechanic.rules.map(({ name }) => [name, made[`rule/${mechanic.name}/${name}`] ?? ""]),
    ),
    theme: themeOf(ground, random),
    random,
  };
  return {
    text: `${sentence(mechanic, design)}\n\n\`\`\`javascript\n${mechanic.write(design)}\`\`\``,
    decisions,
  };
}

/** What the environment asks for, and the branches its rules take, which a repair reads back. */
function sentence(mechanic: Mechanic, design: Design): string {
  const rules = Object.entries(design.rules).map(([name, branch]) => `${name} = ${branch}`);
  const phases = mechanic.phases.map((phase, i) => (i === 0 ? phase : `then ${phase}`)).join("; ");
  return `Its player has to find out how to get through it: ${phases}.\nRules: ${rules.join(", ")}.`;
}

function levelOf(choice: string | undefined): Level {
  return choice === "0" ? 0 : choice === "2" ? 2 : 1;
}
