/** Environments that answer whatever is tried alike: quizzes, not environments. */

/** A sum to work out; the echo of the guess and the count of turns are all that changes. */
export const sumQuiz = `
class SumQuizEnv {
  static maxTurns = 8;

  reset(seed) {
    this.turn = 0;
    this.parts = Array.from({ length: 4 }, () => 10 + Math.floor(Math.random() * 90));
    return {
      observation: "Multiply the first two numbers, then add the others: " + this.parts.join(", ") +
        ".\\nCommands: answer <number>. Format: \\\\boxed{answer 5}.",
      info: {},
    };
  }

  result() {
    return this.parts[0] * this.parts[1] + this.parts[2] + this.parts[3];
  }

  step(action) {
    this.turn += 1;
    const given = /answer (\\d+)/.exec(action);
    if (!given) return { observation: "Turn " + this.turn + ": say answer and a number.", reward: 0, terminated: false, truncated: this.turn >= 8, info: {} };
    const right = Number(given[1]) === this.result();
    return {
      observation: right ? "Right." : "Turn " + this.turn + ": " + given[1] + " is wrong, try again. " + (8 - this.turn) + " turns left.",
      reward: right ? 1 : 0,
      terminated: right,
      truncated: !right && this.turn >= 8,
      info: {},
    };
  }

  solution() {
    return ["answer " + this.result()];
  }
}
`;

/** A code that can only be guessed blindly; a help command that always says the same does not make it interactive. */
export const blindCode = `
class BlindCodeEnv {
  static maxTurns = 10;

  reset(seed) {
    this.turn = 0;
    this.tried = [];
    this.code = String(1000 + Math.floor(Math.random() * 9000));
    return {
      observation: "A safe with a code of four digits.\\nCommands: try <code>, help. Format: \\\\boxed{try 1234}. 10 turns.",
      info: {},
    };
  }

  step(action) {
    this.turn += 1;
    const truncated = this.turn >= 10;
    if (/\\bhelp\\b/.test(action)) {
      return { observation: "Say try and four digits to turn the wheels of the safe.", reward: 0, terminated: false, truncated, info: {} };
    }
    const given = /try (\\w+)/.exec(action);
    if (!given) return { observation: "Pardon?", reward: 0, terminated: false, truncated, info: {} };
    this.tried.push(given[1]);
    const right = given[1] === this.code;
    return {
      observation: right ? "It opens." : "It stays shut. Tried so far: " + this.tried.join(", "),
      reward: right ? 1 : 0,
      terminated: right,
      truncated: truncated && !right,
      info: {},
    };
  }

  solution() {
    return ["try " + this.code];
  }
}
`;

/** Without the help, but it notices repeats, counts attempts and drops a hint: still nothing answers what was tried. */
export const chattyCode = blindCode
  .replace(", help.", ".")
  .replace("/\\bhelp\\b/", "/^$/")
  .replace(
    "    this.tried.push(given[1]);",
    '    const again = this.tried.includes(given[1]);\n    this.tried.push(given[1]);\n    const hint = " Attempts left: " + (10 - this.tried.length) + ". Hint: the code begins with " + this.code[0] + ".";',
  )
  .replace(
    '"It stays shut. Tried so far: " + this.tried.join(", ")',
    '(again ? "You tried that before." : "It stays shut.") + hint',
  );

/** Tools that say the same whatever they are given. */
export const deafDesk = `
class DeafDeskEnv extends ToolUseBaseEnv {
  static maxTurns = 8;

  reset(seed) {
    this.amounts = Array.from({ length: 5 }, () => 100 + Math.floor(Math.random() * 900));
    this.expectedAnswer = this.amounts.reduce((sum, one) => sum + one, 0);
    return { observation: "File the bills of " + this.amounts.join(", ") + " and answer with their sum.", info: {} };
  }

  tools() {
    const parameters = { type: "object", properties: { bill: { type: "number" } }, required: ["bill"] };
    return [
      { name: "file_bill", description: "Files a bill.", parameters },
      { name: "drop_bill", description: "Drops a bill.", parameters },
    ];
  }

  tool_file_bill() {
    return { ok: true };
  }

  tool_drop_bill() {
    return { ok: true };
  }

  solution() {
    return ["<answer>" + this.expectedAnswer + "</answer>"];
  }
}
`;
