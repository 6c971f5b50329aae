/** The designer's hint: it knows its own source by the tags, and says how to go about it without giving anything away. */
import { readSections } from "../../../prompts/sections.ts";
import { type Concept, cues, hintWords, strategies } from "../mechanics/concepts.ts";
import { mechanicNamed } from "../mechanics/mechanics.ts";
import type { DesignerAnswer, DesignerCall } from "./design.ts";

/** How each concept's approach is put, with the words that point to its strategy. */
const approaches: Readonly<Record<Concept, string>> = {
  sweep: "Sweep it systematically.",
  bisect: "Bisect: keep halving what is left.",
  eliminate: "Eliminate; go on eliminating what does not fit.",
  explore: "Explore first, and keep exploring with care.",
  ratio: "Go by the ratio and choose greedily.",
  trend: "Follow the trend and its momentum.",
  toggle: "Toggle and observe; toggling shows how things hang together.",
  recall: "Memorize what you are told and recall it.",
  dependency: "Mind the dependencies: every prerequisite comes before what builds on it.",
};

/**
 * The hint to the source in the messages: approach, phases, answer format, under 100 words. A source without tags is
 * judged by the cue words in it. Asked again, it leaves the phases out. Never throws.
 */
export function hintAnswer({ messages }: DesignerCall): DesignerAnswer {
  const asked = messages.find((message) => message.getType() === "human")?.text ?? "";
  const source = readSections(asked).find((part) => part.name === "source")?.body ?? "";
  const again = messages.some((message) => message.getType() === "ai");
  const tag = /^\s*(?:\/\/|#) tags: ([a-z-]+)/.exec(source)?.[1] ?? "";
  const mechanic = mechanicNamed(tag);
  const concept = mechanic?.concept ?? conceptIn(source);
  const parts: string[] = [];
  if (concept === null) parts.push("Read the rules twice, and let every reply decide your next step.");
  else parts.push(approaches[concept]);
  if (mechanic !== null) {
    const [first = "", ...others] = mechanic.phases;
    if (!again) parts.push(`First, ${first}; then ${others.join("; then ")}.`);
    parts.push(`Answers: ${mechanic.answerFormat}.`);
  } else {
    parts.push("Write one command or call a turn, in the form that the rules give.");
  }
  return { text: parts.join(" "), decisions: [] };
}

/** The concept whose words a source uses most, hint words included; null if it uses none. */
function conceptIn(source: string): Concept | null {
  const words = new Set(source.toLowerCase().match(/[a-z]+/g));
  const counted = strategies
    .filter((one): one is Concept => one !== "random")
    .map((concept) => {
      const known = [...cues[concept].map((cue) => cue.word), ...hintWords[concept]];
      return { concept, hits: known.filter((word) => words.has(word)).length };
    })
    .sort((a, b) => b.hits - a.hits);
  const [best] = counted;
  return best !== undefined && best.hits >= 2 ? best.concept : null;
}
