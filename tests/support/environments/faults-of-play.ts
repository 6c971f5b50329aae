/** Faults that show in play: what can't be won or needs no skill, what leaks or never reacts, what never ends. */
import { type Fault, fault } from "./fault.ts";
import { blindCode, chattyCode, deafDesk, sumQuiz } from "./quizzes.ts";
import { edited, good } from "./read.ts";

export const faultsOfPlay: readonly Fault[] = [
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
