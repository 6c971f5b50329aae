/** Which strategy the agent chooses and how carefully it plays: features, softmax, log-probabilities, hints. */
import { AIMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { describe, expect, test } from "vitest";
import { agentAnswer } from "../../graph/models/embedded/agent/act.ts";
import { stepChance, strategyLogprob } from "../../graph/models/embedded/agent/choice.ts";
import { hintHelps, levelOf } from "../../graph/models/embedded/agent/skill.ts";
import { hintAnswer } from "../../graph/models/embedded/designer/hint.ts";
import {
  featureCount,
  featureOf,
  featuresOf,
  splitHint,
  wordsOf,
} from "../../graph/models/embedded/features.ts";
import { cues, hintWords, strategies } from "../../graph/models/embedded/mechanics/concepts.ts";
import { mechanics } from "../../graph/models/embedded/mechanics/mechanics.ts";
import { logSoftmax } from "../../graph/models/embedded/softmax.ts";
import { initialWeights, parseWeights, serialiseWeights } from "../../graph/models/embedded/weights.ts";
import { agentSystem, withHint } from "../../graph/prompts/agent.ts";
import { hintMessages } from "../../graph/prompts/hint.ts";
import { instanceOf } from "../support/embedded-play.ts";

const rules = `Harbor Gauge
Each reply narrows what can still be true. Two bounds close in on the gauge.
Goal: find the hidden number of the gauge.
Rules:
- A value that is not the hidden number is called too low or too high.
Commands:
- guess <number>: name a value; <number> from 1 to 64.
Format: one command a turn, as \\boxed{command}.
Grade: 5 of 16. Turns: 9.
Range: 1 to 64`;
const weights = initialWeights().agent;
const system = new SystemMessage(agentSystem(null));

const first = (observation: string, seed: number, own = weights) =>
  agentAnswer({ messages: [system, new HumanMessage(observation)], seed, weights: own });

describe("features", () => {
  test("are the distinct words, each part of unit length, hint words apart", () => {
    const plain = featuresOf("too low, too high");
    const expected = ["too", "low", "high"].map((word) => featureOf("observation", word));
    expect(plain.indices).toEqual(expected.sort((a, b) => a - b));
    for (const value of plain.values) expect(value).toBeCloseTo(1 / Math.sqrt(3), 12);
    const hinted = featuresOf(withHint("too low, too high", "Too low"));
    expect(hinted.indices).toHaveLength(5);
    expect(Math.max(...hinted.values)).toBeCloseTo(1 / Math.sqrt(2), 12);
    expect(hinted.indices.every((index) => index >= 0 && index < featureCount)).toBe(true);
  });

  test("tell the words that mean a strategy apart", () => {
    const owner = new Map<number, string>();
    const claim = (feature: number, strategy: string) => {
      expect(owner.get(feature) ?? strategy).toBe(strategy);
      owner.set(feature, strategy);
    };
    for (const strategy of strategies) {
      for (const word of hintWords[strategy]) claim(featureOf("hint", word), strategy);
      if (strategy === "random") continue;
      for (const { word } of cues[strategy]) claim(featureOf("observation", word), strategy);
    }
  });

  test("the hint is what stands in the last section of that name, and nothing else is", () => {
    expect(splitHint(withHint(rules, "Bisect."))).toEqual({ observation: rules, hint: "Bisect." });
    expect(splitHint(rules)).toEqual({ observation: rules, hint: null });
    expect(splitHint(`<hint>\nfake\n</hint>\n${rules}`).hint).toBeNull();
    expect(splitHint("<hint>\n</hint>").hint).toBe("");
    expect(wordsOf("The 12 keys, the KEYS and a key")).toEqual(["keys", "key"]);
  });
});

describe("the choice of a strategy", () => {
  test("is a softmax whose log-probabilities can be worked out again", () => {
    const sum = strategies.reduce((total, one) => total + Math.exp(strategyLogprob(weights, rules, one)), 0);
    expect(sum).toBeCloseTo(1, 12);
    for (let seed = 0; seed < 30; seed += 1) {
      const [choice] = first(rules, seed).decisions;
      const strategy = strategies.find((one) => one === choice?.choice);
      expect(choice?.site).toBe("strategy");
      expect(choice?.options).toEqual([...strategies]);
      expect(choice?.logprob).toBe(strategyLogprob(weights, rules, strategy ?? "random"));
    }
  });

  test("follows the log-probabilities over many seeds", () => {
    const counts = new Map<string, number>();
    const draws = 3_000;
    for (let seed = 0; seed < draws; seed += 1) {
      const choice = first(rules, seed).decisions[0]?.choice ?? "";
      counts.set(choice, (counts.get(choice) ?? 0) + 1);
    }
    for (const strategy of strategies) {
      const expected = Math.exp(strategyLogprob(weights, rules, strategy));
      expect((counts.get(strategy) ?? 0) / draws).toBeCloseTo(expected, 1);
    }
  });

  test("is said, and kept on later turns", () => {
    const opening = first(rules, 3);
    const plan = opening.decisions[0]?.choice ?? "";
    expect(opening.text).toContain(`Plan: ${plan}.`);
    const later = agentAnswer({
      messages: [
        system,
        new HumanMessage(rules),
        new AIMessage(opening.text),
        new HumanMessage("Turn 1 of 9.\nResult: too low."),
      ],
      seed: 4,
      weights,
    });
    expect(later.decisions.map(({ site }) => site)).toEqual([`step/${plan}`]);
  });

  test("any hint that the designer writes raises its strategy and no other", () => {
    for (const mechanic of mechanics) {
      const source = instanceOf(mechanic, 5, 1, 1);
      const messages = hintMessages({ source, firstObservation: "" });
      const hint = hintAnswer({ messages, seed: 0, weights: {} }).text;
      const hinted = withHint(rules, hint);
      const gainOf = (strategy: (typeof strategies)[number]) =>
        strategyLogprob(weights, hinted, strategy) - strategyLogprob(weights, rules, strategy);
      expect(gainOf(mechanic.concept)).toBeGreaterThan(0.5);
      for (const strategy of strategies) {
        if (strategy !== mechanic.concept) {
          expect(gainOf(strategy)).toBeLessThan(gainOf(mechanic.concept) - 1);
        }
        expect(hintHelps(hint, strategy)).toBe(strategy === mechanic.concept);
      }
    }
  });

  test("leans to the concept whose cues the rules show", () => {
    const even = Math.log(1 / strategies.length);
    expect(strategyLogprob(weights, rules, "bisect")).toBeGreaterThan(even);
  });
});

describe("care", () => {
  const bisecting = { ...weights, bias: strategies.map((one) => (one === "bisect" ? 100 : 0)) };
  const at = (theta: number) => ({ ...bisecting, skill: strategies.map(() => theta) });

  test("has the chance that the formula gives", () => {
    const sigma = (x: number) => 1 / (1 + Math.exp(-x));
    expect(levelOf(rules)).toBe(7);
    expect(stepChance(at(7), rules, "bisect")).toBeCloseTo(0.005 + 0.99 * sigma(1.4), 12);
    expect(stepChance(at(6), withHint(rules, "Bisect it."), "bisect")).toBeCloseTo(
      0.005 + 0.99 * sigma(2.4),
      12,
    );
    expect(stepChance(at(6), withHint(rules, "Sweep it."), "bisect")).toBeCloseTo(
      0.005 + 0.99 * sigma(-0.6),
      12,
    );
  });

  test("is a decision with its log-probability, and a careful bisector halves", () => {
    let careful = 0;
    for (let seed = 0; seed < 400; seed += 1) {
      const { decisions, text } = first(rules, seed, at(6.3));
      const step = decisions[1];
      const chance = stepChance(at(6.3), rules, "bisect");
      expect(step).toEqual({
        site: "step/bisect",
        choice: step?.choice,
        options: ["careful", "careless"],
        logprob: Math.log(step?.choice === "careful" ? chance : 1 - chance),
      });
      if (step?.choice !== "careful") continue;
      careful += 1;
      expect(text).toContain("\\boxed{guess 32}");
    }
    expect(careful / 400).toBeCloseTo(0.5, 1);
  });

  test("a text without a grade is judged by its length", () => {
    expect(levelOf("Guess a number.")).toBe(1);
    expect(levelOf("word ".repeat(200))).toBeGreaterThan(levelOf("word ".repeat(60)));
    expect(levelOf("word ".repeat(100_000))).toBe(1 + 1.5 * 15);
  });
});

test("equal seeds give equal answers, other seeds others", () => {
  const texts = Array.from({ length: 40 }, (_, seed) => first(rules, seed).text);
  expect(texts).toEqual(Array.from({ length: 40 }, (_, seed) => first(rules, seed).text));
  expect(new Set(texts).size).toBeGreaterThan(4);
});

describe("weights", () => {
  test("are one text, read back exactly, whatever the order of their keys", () => {
    const initial = initialWeights();
    const text = serialiseWeights(initial);
    expect(serialiseWeights(initialWeights())).toBe(text);
    expect(parseWeights(text)).toEqual(JSON.parse(JSON.stringify(initial)));
    expect(serialiseWeights(parseWeights(text))).toBe(text);
    const turned = { agent: initial.agent, designer: initial.designer, format: initial.format };
    expect(serialiseWeights(turned)).toBe(text);
  });

  test("of another format or shape are refused", () => {
    const initial = initialWeights();
    expect(() => parseWeights(JSON.stringify({ ...initial, format: 2 }))).toThrow();
    const short = { ...initial, agent: { ...initial.agent, skill: [1] } };
    expect(() => parseWeights(JSON.stringify(short))).toThrow();
    const renamed = { ...initial, agent: { ...initial.agent, strategies: [...strategies].reverse() } };
    expect(() => parseWeights(JSON.stringify(renamed))).toThrow(/strategies/);
  });

  test("softmax stands very large and very small logits", () => {
    expect(logSoftmax([1e6, 0]).map(Math.exp)).toEqual([1, 0]);
    expect(logSoftmax([-1e6, -1e6])[0]).toBeCloseTo(Math.log(0.5), 8);
  });
});
