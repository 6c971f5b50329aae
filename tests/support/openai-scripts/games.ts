/** Games that the scripted designer writes: what they are in code, the hint for them, and how they are played. */
import { type Design, lastNumbers, pickNumber } from "./design.ts";

/** A crate on one of many shelves: halve the interval. */
export const shelfSearch: Design = {
  name: "ShelfSearchEnv",
  kind: "game",
  answers: [
    String.raw`The player finds a crate by halving an interval of shelves.

${"```"}javascript
// tags: interval-search, interval-search/shelves
class ShelfSearchEnv {
  static maxTurns = 8;
  reset(seed) {
    this.shelves = 120;
    this.crate = 1 + Math.floor(Math.random() * this.shelves);
    this.turn = 0;
    return { observation: this.rules(), info: { shelves: this.shelves } };
  }
  rules() {
    return "Warehouse. A crate stands on one of 120 shelves, numbered 1 to 120 from the door to the wall. " +
      "Command: probe N, with N a whole number from 1 to 120. After each probe you hear whether the crate stands " +
      "nearer to the door or nearer to the wall. Probe its own shelf within 8 turns to win.";
  }
  step(action) {
    this.turn += 1;
    const found = /probe\s+(\d{1,4})/.exec(String(action));
    const over = this.turn >= 8;
    if (found === null) {
      return { observation: "The clerk waits for a command like probe N.", reward: 0, terminated: false, truncated: over, info: {} };
    }
    const shelf = Number(found[1]);
    if (shelf === this.crate) {
      return { observation: "There it is: the crate is found.", reward: 1, terminated: true, truncated: false, info: {} };
    }
    const side = shelf > this.crate ? "nearer to the door" : "nearer to the wall";
    return { observation: "The crate stands " + side + " than shelf " + shelf + ".", reward: 0, terminated: false, truncated: over, info: {} };
  }
  solution() {
    return ["probe " + this.crate];
  }
}
${"```"}
`,
  ],
  hint: "Halve what is left with every probe: start in the middle, then always take the middle of the part that still can hold the crate.",
  knows: (first) => first.startsWith("Warehouse."),
  play({ heard, careful, random }) {
    let [low, high] = [1, 120];
    for (const text of heard) {
      const [, side, shelf] = /nearer to the (door|wall) than shelf (\d+)/.exec(text) ?? [];
      if (side === "door") high = Math.min(high, Number(shelf) - 1);
      if (side === "wall") low = Math.max(low, Number(shelf) + 1);
    }
    const shelf = careful ? Math.floor((low + high) / 2) : pickNumber(random, 1, 120);
    return `I look for the crate between ${low} and ${high}. \\boxed{probe ${shelf}}`;
  },
};

/** Three hidden dials: keep the settings that every answer allows. */
export const dialConsole: Design = {
  name: "DialConsoleEnv",
  kind: "game",
  answers: [
    String.raw`The player finds a setting of three dials from how many of them are right.

${"```"}javascript
// tags: hidden-code, hidden-code/3x6
class DialConsoleEnv {
  static maxTurns = 9;
  reset(seed) {
    this.dials = [0, 1, 2].map(() => Math.floor(Math.random() * 6));
    this.used = 0;
    return {
      observation:
        "Console. Three dials, each with the positions 0 to 5, hold a secret setting. Command: set A B C, for example " +
        "set 0 0 0. You are told how many of the three dials are right, not which ones. Set all three right within 9 turns.",
      info: {},
    };
  }
  step(action) {
    this.used += 1;
    const read = /set\s+(\d)\s+(\d)\s+(\d)/.exec(String(action));
    let observation = "The console only takes set A B C.";
    let won = false;
    if (read !== null) {
      const right = this.dials.filter((dial, place) => dial === Number(read[place + 1])).length;
      won = right === 3;
      observation = won ? "The console unlocks." : ["No dial is", "One dial is", "Two dials are"][right] + " right.";
    }
    return { observation, reward: won ? 1 : 0, terminated: won, truncated: !won && this.used >= 9, info: {} };
  }
  solution() {
    return ["set " + this.dials.join(" ")];
  }
}
${"```"}
`,
  ],
  hint: "Write down every setting you tried with its answer, and only try settings that agree with all answers so far.",
  knows: (first) => first.startsWith("Console."),
  play({ said, heard, careful, random }) {
    const rights = ["No dial", "One dial", "Two dials"];
    const tried = heard.flatMap((text, turn) => {
      const right = rights.findIndex((words) => text.startsWith(words));
      return right < 0 ? [] : [{ dials: lastNumbers(said[turn] ?? "").slice(-3), right }];
    });
    const all = Array.from({ length: 216 }, (_, i) => [Math.floor(i / 36), Math.floor(i / 6) % 6, i % 6]);
    const possible = all.filter((setting) =>
      tried.every(({ dials, right }) => setting.filter((dial, i) => dial === dials[i]).length === right),
    );
    const setting = random.pick(careful && possible.length > 0 ? possible : all);
    return `${possible.length} settings are possible.\n\\boxed{set ${setting.join(" ")}}`;
  },
};

const bridge = (reading: string) => `The player crosses a bridge row by row.

${"```"}javascript
// tags: row-by-row, row-by-row/5x9
class RopeBridgeEnv {
  static maxTurns = 20;
  reset(seed) {
    this.sound = Array.from({ length: 5 }, () => 1 + Math.floor(Math.random() * 9));
    this.row = 0;
    this.moves = 0;
    return {
      observation:
        "Rope bridge. It has five rows of nine boards, and one board of each row carries you. Command: step N, with N from " +
        "1 to 9 counted from the left. On a rotten board you hear on which side the sound one is. Cross within 20 turns.",
      info: {},
    };
  }
  step(action) {
    this.moves += 1;
    ${reading}
    const sound = this.sound[this.row];
    let observation;
    if (board === sound) {
      this.row += 1;
      observation = this.row === 5 ? "You are across." : "It holds. Rows behind you: " + this.row + ".";
    } else if (board >= 1 && board <= 9) {
      observation = "Rotten! The sound board is further to the " + (board < sound ? "right" : "left") + ".";
    } else {
      observation = "You stand still; say step N.";
    }
    const won = this.row === 5;
    return { observation, reward: won ? 1 : 0, terminated: won, truncated: !won && this.moves >= 20, info: {} };
  }
  solution() {
    return this.sound.map((board) => "step " + board);
  }
}
${"```"}
`;

/** Throws on an action without a number, and is mended once the gate says so. */
export const ropeBridge: Design = {
  name: "RopeBridgeEnv",
  kind: "game",
  answers: [
    bridge(String.raw`const board = Number(/step\s+(\d+)/.exec(action)[1]);`),
    bridge(String.raw`const board = Number((/step\s+(\d{1,3})/.exec(String(action)) || [0, 0])[1]);`),
  ],
  hint: "In each row begin with the middle board, and let each answer halve the boards that are left. Forget all of it in the next row.",
  knows: (first) => first.startsWith("Rope bridge."),
  play({ said, heard, careful, random }) {
    let [low, high] = [1, 9];
    for (const [turn, text] of heard.entries()) {
      const board = lastNumbers(said[turn] ?? "").at(-1) ?? 0;
      if (text.startsWith("It holds")) [low, high] = [1, 9];
      else if (text.includes("to the left")) high = Math.min(high, board - 1);
      else if (text.includes("to the right")) low = Math.max(low, board + 1);
    }
    const board = careful ? Math.floor((low + high) / 2) : pickNumber(random, 1, 9);
    return `Between ${low} and ${high}.\n\n\\boxed{step ${board}}`;
  },
};
