/** The leak check on real environments: their own solutions as leaks, and the hints that a good designer writes. */
import { readFile } from "node:fs/promises";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { gameSkills, kindOfSkill, type Skill, toolUseSkills } from "../../config/words.ts";
import { readDesign } from "../../graph/design-answer.ts";
import type { HintSubject } from "../../graph/hints/leak.ts";
import { hintProblem } from "../../graph/hints/problem.ts";
import { designAnswer } from "../../graph/models/embedded/designer/design.ts";
import { hintAnswer } from "../../graph/models/embedded/designer/hint.ts";
import { initialDesignerWeights } from "../../graph/models/embedded/designer/policy.ts";
import { designMessages } from "../../graph/prompts/designer.ts";
import { hintMessages } from "../../graph/prompts/hint.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, pino({ level: "silent" }));
});
afterAll(() => sandbox.close());

async function subjectOf(source: string): Promise<HintSubject> {
  const opened = await sandbox.open(source, { language: "javascript" });
  if (!opened.ok) throw new Error(opened.failure.detail);
  const solutions: { seed: number; actions: readonly string[] }[] = [];
  const firstObservations: string[] = [];
  for (let seed = 11; seed < 19; seed += 1) {
    const run = await opened.value.run(seed, [], { solution: true });
    firstObservations.push(run.reset?.observation ?? "");
    solutions.push({ seed, actions: run.solution ?? [] });
  }
  await opened.value.close();
  return { source, solutions, firstObservations };
}

/** A seed's solution, as a sentence that a lazy hint could be. */
function solutionAsHint({ solutions }: HintSubject): string {
  const actions = solutions[0]?.actions ?? [];
  return actions.map((action) => action.replace(/<\/?tool_call>/g, "")).join(", then ");
}

const byHand: readonly (readonly [string, readonly string[], (subject: HintSubject) => string])[] = [
  [
    "caravan-trade",
    [
      "Prices move in trends: buy all the salt you can while the price rises, sell once it turns, wait while you are unsure. Own coins, not salt, on the last day. Answers: \\boxed{buy}, \\boxed{sell} or \\boxed{wait}.",
      "First watch the price for two or three days, then follow its direction: buy, wait, sell.",
    ],
    solutionAsHint,
  ],
  [
    "file-cabinet",
    [
      "Open the drawer that is not locked with key none, read it, note which drawer comes next and its key, and go on like that. If a drawer jams, make the same call again. The last drawer holds the total: end with <answer>total</answer>.",
      'Each call looks like {"name": "open_drawer", "arguments": {"drawer": "…", "key": "…"}}; read_drawer needs the drawer alone.',
    ],
    (subject) => `Answer ${/<answer>(.*)<\/answer>/.exec(subject.solutions[2]?.actions.at(-1) ?? "")?.[1]}.`,
  ],
  [
    "lamp-board",
    [
      "Chase the dark lamps row by row: press below each dark lamp, e.g. \\boxed{press 2 3}, and see what is left in row 4; then try another first row. No lamp needs pressing twice.",
    ],
    solutionAsHint,
  ],
  [
    "nim-keeper",
    [
      "Leave the keeper a multiple of six: take the remainder of the stones divided by six, then always take six minus what the keeper took. If the keeper takes 1, take 5; if 2, take 4.",
    ],
    solutionAsHint,
  ],
  [
    "old-cellar",
    [
      "Explore systematically and remember where each exit leads. Take the key as soon as you stand on it, then look for the gate and unlock it. Prefer rooms that you haven't seen: go north, go east, go south, go west.",
    ],
    solutionAsHint,
  ],
  [
    "order-desk",
    [
      "find_customer by name, list_orders with the id you get, pick the late one, ask order_price for its exact price, refund that amount, and answer with the receipt's code: <answer>R…</answer>.",
    ],
    ({ solutions }) =>
      `Call refund for ${/order_id":"(\w+)/.exec(solutions[1]?.actions.join() ?? "")?.[1]} first.`,
  ],
  [
    "thirty-locks",
    [
      "Try the keys in a fixed order, red, blue, green, white, note which one opened each lock, and repeat the list after every reset before trying the next.",
    ],
    (subject) => solutionAsHint(subject).replaceAll(", then", ","),
  ],
  [
    "vault-dial",
    [
      "Listen first. Turn in the direction it names, by halves of the distance that cold, warm and hot allow, e.g. \\boxed{turn left 5}; press only when one mark is left. Three tumblers, then open.",
    ],
    solutionAsHint,
  ],
];

describe.each(byHand)("hints for %s", (name, good, leak) => {
  let subject: HintSubject;
  beforeAll(async () => {
    subject = await subjectOf(await readFile(`tests/support/environments/good/${name}.js`, "utf8"));
  });

  it("may say how to go about it", () => {
    for (const hint of good) expect(hintProblem(hint, subject)).toBeNull();
  });

  it("may not say what wins", () => {
    expect(hintProblem(leak(subject), subject)).not.toBeNull();
  });
});

describe("hints of the embedded designer", () => {
  const skills: readonly Skill[] = [...gameSkills, ...toolUseSkills];

  it.each(skills)("for %s give nothing away, and its solutions do", async (skill) => {
    for (const [seed, difficulty] of (["easy", "medium", "hard"] as const).entries()) {
      const messages = designMessages({
        kind: kindOfSkill(skill),
        language: "javascript",
        skill,
        difficulty,
        turnCap: 25,
        brief: null,
        document: {
          id: "d1",
          title: "Harbor",
          text: "The master keeps a ledger of ships, gauges and cranes.",
        },
        memory: "",
      });
      const call = { messages, seed: 31 * seed + skill.length, weights: initialDesignerWeights() };
      const { source } = readDesign(designAnswer(call).text, "javascript");
      const subject = await subjectOf(source ?? expect.fail("no source"));
      const asked = hintMessages({
        source: subject.source,
        firstObservation: subject.firstObservations?.[0] ?? "",
      });
      const again = [...asked, new AIMessage("A hint."), new HumanMessage("Write it again.")];
      for (const conversation of [asked, again]) {
        const { text } = hintAnswer({ ...call, messages: conversation });
        expect(hintProblem(text, subject), `${text}\n${subject.source.split("\n")[0]}`).toBeNull();
      }
      expect(hintProblem(solutionAsHint(subject), subject), solutionAsHint(subject)).not.toBeNull();
    }
  });
});
