/** What the designer is asked for once its environment is admitted: a hint that helps and gives nothing away. */
import { type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { designerRole } from "./designer.ts";
import { asData, section } from "./sections.ts";

/** A hint has at most this many words. */
export const hintWords = 100;

const rules = `${designerRole} You write a privileged hint for a player of an environment that you designed.
The hint says how to approach it, in which order its phases come, and how answers are written. It never gives the answer, a hidden value or a seed-dependent detail away. Under ${hintWords} words. Answer with the hint alone.`;

/** The conversation that asks for the hint of an environment. */
export function hintMessages(subject: {
  readonly source: string;
  readonly firstObservation: string;
}): BaseMessage[] {
  return [
    new SystemMessage(rules),
    new HumanMessage(
      `${section("source", {}, asData(subject.source))}\n\nOne of its first observations:\n${asData(subject.firstObservation)}\n\nWrite the hint.`,
    ),
  ];
}

/** The message that asks once more for a hint that leaked or was too long; `problem` says which. */
export function rewriteHintMessage(problem: string): HumanMessage {
  return new HumanMessage(
    `The hint can't be used: ${problem}\nWrite it again without that. Answer with the hint alone.`,
  );
}
