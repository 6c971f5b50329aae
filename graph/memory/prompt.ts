/** What the memory says in a designer's prompt: the body of its `<memory>` section. */
import type { Random } from "../../config/random.ts";
import type { Config } from "../../config/schema.ts";
import type { Store } from "../../store/store.ts";
import { asData, section } from "../prompts/sections.ts";
import { digestText, tagStatistics, written } from "./digest.ts";
import { badExamples, type Example, goodExamples, type MemoryTask } from "./examples.ts";
import type { EnvironmentMemory } from "./memory.ts";

const observationCharacters = 600;
const sourceCharacters = 1_200;

const guide = `Environments of earlier rounds. Good ones can be won without help now and then, and much more often with a hint (regret): learn from what makes them work, and write something new. Stay away from what made others too easy or too hard.`;
const digestGuide = `What is known by tag; older rounds weigh less, and a tag with few plays is drawn towards the average.`;

/**
 * The body of the memory section for one design: good and bad examples and the digest, "" while nothing is known. Give
 * every design of a batch a Random keyed by its slot: equal keys give equal prompts, different ones different examples.
 */
export async function memoryPrompt(
  memory: EnvironmentMemory,
  task: MemoryTask,
  services: {
    readonly store: Pick<Store, "texts">;
    readonly config: Pick<Config, "memory">;
    readonly random: Random;
  },
): Promise<string> {
  const { good, bad } = services.config.memory;
  const examples = [
    ...goodExamples(memory, task, good, services.random),
    ...badExamples(memory, task, bad, services.random),
  ];
  const statistics = tagStatistics(memory, task.kind);
  const parts: string[] = [];
  if (examples.length > 0) parts.push(guide);
  for (const example of examples) {
    const { sourceId } = example.entry;
    const source =
      example.verdict === "good" && sourceId !== null ? await services.store.texts.get(sourceId) : null;
    parts.push(exampleSection(example, source));
  }
  if (statistics.length > 0) parts.push(digestGuide, section("digest", {}, digestText(statistics)));
  return parts.join("\n\n");
}

/** One `<example>`: what it is and how it went as fields, then excerpts as quoted lines, which can't pose as fields. */
export function exampleSection(example: Example, source: string | null): string {
  const { entry, verdict } = example;
  const lines = [
    `name: ${oneLine(entry.name)}`,
    `verdict: ${verdict}`,
    ...(entry.skill === null ? [] : [`skill: ${entry.skill}`]),
    `tags: ${oneLine(entry.tags.join(", "))}`,
    `plays: ${entry.plays}`,
    `win rate: ${written(entry.winRate)}`,
    `regret: ${written(entry.regret)}`,
    `stderr: ${written(entry.regretStderr)}`,
    `age: ${entry.age}`,
  ];
  if (entry.firstObservation.trim() !== "") {
    lines.push("first observation:", quoted(entry.firstObservation, observationCharacters));
  }
  if (source !== null && source.trim() !== "")
    lines.push("source, its beginning:", quoted(source, sourceCharacters));
  return section("example", { verdict }, lines.join("\n"));
}

function oneLine(text: string): string {
  return asData(text).replace(/\s+/g, " ").trim().slice(0, 200);
}

/** The first `limit` characters at most, whole lines where that is possible, each behind `> `. */
function quoted(text: string, limit: number): string {
  const trimmed = text.trim();
  let excerpt = trimmed;
  if (trimmed.length > limit) {
    const cut = trimmed.slice(0, limit - 2);
    const lineEnd = cut.lastIndexOf("\n");
    excerpt = `${lineEnd > limit / 2 ? cut.slice(0, lineEnd) : cut.replace(/[\ud800-\udbff]$/, "")} …`;
  }
  return asData(excerpt)
    .split(/\r?\n/)
    .map((line) => `> ${line}`)
    .join("\n");
}
