import { AIMessage } from "@langchain/core/messages";
import { describe, expect, test } from "vitest";
import { keyedRandom } from "../../config/random.ts";
import { otherHintWords } from "../../graph/models/embedded/agent/skill.ts";
import { hintAnswer } from "../../graph/models/embedded/designer/hint.ts";
import { cues, hintWords, strategies } from "../../graph/models/embedded/mechanics/concepts.ts";
import {
  aggregatePhrase,
  commandLine,
  gradeLine,
  readAggregate,
  readCommands,
  readGrade,
  slotPhrase,
} from "../../graph/models/embedded/mechanics/conventions.ts";
import { mechanics } from "../../graph/models/embedded/mechanics/mechanics.ts";
import { themeOf } from "../../graph/models/embedded/mechanics/theme.ts";
import { js, say } from "../../graph/models/embedded/mechanics/write.ts";
import { hintMessages, hintWords as mostHintWords, rewriteHintMessage } from "../../graph/prompts/hint.ts";
import { designBy } from "./embedded-designer-designs.ts";

const sources = mechanics.flatMap((mechanic) =>
  [2, 7, 12].map((size, key) => ({ mechanic, source: mechanic.write(designBy({ mechanic, size, key })) })),
);

/** The words of a source's texts from the goal on: everything but the story and the cues. */
function ruleWords(source: string): Set<string> {
  const texts = [...source.slice(source.indexOf('"Goal: ')).matchAll(/"((?:[^"\\]|\\.)*)"/g)];
  return new Set(texts.flatMap((match) => (match[1] ?? "").toLowerCase().match(/[a-z]+/g) ?? []));
}

/** Who is met "comes along", which elsewhere is a cue: another word would make another held-out set than the pinned one. */
const pinned: Readonly<Record<string, readonly string[]>> = { "tunnel-rescue": ["along"] };

describe("conventions", () => {
  test("commands, grades and aggregates are read as they were written", () => {
    const lines = [
      "Commands:",
      commandLine("guess <number>", "name a number", slotPhrase.number("number", 2, 20, 3)),
      commandLine("try <code>", "try it", slotPhrase.code("code", 2, "red, blue")),
      commandLine("go <place>", "walk", slotPhrase.word("place", "attic, yard")),
      commandLine("look", "just to look"),
      "Format: one command a turn, as \\boxed{command}.",
    ];
    expect(readCommands(lines.join("\n"))).toEqual([
      {
        form: "guess <number>",
        description: "name a number",
        slots: { number: { kind: "number", from: 2, to: 20, by: 3 } },
      },
      {
        form: "try <code>",
        description: "try it",
        slots: { code: { kind: "code", length: 2, words: ["red", "blue"] } },
      },
      {
        form: "go <place>",
        description: "walk",
        slots: { place: { kind: "word", words: ["attic", "yard"] } },
      },
      { form: "look", description: "just to look", slots: {} },
    ]);
    expect(readCommands("no list")).toEqual([]);
    expect(readGrade(`x\n${gradeLine(6.5, 12)}\ny`)).toEqual({ grade: 6.5, turns: 12 });
    expect(readGrade("Grade: none")).toBeNull();
    const aggregate = {
      operation: "sum",
      field: "amount",
      key: "state",
      relation: "is not",
      value: "paid",
    } as const;
    expect(readAggregate(aggregatePhrase(aggregate))).toEqual(aggregate);
    expect(readAggregate("receipt_code")).toBeNull();
  });

  test("every game lists its commands, every text states its grade", () => {
    for (const { mechanic, source } of sources) {
      expect(source).toMatch(/"Grade: [\d.]+ of 16\. Turns: \d+\."/);
      if (mechanic.kind === "game") expect(source).toMatch(/"- [a-z]+( <[a-z]+>)?: /);
    }
  });

  test("cue words stand in no rule of another concept, hint words in no text at all", () => {
    for (const { mechanic, source } of sources) {
      const words = ruleWords(source);
      const whole = new Set(
        source
          .split("\n")
          .slice(1)
          .join(" ")
          .toLowerCase()
          .match(/[a-z]+/g),
      );
      for (const strategy of strategies) {
        expect(hintWords[strategy].filter((word) => whole.has(word))).toEqual([]);
        if (strategy === "random" || strategy === mechanic.concept) continue;
        const foreign = cues[strategy]
          .map((cue) => cue.word)
          .filter((word) => words.has(word) && !pinned[mechanic.name]?.includes(word));
        expect(foreign, mechanic.name).toEqual([]);
      }
    }
  });

  test("hidden levels show six, five and four cues of the concept; distractors add foreign ones", () => {
    for (const mechanic of mechanics) {
      for (const level of [0, 1, 2] as const) {
        const design = designBy({ mechanic, size: 8, key: level });
        const source = mechanic.write({ ...design, hidden: level, distractors: level });
        const story = source.slice(0, source.indexOf('"Goal: '));
        const shown = (concept: keyof typeof cues) =>
          cues[concept].filter((cue) =>
            story.includes(cue.sentence.replaceAll("{thing}", design.theme.thing)),
          ).length;
        expect(shown(mechanic.concept)).toBe(6 - level);
        const all = strategies.flatMap((one) => (one === "random" ? [] : [shown(one)]));
        expect(all.reduce((sum, count) => sum + count, 0)).toBe(6 - level + 2 * level);
      }
    }
  });
});

describe("hints", () => {
  test("name the strategy of their concept, in few words, with no number and no other strategy's word", () => {
    for (const { mechanic, source } of sources) {
      const { text } = hintAnswer({
        messages: hintMessages({ source, firstObservation: "A text." }),
        seed: 1,
        weights: {},
      });
      const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
      expect(text.split(/\s+/).length).toBeLessThan(mostHintWords);
      expect(text).not.toMatch(/\d/);
      expect(words.some((word) => hintWords[mechanic.concept].includes(word))).toBe(true);
      for (const strategy of strategies) {
        if (strategy === mechanic.concept) continue;
        const pointing = [...hintWords[strategy], ...otherHintWords[strategy]];
        expect(
          words.filter((word) => pointing.includes(word)),
          `${mechanic.name}: ${text}`,
        ).toEqual([]);
      }
    }
  });

  test("are shorter when they have to be written again", () => {
    const { source } = sources[0] ?? { source: "" };
    const messages = hintMessages({ source, firstObservation: "A text." });
    const first = hintAnswer({ messages, seed: 1, weights: {} }).text;
    const again = [...messages, new AIMessage(first), rewriteHintMessage("It is too long.")];
    expect(hintAnswer({ messages: again, seed: 1, weights: {} }).text.length).toBeLessThan(first.length);
  });

  test("judge a source without tags by its words, and stay general where it says nothing", () => {
    const hintFor = (source: string) =>
      hintAnswer({ messages: hintMessages({ source, firstObservation: "" }), seed: 1, weights: {} }).text;
    expect(hintFor('class AEnv { /* "the interval narrows, two bounds" */ }')).toMatch(/bisect/i);
    expect(hintFor("class AEnv {}")).toMatch(/rules/);
    expect(hintFor("")).not.toBe("");
  });
});

describe("writing", () => {
  test("keeps indentation, drops empty lines of values, leaves backslashes alone", () => {
    const body = js`
      if (a) {
        b("\n");
      }
    `;
    expect(js`
      function f() {
        ${body}
        ${false}
        return /\d{2}/;
      }
    `).toBe('function f() {\n  if (a) {\n    b("\\n");\n  }\n  return /\\d{2}/;\n}');
  });

  test("puts run-time expressions into texts, in parentheses where they need them", () => {
    expect(say("Range: {{this.low}} to {{a ? 1 : 2}}.")).toBe(
      '"Range: " + this.low + " to " + (a ? 1 : 2) + "."',
    );
    expect(say("{{this.low}} up")).toBe('"" + this.low + " up"');
    expect(say("plain")).toBe('"plain"');
  });

  test("themes always have enough names, whatever the document is", () => {
    for (const text of [
      "",
      "日本語の文書です。",
      "a b c 1 2 3",
      "constructor __proto__ toString valueOf",
      "x".repeat(100_000),
    ]) {
      const theme = themeOf(text, keyedRandom("theme", text.length));
      expect(theme.names.length).toBeGreaterThanOrEqual(60);
      expect(new Set(theme.names).size).toBe(theme.names.length);
      expect(theme.names.every((name) => /^[a-z]+$/.test(name))).toBe(true);
      expect(theme.title).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/);
    }
  });
});
