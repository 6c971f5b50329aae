/**
 * Designs that a scripted designer answers with: small environments of three mechanics that pass every gate, and the
 * hints that go with them. Sizes make two of one mechanic different enough to be new.
 */

/** A hidden number, found by asking whether it is higher or lower. */
export function numberSearch(name: string, top: number, turns: number): string {
  return `// tags: number-search
class ${name}Env {
  static maxTurns = ${turns};
  reset(seed) {
    this.state = (seed * 7919 + 104729) % 2147483647;
    for (let i = 0; i < 5; i += 1) this.state = (this.state * 48271) % 2147483647;
    this.hidden = 1 + (this.state % ${top});
    this.turn = 0;
    return {
      observation: "A number between 1 and ${top} is hidden. Each turn say guess N inside the box, N being a whole number. You are told whether the hidden number is higher or lower. You win by guessing it within ${turns} turns.",
      info: {},
    };
  }
  step(action) {
    this.turn += 1;
    const match = /guess\\s+(-?\\d{1,9})/.exec(action);
    const out = this.turn >= ${turns};
    if (match === null) {
      return { observation: "Say guess N. Nothing was guessed in turn " + this.turn + ".", reward: 0, terminated: false, truncated: out, info: {} };
    }
    const guess = Number(match[1]);
    if (guess === this.hidden) {
      return { observation: "That is it.", reward: 1, terminated: true, truncated: false, info: {} };
    }
    const word = guess < this.hidden ? "higher" : "lower";
    return { observation: "The hidden number is " + word + " than " + guess + ".", reward: 0, terminated: false, truncated: out, info: {} };
  }
  solution() {
    return ["guess " + this.hidden];
  }
}
`;
}

/** A row of switches with one right setting; each turn tells how many stand right. */
export function switches(name: string, count: number, turns: number): string {
  return `// tags: switches
class ${name}Env {
  static maxTurns = ${turns};
  reset(seed) {
    let state = (seed * 31337 + 12345) % 2147483647;
    const draw = () => {
      state = (state * 16807 + 11) % 2147483647;
      return (state >> 8) & 1;
    };
    for (let i = 0; i < 7; i += 1) draw();
    this.goal = Array.from({ length: ${count} }, draw);
    this.row = Array.from({ length: ${count} }, () => 0);
    if (this.goal.every((bit) => bit === 0)) this.goal[${count} - 1] = 1;
    this.turn = 0;
    return {
      observation: "There are ${count} switches, numbered 1 to ${count}, all off. One setting opens the lock. Say flip K inside the box to turn switch K. You are told how many switches stand right. You win when all do, within ${turns} turns. At first " + this.right() + " stand right.",
      info: {},
    };
  }
  right() {
    return this.row.filter((bit, i) => bit === this.goal[i]).length;
  }
  step(action) {
    this.turn += 1;
    const match = /flip\\s+(\\d{1,3})/.exec(action);
    const k = match === null ? 0 : Number(match[1]);
    if (k >= 1 && k <= ${count}) this.row[k - 1] = 1 - this.row[k - 1];
    const won = this.right() === ${count};
    const told = k >= 1 && k <= ${count} ? "Switch " + k + " is " + (this.row[k - 1] ? "on" : "off") + "." : "Nothing was flipped.";
    return {
      observation: won ? "The lock opens." : told + " " + this.right() + " stand right.",
      reward: won ? 1 : 0,
      terminated: won,
      truncated: !won && this.turn >= ${turns},
      info: {},
    };
  }
  solution() {
    return this.goal.flatMap((bit, i) => (bit === 1 ? ["flip " + (i + 1)] : []));
  }
}
`;
}

/** A ledger that tools read: the answer is the balance of the account whose owner the task names. */
export function ledger(name: string, accounts: number, turns: number): string {
  return `// tags: ledger
class ${name}Env extends ToolUseBaseEnv {
  static maxTurns = ${turns};
  reset(seed) {
    let state = (seed * 48611 + 777) % 2147483647;
    const draw = (n) => {
      state = (state * 48271 + 13) % 2147483647;
      return Math.floor(state / 7) % n;
    };
    for (let i = 0; i < 6; i += 1) draw(10);
    const owners = ["Ada", "Bo", "Cleo", "Dov", "Eli", "Fay", "Gus", "Hana", "Ivo", "Jun"].slice(0, ${accounts});
    this.accounts = owners.map((owner, i) => ({ owner, number: "A" + (100 + draw(900)) + i, balance: 50 + draw(5000) }));
    const wanted = this.accounts[draw(${accounts})];
    this.wanted = wanted;
    this.expectedAnswer = wanted.balance;
    return {
      observation: "A ledger holds ${accounts} accounts. Answer with the balance of " + wanted.owner + "'s account. find_account gives an owner's account number, read_balance the balance of a number. Answer within ${turns} turns.",
      info: {},
    };
  }
  tools() {
    return [
      { name: "find_account", description: "The account number of an owner.", parameters: { type: "object", properties: { owner: { type: "string" } }, required: ["owner"] } },
      { name: "read_balance", description: "The balance of an account number.", parameters: { type: "object", properties: { number: { type: "string" } }, required: ["number"] } },
    ];
  }
  tool_find_account(args) {
    const found = this.accounts.find((account) => account.owner === args.owner);
    return found === undefined ? "No account of " + String(args.owner) + "." : "Account number " + found.number;
  }
  tool_read_balance(args) {
    const found = this.accounts.find((account) => account.number === args.number);
    return found === undefined ? "No account " + String(args.number) + "." : "Balance " + found.balance;
  }
  solution() {
    const call = (name, args) => "<tool_call>" + JSON.stringify({ name, arguments: args }) + "</tool_call>";
    return [
      call("find_account", { owner: this.wanted.owner }),
      call("read_balance", { number: this.wanted.number }),
      "<answer>" + this.expectedAnswer + "</answer>",
    ];
  }
}
`;
}

/** A whole answer of a designer: a sentence and the code. */
export function answerWith(source: string): string {
  return `A small environment of one mechanic.\n\n\`\`\`javascript\n${source}\`\`\`\n`;
}

export const hints = {
  "number-search": "Halve the interval that is left with every guess, and keep both ends in mind.",
  switches: "Flip one switch at a time; take a flip back if fewer switches stand right afterwards.",
  ledger: "First find the account by its owner, then read its balance, then answer with that number alone.",
} as const;

/** The hint that fits a source, by its tag. */
export function hintFor(source: string): string {
  const tag = /\/\/ tags: ([a-z-]+)/.exec(source)?.[1];
  const found = Object.entries(hints).find(([name]) => name === tag);
  return found?.[1] ?? "Look at what each answer tells you before you go on.";
}
