/** Faults that show before anybody tries to win: source, contract, robustness, determinism and seeding. */
import { type Fault, fault } from "./fault.ts";
import { edited, good } from "./read.ts";

export const faultsOfForm: readonly Fault[] = [
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
];
