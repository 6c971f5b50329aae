/** Answers of a designer that no environment can come of. */
import type { Design } from "./design.ts";

function bad(name: string, answer: string): Design {
  return {
    name,
    kind: null,
    answers: [answer],
    hint: "There is nothing to hint at.",
    knows: () => false,
    play: () => "\\boxed{look}",
  };
}

const block = (code: string) => `Here it is.\n\n\`\`\`javascript\n${code}\n\`\`\`\n`;

export const prose = bad(
  "prose",
  "I would rather talk about what makes an environment good: it should be fair, varied and short.",
);

export const brokenCode = bad(
  "broken code",
  block(`class BrokenEnv {
  static maxTurns = 5;
  reset(seed) { return { observation: "Say (, info: {} };
  step(action { return }
}`),
);

export const codeWithoutClass = bad(
  "code without a class",
  block("function reset() { return 1; }\nconst step = (action) => action;"),
);

/** Two megabytes of an otherwise fine environment. */
export const hugeCode = bad(
  "huge code",
  block(`class HugeEnv {
  static maxTurns = 5;
  reset(seed) { this.words = [${'"filler",'.repeat(220_000)}]; return { observation: "Say word N.", info: {} }; }
  step(action) { return { observation: "No.", reward: 0, terminated: false, truncated: false, info: {} }; }
  solution() { return ["word 1"]; }
}`),
);

export const nothing = bad("nothing", "");
