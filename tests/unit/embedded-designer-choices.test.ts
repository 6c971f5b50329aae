import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, test } from "vitest";
import type { GateName } from "../../config/words.ts";
import { readDesign } from "../../graph/design-answer.ts";
import { digestText } from "../../graph/memory/digest.ts";
import { designAnswer } from "../../graph/models/embedded/designer/design.ts";
import {
  type Choice,
  decide,
  exploration,
  initialDesignerWeights,
  replay,
} from "../../graph/models/embedded/designer/policy.ts";
import { readRequest } from "../../graph/models/embedded/designer/request.ts";
import { repairMessage } from "../../graph/prompts/designer.ts";
import { section } from "../../graph/prompts/sections.ts";
import { tagsOf } from "../../sandbox/admission/tags.ts";
import { documents, requestFor } from "./embedded-designer-designs.ts";

const weights = initialDesignerWeights();

/** Every choice of a design in which each site takes its likeliest option. */
function choices(messages: readonly BaseMessage[]): Map<string, Choice> {
  const found = new Map<string, Choice>();
  decide(readRequest(messages), weights, (choice) => {
    found.set(choice.site, choice);
    return choice.options[choice.softmax.indexOf(Math.max(...choice.softmax))] ?? "";
  });
  return found;
}

function chance(messages: readonly BaseMessage[], site: string, option: string): number {
  const choice = choices(messages).get(site);
  return choice?.softmax[choice.options.indexOf(option)] ?? 0;
}

function meanSize(messages: readonly BaseMessage[]): number {
  const choice = choices(messages).get("size");
  return (choice?.options ?? []).reduce((sum, size, i) => sum + Number(size) * (choice?.softmax[i] ?? 0), 0);
}

describe("the designer's answer", () => {
  test("is the same for the same messages and seed, and another one for another seed", () => {
    const messages = requestFor({ text: documents.harbour });
    const first = designAnswer({ messages, seed: 7, weights });
    expect(designAnswer({ messages, seed: 7, weights: initialDesignerWeights() })).toEqual(first);
    expect(designAnswer({ messages, seed: 8, weights }).text).not.toBe(first.text);
  });

  test("holds one source whose tags are its decisions", () => {
    const messages = requestFor({ text: documents.music, kind: "tool-use", skill: "Data Retrieval" });
    for (let seed = 0; seed < 20; seed += 1) {
      const { text, decisions } = designAnswer({ messages, seed, weights });
      const { source } = readDesign(text, "javascript");
      expect(source).toMatch(/^class [A-Z]\w*Env extends ToolUseBaseEnv \{$/m);
      const chosen = Object.fromEntries(decisions.map(({ site, choice }) => [site, choice]));
      const mechanic = chosen["mechanic/tool-use"];
      expect(tagsOf(source ?? "")).toEqual([
        mechanic,
        `${mechanic}/size-${chosen.size}`,
        `hidden-${chosen.hidden}`,
        `distractors-${chosen.distractors}`,
        `budget-${chosen.budget}`,
      ]);
    }
  });

  test("answers messages that hold no task at all", () => {
    for (const messages of [[], [new AIMessage("hello")]]) {
      expect(readDesign(designAnswer({ messages, seed: 1, weights }).text, "javascript").source).toMatch(
        /Env/,
      );
    }
  });
});

describe("decisions", () => {
  test("are drawn from probabilities that sum to one, exploration included", () => {
    for (const choice of choices(requestFor({ text: documents.leaf })).values()) {
      const total = choice.logprobs.reduce((sum, logprob) => sum + Math.exp(logprob), 0);
      expect(total).toBeCloseTo(1, 10);
      const least = Math.min(...choice.logprobs.map(Math.exp));
      expect(least).toBeGreaterThanOrEqual(exploration / choice.options.length - 1e-12);
    }
  });

  test("can be worked out again from messages, decisions and weights", () => {
    const messages = requestFor({ text: documents.harbour, memory: memoryWith({ "code-lock": 0.3 }) });
    const { decisions } = designAnswer({ messages, seed: 3, weights });
    const replayed = replay(messages, decisions, weights);
    expect(replayed.map(({ site }) => site)).toEqual(decisions.map(({ site }) => site));
    for (const [i, { logprob }] of replayed.entries()) {
      expect(logprob).toBeCloseTo(decisions[i]?.logprob ?? Number.NaN, 12);
    }
    expect(() => replay(messages, decisions.slice(1), weights)).toThrow(RangeError);
  });

  test("have the gradient that their description states", () => {
    const messages = requestFor({ text: documents.harbour });
    const { decisions } = designAnswer({ messages, seed: 5, weights });
    const [before] = replay(messages, decisions, weights);
    if (before === undefined) throw new Error("no decisions");
    const key = before.keys[1] ?? "";
    const option = before.positions[2] ?? 0;
    const step = 1e-6;
    const list = [...(weights[key] ?? before.options.map(() => 0))];
    list[option] = (list[option] ?? 0) + step;
    const [after] = replay(messages, decisions, { ...weights, [key]: list });
    const q = before.softmax;
    const own = q[before.chosen] ?? 0;
    const same = before.chosen === 2 ? 1 : 0;
    const stated = ((1 - exploration) * own * (same - (q[2] ?? 0))) / Math.exp(before.logprob);
    expect(((after?.logprob ?? 0) - before.logprob) / step).toBeCloseTo(stated, 4);
  });

  test("follow the task: skill and difficulty", () => {
    const site = "mechanic/game";
    const optimize = requestFor({ skill: "Optimization" });
    expect(chance(optimize, site, "knapsack")).toBeGreaterThan(chance(requestFor(), site, "knapsack") + 0.2);
    const [easy, medium, hard] = (["easy", "medium", "hard"] as const).map((difficulty) =>
      meanSize(requestFor({ difficulty })),
    );
    expect(easy).toBeLessThan((medium ?? 0) - 1);
    expect(medium).toBeLessThan((hard ?? 0) - 1);
  });

  test("never take more steps than the turn cap allows", () => {
    const sizes = choices(requestFor({ turnCap: 6, difficulty: "hard" })).get("size")?.options ?? [];
    expect(Math.max(...sizes.map(Number))).toBe(6);
    expect(choices(requestFor({ turnCap: 1 })).get("size")?.options).toEqual(["1"]);
  });

  test("follow the document: mechanics, sizes and rules differ by what it is about", () => {
    const messages = Object.values(documents).map((text) =>
      requestFor({ text, skill: "Pattern Recognition" }),
    );
    const all = messages.map(choices);
    for (const site of ["mechanic/game", "size"]) {
      const distributions = new Set(all.map((each) => JSON.stringify(each.get(site)?.softmax)));
      expect(distributions.size).toBe(3);
    }
    const [harbour, leaf, music] = messages;
    if (harbour === undefined || leaf === undefined || music === undefined) throw new Error("documents");
    const site = "mechanic/game";
    expect(chance(harbour, site, "trading")).toBeGreaterThan(chance(leaf, site, "trading"));
    expect(chance(music, site, "sequence-recall")).toBeGreaterThan(chance(leaf, site, "sequence-recall"));
    const rules = messages.map((each) =>
      designAnswer({ messages: each, seed: 2, weights }).decisions.map(({ choice }) => choice),
    );
    expect(new Set(rules.map(String)).size).toBe(3);
  });

  test("name things after the document", () => {
    const source = designAnswer({ messages: requestFor({ text: documents.harbour }), seed: 4, weights }).text;
    const words = [
      "harbor",
      "ships",
      "sails",
      "ropes",
      "barrels",
      "vessels",
      "herring",
      "amber",
      "tide",
      "pilots",
    ];
    expect(words.filter((word) => source.includes(word)).length).toBeGreaterThanOrEqual(3);
  });

  test("follow the brief", () => {
    const site = "mechanic/game";
    const brief = "Please make a small, easy game about trading goods on a market.";
    expect(chance(requestFor({ brief, skill: "Optimization" }), site, "trading")).toBeGreaterThan(0.6);
    expect(meanSize(requestFor({ brief }))).toBeLessThan(meanSize(requestFor()) - 1);
  });
});

describe("the memory's digest", () => {
  test("draws towards regret, and away from what is too easy or too hard", () => {
    const site = "mechanic/game";
    const known = memoryWith({ "code-lock": 0.4, "interval-search": 0.02, circuit: 0.02 });
    const skill = "Logical Deduction";
    expect(chance(requestFor({ skill, memory: known }), site, "code-lock")).toBeGreaterThan(
      2 * chance(requestFor({ skill, memory: known }), site, "interval-search"),
    );
    const sizes = memoryWith({
      "code-lock": 0.4,
      "code-lock/size-8": 0.5,
      "code-lock/size-4": 0.01,
      "code-lock/size-12": 0.0,
    });
    const plain = requestFor({ brief: "a lock" });
    const told = requestFor({ brief: "a lock", memory: sizes });
    for (const size of ["7", "8", "9"]) {
      expect(chance(told, "size", size)).toBeGreaterThan(chance(plain, "size", size));
    }
    expect(chance(told, "size", "12")).toBeLessThan(chance(plain, "size", "12"));
  });
});

describe("a repair", () => {
  test("keeps what no gate complained about, and grows what random play won", () => {
    const opening = requestFor();
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const answer = designAnswer({ messages: opening, seed, weights }).text;
      const before = readRequest([...opening, new AIMessage(answer), failed("non-trivial")]).repair?.choices;
      const messages = [...opening, new AIMessage(answer), failed("non-trivial")];
      const unwinnable = [...opening, new AIMessage(answer), failed("winnable")];
      expect(meanSize(messages)).toBeGreaterThan(meanSize(unwinnable) + 0.8);
      expect(meanSize(messages)).toBeGreaterThan(Number(before?.size) - 0.5);
      const again = chance(messages, "mechanic/game", before?.mechanic ?? "");
      expect(again).toBeGreaterThan(
        Math.min(0.9, 3 * chance(opening, "mechanic/game", before?.mechanic ?? "")),
      );
    }
  });

  test("takes other rules after a copy, and another mechanic after a leak", () => {
    const opening = requestFor();
    const answer = designAnswer({ messages: opening, seed: 6, weights }).text;
    const copied = [...opening, new AIMessage(answer), failed("novelty")];
    const before = readRequest(copied).repair?.choices ?? {};
    for (const [site, branch] of Object.entries(before).filter(([name]) => name.startsWith("rule/"))) {
      const offered = choices(copied).get(site);
      if (offered !== undefined) expect(chance(copied, site, branch)).toBeLessThan(0.2);
    }
    const leaked = [...opening, new AIMessage(answer), failed("no-leak")];
    expect(chance(leaked, "mechanic/game", before.mechanic ?? "")).toBeLessThan(
      chance(opening, "mechanic/game", before.mechanic ?? ""),
    );
  });
});

function failed(gate: GateName) {
  return repairMessage([{ gate, verdict: "fail", detail: "It failed.", ms: 1 }]);
}

function memoryWith(regrets: Readonly<Record<string, number>>): string {
  const statistics = Object.entries(regrets).map(([tag, regret]) => ({
    tag,
    plays: 48,
    winRate: tag.endsWith("-4") ? 0.98 : regret > 0 ? 0.4 : 0,
    regret,
    stderr: 0.05,
    age: 1,
  }));
  return section("digest", {}, digestText(statistics));
}
