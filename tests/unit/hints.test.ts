/** Hints: what is tidied, what is refused, and above all what leaks and what doesn't. */
import { describe, expect, it } from "vitest";
import { cleanHint } from "../../graph/hints/clean.ts";
import type { HintSubject } from "../../graph/hints/leak.ts";
import { hintProblem } from "../../graph/hints/problem.ts";

const call = (name: string, args: object): string =>
  `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;

/** Interval search: the solution bisects, so its guesses on the way differ by seed but for the first. */
const interval: HintSubject = {
  source: `class GaugeEnv {
  static maxTurns = 14;
  reset(seed) { this.low = 1; this.high = 1000; this.secret = 1 + Math.floor(Math.random() * 1000); this.turn = 0;
    return { observation: "A hidden number lies from 1 to 1000. Commands: guess <number>. Each reply says too low or too high. Turns: 14.", info: {} }; }
  step(action) { const match = /guess (\\d+)/.exec(action); const value = Number(match[1]); return { observation: value < this.secret ? "too low" : "too high", reward: 0, terminated: false, truncated: false, info: {} }; }
}`,
  firstObservations: [
    "A hidden number lies from 1 to 1000. Commands: guess <number>. Each reply says too low or too high. Turns: 14.",
  ],
  solutions: [
    { seed: 1, actions: ["guess 500", "guess 250", "guess 375", "guess 417"] },
    { seed: 2, actions: ["guess 500", "guess 750", "guess 875", "guess 906"] },
    { seed: 3, actions: ["guess 500", "guess 250", "guess 125", "guess 83"] },
  ],
};

/** One fixed secret for every seed, which only the source knows. */
const password: HintSubject = {
  source: `class GateEnv { step(action) { if (action.includes("say xyzzy")) { this.open = true; } if (this.code === 7319) return 1; } }`,
  firstObservations: [
    "You stand before a gate. Commands: look, say <word>, dial <number>, wait. Find out what opens it. Inscription: north star.",
    "You stand before a gate. Commands: look, say <word>, dial <number>, wait. Find out what opens it. Inscription: old oak.",
  ],
  solutions: [
    { seed: 1, actions: ["look", "say xyzzy", "dial 7319"] },
    { seed: 2, actions: ["look", "look", "say xyzzy", "dial 7319"] },
  ],
};

/** A single instance all of whose words are public: only the order is hidden. */
const levers: HintSubject = {
  source: `class LeverEnv { static singleInstance = true; }`,
  firstObservations: [
    "Three levers, 1 to 3, and a bell. Commands: pull <lever>, ring bell, wait. Only one order opens the chest; a wrong one resets it. Turns: 9.",
  ],
  solutions: [
    { seed: 1, actions: ["pull 2", "ring bell", "pull 3", "pull 1", "ring bell"] },
    { seed: 2, actions: ["pull 2", "ring bell", "pull 3", "pull 1", "ring bell"] },
  ],
};

const map: HintSubject = {
  source: `class MapEnv { step(a) { return { observation: "You are in the " + this.place }; } }`,
  firstObservations: [
    "You are in the hall. Find the key, then the door. Commands: go <north|east|south|west>, take key, unlock door.",
  ],
  solutions: [
    { seed: 1, actions: ["go north", "go east", "take key", "go south", "unlock door"] },
    { seed: 2, actions: ["go west", "go west", "take key", "go north", "unlock door"] },
  ],
};

const code: HintSubject = {
  source: `class CodeEnv { colours = ["red", "blue", "green", "yellow"]; }`,
  firstObservations: [
    "Find the hidden row of four colours out of red, blue, green, yellow. Commands: try <four colours>. Replies count places.",
  ],
  solutions: [
    { seed: 1, actions: ["try red red blue blue", "try green yellow red green"] },
    { seed: 2, actions: ["try red red blue blue", "try blue blue yellow red"] },
  ],
};

/** Tool use; the tools are told in the system message, not in the first observation. */
const orders: HintSubject = {
  source: `class OrderDeskEnv extends ToolUseBaseEnv {
  tools() {
    return [
      { name: "find_orders", description: "Orders of a customer by status.", parameters: { type: "object", properties: { customer: { type: "string" }, status: { type: "string", enum: ["shipped", "returned"] } } } },
      { name: "order_total", description: "The total of an order.", parameters: { type: "object", properties: { order_id: { type: "string" } } } },
    ];
  }
  reset(seed) { this.ledger = "W-77-QUARTZ"; this.expectedAnswer = this.total; return { observation: "Customer Mira in Oslo asks what her returned orders cost in all. Answer with the amount.", info: {} }; }
}`,
  firstObservations: [
    "Customer Mira in Oslo asks what her returned orders cost in all. Answer with the amount.",
  ],
  solutions: [
    {
      seed: 1,
      actions: [
        call("find_orders", { customer: "Mira", status: "returned" }),
        call("order_total", { order_id: "P-381", ledger: "W-77-QUARTZ" }),
        "<answer>118.50</answer>",
      ],
    },
    {
      seed: 2,
      actions: [
        call("find_orders", { customer: "Mira", status: "returned" }),
        call("order_total", { order_id: "P-902", ledger: "W-77-QUARTZ" }),
        "<answer>64</answer>",
      ],
    },
  ],
};

const fine: readonly (readonly [string, HintSubject, string])[] = [
  ["advice to bisect", interval, "Use bisection: halve the range each time, start at the middle."],
  [
    "the middle of a stated range",
    interval,
    "Start with guess 500, the middle, and halve what is left: answers are guess <number>.",
  ],
  [
    "numbers that only some seeds guess on their way",
    interval,
    "If 500 is too high, go on with 250, else with 750.",
  ],
  [
    "numbers of the observation",
    interval,
    "You have 14 turns for 1000 numbers; 10 guesses are enough if each halves the range.",
  ],
  [
    "commands of the observation",
    password,
    "Look around first; each look reveals a part. Then say the word, then dial the number you were shown.",
  ],
  [
    "an order of phases",
    map,
    "Explore systematically and note the exits. First take the key, then go back and unlock the door. Try north, east, south and west in turn.",
  ],
  [
    "general advice on levers",
    levers,
    "Keep track of what you tried. Pull one lever at a time, ring the bell in between, and note which step resets the chest.",
  ],
  [
    "candidates to eliminate",
    code,
    "Begin with two colours, two places each, then eliminate every row that is not consistent with all replies.",
  ],
  [
    "colours in the order they are stated",
    code,
    "The colours are red, blue, green, yellow; the same one may occur twice.",
  ],
  [
    "tools and their parameters",
    orders,
    "Call find_orders with the customer and status returned, then order_total for each order_id, add the totals up and answer with the sum.",
  ],
  [
    "the format of an answer",
    orders,
    "End with <answer>amount</answer>, e.g. <answer>12.00</answer>, once you have every total.",
  ],
  [
    "a call with values that are stated",
    orders,
    `Begin with {"name": "find_orders", "arguments": {"customer": "Mira", "status": "returned"}}.`,
  ],
  [
    "words of the embedded designer",
    map,
    "Explore: keep exploring what is unseen, hum falls as you come closer. First the key, then the door. Format: one command a turn, boxed.",
  ],
  [
    "pronouns that are numbers",
    levers,
    "Choose one lever at a time; two or three rounds of trial are affordable.",
  ],
];

const leaks: readonly (readonly [string, HintSubject, string])[] = [
  ["a word that is the same for every seed", password, "Look around, then say xyzzy."],
  ["the same in capitals and quotes", password, 'The magic word is "XYZZY".'],
  ["the same spelled out", password, "The word is X-Y-Z-Z-Y, say it before you dial."],
  ["a number that only the source knows", password, "Say what you find, then dial 7319."],
  ["the same by its digits", password, "The dial wants seven three one nine at the end."],
  ["a move that is the same for every seed", levers, "Begin when you pull lever 2, and see what happens."],
  ["the same with the digit in words", levers, "First pull lever two."],
  [
    "the whole solution of a single instance",
    levers,
    "Pull 2, then ring the bell, pull 3, pull 1 and ring once more.",
  ],
  ["the winning move of one seed", interval, "It is somewhere above the middle; guess 906 does it."],
  ["a secret said aloud", interval, "Bisect, but the secret number is 83."],
  ["one seed's whole way", map, "Go north, east, take the key there, south, then unlock the door."],
  ["the winning row of one seed", code, "Try green yellow red green."],
  ["an answer of a seed", orders, "Add the totals; the answer is 64."],
  ["an answer in its tags", orders, "Add up and end with <answer>118.5</answer>."],
  ["an answer that can be recognised", orders, "Mira's orders come to 118.50 in all."],
  [
    "a constant argument that isn't stated",
    orders,
    "order_total needs the ledger W-77-QUARTZ besides the order_id.",
  ],
  ["an argument of one seed that has to be found", orders, "Ask order_total for P-381."],
  ["a code block", map, "Do this:\n```\ngo north\n```"],
  [
    "code of the environment",
    interval,
    "Note that this.secret = 1 + Math.floor(Math.random() * 1000) is drawn first.",
  ],
];

describe("a hint that gives nothing away", () => {
  it.each(fine)("may hold %s", (_, subject, hint) => {
    expect(hintProblem(hint, subject)).toBeNull();
  });
});

describe("a hint that leaks", () => {
  it.each(leaks)("is refused for %s", (_, subject, hint) => {
    expect(hintProblem(hint, subject)).toMatch(/gives|lists|holds|copies/);
  });

  it("is told what it gave away, so that it can be rewritten", () => {
    expect(hintProblem("say xyzzy", password)).toContain('"xyzzy"');
  });
});

describe("without a first observation", () => {
  const told = "You stand at a gate. Commands: whisper WORD, look around. Find the word that opens it.";
  const subject: HintSubject = {
    source: `class AEnv { reset() { return { observation: "${told}" }; } step(a) { return a === "whisper sesame"; } }`,
    solutions: [{ seed: 1, actions: ["look around", "whisper sesame"] }],
  };

  it("the sentences of the source say what is stated", () => {
    expect(hintProblem("Look around before you whisper anything.", subject)).toBeNull();
    expect(hintProblem("Whisper sesame to it.", subject)).toMatch(/gives/);
  });
});

describe("a hint that can't be used", () => {
  it("is empty", () => {
    expect(hintProblem("", map)).toBe("The answer holds no hint.");
    expect(hintProblem(" … ! ", map)).toBe("The answer holds no hint.");
  });

  it("has more than 100 words", () => {
    const words = (count: number): string => Array.from({ length: count }, () => "wander").join(" ");
    expect(hintProblem(words(100), map)).toBeNull();
    expect(hintProblem(words(101), map)).toBe("The hint has 101 words; at most 100 are allowed.");
  });

  it("has few words and no end", () => {
    expect(hintProblem("x".repeat(2_001), map)).toBe(
      "The hint has 2001 characters; at most 2000 are allowed.",
    );
  });

  it("is found out quickly, however long the solutions are", () => {
    const actions = Array.from({ length: 200 }, (_, i) => `place block${i} at ${i} ${i + 1} ${i + 2}`);
    const solutions = Array.from({ length: 12 }, (_, seed) => ({ seed, actions }));
    const hint = Array.from({ length: 100 }, (_, i) => `word${i}`).join(" ");
    const before = process.cpuUsage();
    hintProblem(hint, { source: "x".repeat(50_000), firstObservations: ["place block"], solutions });
    // Processor time, in microseconds: the wall clock belongs to whatever else runs.
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });
});

describe("cleanHint", () => {
  it.each([
    ["Halve the range.", "Halve the range."],
    ['"Halve the range."', "Halve the range."],
    ["“Halve the range.”", "Halve the range."],
    ["Hint: Halve the range.", "Halve the range."],
    ["**Hint:** Halve the range.", "Halve the range."],
    ["## Hint\n\nHalve the range.", "Halve the range."],
    ["```\nHalve the range.\n```", "Halve the range."],
    ['```text\nHint: "Halve the range."\n```', "Halve the range."],
    ["<hint>\nHalve the range.\n</hint>", "Halve the range."],
    ["<think>The code is 7319, don't say so.</think>\nHalve the range.", "Halve the range."],
    ["The code is 7319.</think>Halve the range.", "Halve the range."],
    ["<think>never closed", ""],
    ['Say "left" or "right".', 'Say "left" or "right".'],
    ['"Left" comes before "right"', '"Left" comes before "right"'],
    ["Hints of light matter here.", "Hints of light matter here."],
  ])("%j becomes %j", (text, hint) => {
    expect(cleanHint(text)).toBe(hint);
  });
});
