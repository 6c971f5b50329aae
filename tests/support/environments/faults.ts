/** Environments with one fault each: good ones with a line or two changed, so that exactly one gate fails. */
import type { GateName } from "../../../config/words.ts";
import { blindCode, chattyCode, deafDesk, sumQuiz } from "./quizzes.ts";
import { edited, good } from "./read.ts";

export interface Fault {
  readonly gate: GateName;
  readonly what: string;
  readonly source: string;
  /** A word or two that the gate's sentence must contain, so that a designer learns what was seen. */
  readonly says: RegExp;
}

const fault = (gate: GateName, what: string, source: string, says: RegExp): Fault => ({
  gate,
  what,
  source,
  says,
});

export const faults: readonly Fault[] = [
  fault("parse", "a brace is missing", good("vault-dial").replace(/\}\s*$/, ""), /does not parse/),
  fault(
    "parse",
    "no class whose name ends in Env",
    edited("lamp-board", ["LampBoardEnv", "LampBoard"]),
    /no class whose name ends in Env/,
  ),
  fault("parse", "no step method", edited("old-cellar", ["  step(", "  advance("]), /no step\(action\)/),
  fault(
    "parse",
    "two classes of the contract",
    `${good("nim-keeper")}\n${good("lamp-board")}`,
    /2 classes whose names end in Env/,
  ),
  fault("parse", "an import", `import fs from "node:fs";\n${good("nim-keeper")}`, /no imports/),
  fault(
    "parse",
    "a constructor that throws",
    edited("vault-dial", ["this.size = 40;", "this.size = this.marks.length;"]),
    /does not load: TypeError/,
  ),

  fault(
    "contract",
    "a reward of 50",
    edited("vault-dial", ['falls into place.", 0,', 'falls into place.", 50,']),
    /reward 50; .*±10/,
  ),
  fault(
    "contract",
    "a reward that is no number, for one command only",
    edited("vault-dial", ['the door does not move.", 0,', 'the door does not move.", "none",']),
    /a string as its reward/,
  ),
  fault(
    "contract",
    "an empty first observation",
    edited("thirty-locks", ['"A corridor with thirty', '"" && "A corridor with thirty']),
    /empty observation/,
  ),
  fault(
    "contract",
    "two tools of one name",
    edited("file-cabinet", ['name: "list_drawers"', 'name: "read_drawer"']),
    /read_drawer twice/,
  ),

  fault(
    "robust",
    "throws on a command without a number",
    edited("nim-keeper", ["exec(String(action))?.[1] ?? 0)", "exec(String(action))[1])"]),
    /turn 1, action .* threw: TypeError/,
  ),
  fault(
    "robust",
    "throws on an answer with quotes",
    edited("order-desk", [
      "  solution() {",
      "  checkAnswer(answer) {\n    return JSON.parse('\"' + answer + '\"') === this.receipt;\n  }\n\n  solution() {",
    ]),
    /SyntaxError/,
  ),
  fault(
    "robust",
    "throws on an unknown direction in the middle of a game",
    edited("vault-dial", [
      "const steps = Number(amount);",
      "const steps = Number(amount);\n    if (this.set > 0) ({ left: 1, right: 2 })[direction].toFixed();",
    ]),
    /threw: TypeError/,
  ),

  fault(
    "determinism",
    "counts episodes outside the class",
    `let visitors = 0;\n${edited("vault-dial", [
      'this.state(),\n    ].join("\\n")',
      '"You are visitor " + ++visitors + ".",\n      this.state(),\n    ].join("\\n")',
    ])}`,
    /has played other episodes differ/,
  ),
  fault(
    "determinism",
    "counts steps in a static field",
    edited("nim-keeper", [
      "{ observation: this.tell(news), reward: 0, terminated: false, truncated, info: {} }",
      "{ observation: this.tell(news), reward: 0, terminated: false, truncated, info: { total: (NimKeeperEnv.total = (NimKeeperEnv.total || 0) + 1) } }",
    ]),
    /info "\{'total':\d+\}" and/,
  ),

  fault(
    "seeding",
    "every seed is the same board",
    edited(
      "lamp-board",
      ["Math.floor(Math.random() * (i + 1))", "0"],
      ["Math.floor(Math.random() * 3)", "1"],
    ),
    /only one instance/,
  ),
  fault(
    "seeding",
    "the seed is merely printed",
    edited(
      "thirty-locks",
      [
        "Array.from({ length: 30 }, () => this.colours[Math.floor(Math.random() * 4)])",
        "Array.from({ length: 30 }, (_, i) => this.colours[(i * i + (i >> 2)) % 4])",
      ],
      ['"A corridor', '"Corridor " + seed + " (0x" + seed.toString(16) + ").\\nA corridor'],
    ),
    /only one instance/,
  ),
  fault(
    "seeding",
    "two instances, one for odd and one for even seeds",
    edited("thirty-locks", [
      "() => this.colours[Math.floor(Math.random() * 4)]",
      "(_, i) => this.colours[(i * i + (i >> 2) + (seed % 2) * i) % 4]",
    ]),
    /only 2 instances/,
  ),

  fault(
    "winnable",
    "the solution leaves the last action out",
    edited("vault-dial", ['    actions.push("open");\n', ""]),
    /still goes on after all \d+ actions/,
  ),
  fault(
    "winnable",
    "the solution wins on some seeds only",
    edited("caravan-trade", [
      'if (day < 13 && this.prices[day + 1] > price) return "buy";',
      'if (day < 7) return "buy";',
    ]),
    /terminated with reward 0/,
  ),
  fault(
    "winnable",
    "solution() throws",
    edited("lamp-board", ["return this.needed.map(", "return this.missing.map("]),
    /solution\(\) failed .* TypeError/,
  ),
  fault(
    "winnable",
    "no solution()",
    edited("nim-keeper", ["  solution() {", "  answers() {"]),
    /There is no solution\(\)/,
  ),

  fault(
    "non-trivial",
    "two locks instead of thirty",
    edited("thirty-locks", ["length: 30", "length: 2"], ["this.at === 30", "this.at === 2"]),
    /wins \d+ of \d+ episodes/,
  ),
  fault(
    "non-trivial",
    "a goal that nearly every play reaches",
    edited("caravan-trade", ["Math.floor(this.best() * 0.8)", "Math.floor(this.best() * 0.2)"]),
    /wins \d+ of \d+ episodes/,
  ),
  fault(
    "non-trivial",
    "an answer that is one of four",
    edited(
      "file-cabinet",
      [".slice(0, 6)", ".slice(0, 4)"],
      ["this.expectedAnswer = this.total;", "this.expectedAnswer = this.path[2].name;"],
      ['"<answer>" + this.total + "</answer>"', '"<answer>" + this.path[2].name + "</answer>"'],
    ),
    /wins \d+ of \d+ episodes/,
  ),

  fault(
    "non-trivial",
    "one hit on a small sea is enough",
    edited("sea-grid", ["this.hits.size === 3", "this.hits.size === 1"]),
    /wins \d+ of \d+ episodes/,
  ),
  fault(
    "non-trivial",
    "one menu of four",
    edited("tale-of-doors", ["this.room === 5", "this.room === 1"]),
    /wins \d+ of \d+ episodes/,
  ),
  fault(
    "non-trivial",
    "more misses allowed than there are letters",
    edited(
      "word-gallows",
      ["this.misses >= 5", "this.misses >= 50"],
      ["maxTurns = 16", "maxTurns = 80"],
      ["this.turn >= 16", "this.turn >= 80"],
    ),
    /wins \d+ of \d+ episodes/,
  ),
  fault(
    "non-trivial",
    "requests that nobody checks",
    edited(
      "garden-messages",
      ["state.beds[this.first] === this.cure", "true"],
      ["state.water === this.litres && state.bed === this.first", "true"],
    ),
    /wins \d+ of \d+ episodes/,
  ),

  fault(
    "no-leak",
    "the keys are listed in order",
    edited("thirty-locks", ['"Open: 0 of 30"', '"Keys: " + this.order.join(", ") + "\\nOpen: 0 of 30"']),
    /every seed-dependent value/,
  ),
  fault(
    "no-leak",
    "a reference number that holds everything",
    edited("order-desk", [
      'Answer with: receipt code. Turns: 12."',
      'Reference: " + [this.wanted.id, this.order.id, this.order.price, this.receipt].join("/")',
    ]),
    /every seed-dependent value/,
  ),
  fault(
    "no-leak",
    "a plan of any length",
    edited("lamp-board", [
      "this.board(),\n      info: {}",
      'this.board() + "\\nPlan: " + this.solution().join("; "),\n      info: {}',
    ]),
    /every seed-dependent value/,
  ),

  fault("interactive", "a sum to work out", sumQuiz, /answered alike/),
  fault("interactive", "a code to guess blindly, with a help command", blindCode, /answered alike/),
  fault(
    "interactive",
    "a code to guess blindly, with repeats noticed, attempts counted and a hint",
    chattyCode,
    /answered alike/,
  ),
  fault("interactive", "tools that always say the same", deafDesk, /answered alike/),

  fault(
    "termination",
    "never ends by itself",
    edited("vault-dial", ["!terminated && this.turn >= VaultDialEnv.maxTurns", "false"]),
    /still goes on after 24 turns/,
  ),
  fault(
    "termination",
    "nonsense takes no turn",
    edited("old-cellar", [
      "    let won = false;",
      "    let won = false;\n    if (!/^(go|take|unlock) /.test(command)) this.turn -= 1;",
    ]),
    /still goes on after 20 turns/,
  ),
  fault(
    "termination",
    "one harmless command takes no turn",
    edited("vault-dial", [
      'if (command === "listen") return',
      'if (command === "listen") this.turn -= 1;\n    if (command === "listen") return',
    ]),
    /still goes on after 24 turns.*listen/,
  ),
  fault(
    "termination",
    "one turn too many",
    edited("nim-keeper", ["this.turn >= 12", "this.turn > 12"]),
    /still goes on after 12 turns/,
  ),

  fault(
    "resources",
    "a loop without end in one state",
    edited("vault-dial", ["    this.jams += 1;\n", "    this.jams += 1;\n    while (this.jams === 2);\n"]),
    /ran over its limits/,
  ),
  fault(
    "resources",
    "memory without end on nonsense",
    edited("nim-keeper", [
      "if (count < 1 ||",
      "const kept = [];\n    while (count < 1) kept.push(new Array(1000).fill(kept.length));\n    if (count < 1 ||",
    ]),
    /ran over its limits/,
  ),
  fault(
    "resources",
    "a pattern that explodes on long input",
    edited("lamp-board", [
      "/press\\s+([1-4])\\s+([1-4])/.exec",
      "/press\\s+([1-4])\\s+([1-4])|^(\\\\|\\w|\\{|x+)+!$/.exec",
    ]),
    /ran over its limits/,
  ),
  fault("resources", "a loop while loading", `${good("old-cellar")}\nfor (;;);`, /ran over its limits/),
];
