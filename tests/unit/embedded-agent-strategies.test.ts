/** Each strategy's next step after a hand-written history. */
import { describe, expect, test } from "vitest";
import { combine } from "../../graph/models/embedded/agent/strategies/toggle.ts";
import { next } from "../support/embedded-next.ts";

const commands = (...lines: string[]) => ["Commands:", ...lines.map((line) => `- ${line}.`)].join("\n");

test("random has no opinion", () => {
  expect(next("random", commands("look: look around"))).toBeNull();
});

describe("bisect", () => {
  const guess = `${commands("guess <number>: name a value; <number> from 1 to 64")}\nProgress: 0 of 2\nRange: 1 to 64`;
  const shown = (result: string, progress = 0, range = "1 to 64") =>
    `Turn 1 of 9.\nResult: ${result}.\nProgress: ${progress} of 2\nRange: ${range}`;

  test("names the middle and moves the end that the reply moves", () => {
    expect(next("bisect", guess)).toBe("guess 32");
    expect(next("bisect", guess, [["guess 32", shown("too low")]])).toBe("guess 48");
    expect(
      next("bisect", guess, [
        ["guess 32", shown("too low")],
        ["guess 48", shown("too high, warm")],
      ]),
    ).toBe("guess 40");
  });

  test("begins afresh at the next part", () => {
    expect(next("bisect", guess, [["guess 32", shown("found", 1, "100 to 110")]])).toBe("guess 105");
  });

  test("decides only when one value is left", () => {
    const two = `${commands(
      "probe <number>: ask, tells more; <number> from 1 to 3",
      "name <number>: say it, a wrong one ends the episode; <number> from 1 to 3",
    )}\nRange: 1 to 3`;
    expect(next("bisect", two)).toBe("probe 2");
    expect(next("bisect", two, [["probe 2", "Result: too low."]])).toBe("name 3");
    expect(next("bisect", two, [["probe 2", "Result: even."]])).toBe("name 2");
  });

  test("keeps to the steps of the range, and needs a number to name", () => {
    const coarse = `${commands("guess <number>: name a value; <number> from 10 to 40 in steps of 10")}\nRange: 10 to 40`;
    expect(next("bisect", coarse)).toBe("guess 20");
    expect(next("bisect", coarse, [["guess 20", "Result: too low."]])).toBe("guess 30");
    expect(next("bisect", commands("look: look around"))).toBeNull();
  });

  test("understands other people's words", () => {
    const prose = "I think of a number between 1 and 100. Answer with \\boxed{guess 50}, for example.";
    expect(next("bisect", prose)).toBe("guess 50");
    expect(next("bisect", prose, [["guess 50", "My number is higher than that!"]])).toBe("guess 75");
    expect(
      next("bisect", prose, [
        ["guess 50", "Lower."],
        ["guess 25", "Higher."],
      ]),
    ).toBe("guess 37");
  });
});

describe("eliminate", () => {
  const lock = (rules: string) =>
    `Rules:\n- A code has 2 symbols${rules}.\n${commands("try <code>: try a code; <code> is 2 of: a, b, c")}`;

  test("tries only what every reply allows", () => {
    const history = [["try a b", "Result: 0 in place, 1 elsewhere."]] as const;
    // One of a and b, at the other's place: c a or b c.
    expect(["try c a", "try b c"]).toContain(next("eliminate", lock(", all different"), history));
    expect(
      next("eliminate", lock(", all different"), [
        ...history,
        ["try c a", "Result: 0 in place, 1 elsewhere."],
      ]),
    ).toBe("try b c");
  });

  test("knows replies that count places alone", () => {
    const history = [
      ["try a a", "Result: 0 in place."],
      ["try b b", "Result: 1 in place."],
      ["try b c", "Result: 0 in place."],
    ] as const;
    expect(next("eliminate", lock(", and a symbol may stand in it more than once"), history)).toBe("try c b");
  });

  test("never gives a word a deed that was wrong for it", () => {
    const words = `The rules: no two words for the same.\n${commands("give <deed>: answer; <deed> one of: nod, bow, hop")}\nWord: zor`;
    const history = [
      ["give nod", "Result: wrong.\nWord: zor"],
      ["give bow", "Result: right.\nWord: vek"],
    ] as const;
    expect(next("eliminate", words, history)).toBe("give nod");
    expect(next("eliminate", words, [...history, ["give nod", "Result: wrong.\nWord: zor"]])).toBe(
      "give bow",
    );
    expect(next("eliminate", words, [...history, ["give nod", "Result: wrong.\nWord: vek"]])).toBe(
      "give hop",
    );
  });
});

describe("explore", () => {
  const cellar = `${commands("go <place>: go there; <place> one of: hall, attic, yard, barn", "take: take the key", "unlock: open the door, ends the work")}\n`;
  const at = (place: string, exits: string, here: string, hum: number, holding = "nothing") =>
    `Place: ${place}\nExits: ${exits}\nHere: ${here}\nHum: ${hum}\nHolding: ${holding}`;

  test("turns round when the hum grows, and keeps out of the dark", () => {
    const opening = cellar + at("hall", "attic, pit (dark), yard", "nothing", 2);
    expect(next("explore", opening)).toBe("go attic");
    expect(next("explore", opening, [["go attic", at("attic", "hall", "nothing", 3)]])).toBe("go hall");
    const back = [
      ["go attic", at("attic", "hall", "nothing", 3)],
      ["go hall", at("hall", "attic, pit (dark), yard", "nothing", 2)],
    ] as const;
    expect(next("explore", opening, back)).toBe("go yard");
  });

  test("takes what is needed, and walks known ways to the door", () => {
    const opening = cellar + at("hall", "attic, yard", "door", 1);
    const found = ["go yard", at("yard", "hall", "key", 0)] as const;
    expect(next("explore", opening, [found])).toBe("take");
    const held = ["take", at("yard", "hall", "nothing", 1, "key")] as const;
    expect(next("explore", opening, [found, held])).toBe("go hall");
    const there = ["go hall", at("hall", "attic, yard", "door", 0, "key")] as const;
    expect(next("explore", opening, [found, held, there])).toBe("unlock");
  });
});

describe("ratio", () => {
  const shop = (worth: string, left: number) =>
    `${commands("take <item>: takes an item; <item> one of: rope, lamp, gem", "close: ends the work, a wrong one ends the episode")}
Worth: ${worth}
Left: ${left}
Items: rope [cost 3, worth 12]; lamp [cost 5, worth 9]; gem [cost 9, worth 90]`;

  test("takes the best worth for its cost that still fits, and closes once it is enough", () => {
    expect(next("ratio", shop("0 of 80", 20))).toBe("take gem");
    expect(next("ratio", shop("0 of 80", 8))).toBe("take rope");
    expect(next("ratio", shop("80 of 80", 8))).toBe("close");
    expect(next("ratio", shop("0 of 80", 2))).toBeNull();
  });
});

describe("trend", () => {
  const market = commands(
    "buy: get in, gains while it rises",
    "sell: get out, safe while it falls",
    "wait: keep, takes one turn",
  );
  const day = (change: string, signal: string, stance: string) =>
    `${market}\nWorth: 0 of 9\nPrice: 20\nChange: ${change}\nSignal: ${signal}\nStance: ${stance}`;

  test("is in before a rise and out before a fall", () => {
    expect(next("trend", day("+2", "calm", "out"))).toBe("buy");
    expect(next("trend", day("+2", "calm", "in"))).toBe("wait");
    expect(next("trend", day("+2", "turn", "in"))).toBe("sell");
    expect(next("trend", day("-2", "turn", "out"))).toBe("buy");
    expect(next("trend", day("-2", "calm", "out"))).toBe("wait");
  });

  test("reads a direction off prices where no change is told", () => {
    const opening = "Commands: buy, sell, wait.\nPrice: 20";
    expect(next("trend", opening)).toBe("wait");
    expect(next("trend", opening, [["wait", "Price: 22"]])).toBe("buy");
    expect(
      next("trend", opening, [
        ["wait", "Price: 22"],
        ["buy", "Price: 21"],
      ]),
    ).toBe("sell");
  });
});

describe("toggle", () => {
  const board = (lamps: string) =>
    `${commands("press <switch>: use a switch, tells more; <switch> one of: a, b, c", "commit: ends the work, a wrong one ends the episode")}\nLamps: ${lamps}`;

  test("tries each switch once, then works those that add up, and only then ends", () => {
    const opening = board("off off off");
    expect(next("toggle", opening)).toBe("press a");
    const first = ["press a", "Result: click.\nLamps: on on off"] as const;
    expect(next("toggle", opening, [first])).toBe("press b");
    const second = ["press b", "Result: click.\nLamps: on off on"] as const;
    // a turns 1 and 2, b turns 2 and 3; lamp 2 alone is out of their reach.
    expect(next("toggle", opening, [first, second])).toBe("press c");
    const third = ["press c", "Result: click.\nLamps: on on on"] as const;
    expect(next("toggle", opening, [first, second, third])).toBe("commit");
  });

  test("solves sets of switches, and says when there is no solution", () => {
    expect(
      combine(
        [
          [true, true, false],
          [false, true, true],
        ],
        [true, false, true],
      ),
    ).toEqual([true, true]);
    expect(combine([[true, true]], [true, false])).toBeNull();
    expect(combine([], [false])).toEqual([]);
  });
});

describe("recall", () => {
  const song = (phase: string, order: string, said: number) =>
    `Phase: ${phase}\nOrder: ${order}\nSkip: hush\nProgress: ${said} of 3`;
  const opening = `${commands("next: hear more, takes one turn", "say <piece>: say it; <piece> one of: red, blue, hush", "bow: bow before you speak")}\n`;
  const heard = (order: string, phase: string) =>
    [
      ["next", `Result: heard red, hush.\n${song("listen", order, 0)}`],
      ["next", `Result: heard blue.\n${song("listen", order, 0)}`],
      ["next", `Result: heard blue.\n${song(phase, order, 0)}`],
    ] as const;

  test("listens to the end, then says what is due", () => {
    expect(next("recall", opening + song("listen", "forward", 0))).toBe("next");
    expect(next("recall", opening, heard("forward", "bow"))).toBe("bow");
    expect(next("recall", opening, heard("forward", "repeat"))).toBe("say red");
    const right = ["say red", `Result: right.\n${song("repeat", "forward", 1)}`] as const;
    expect(next("recall", opening, [...heard("forward", "repeat"), right])).toBe("say blue");
    expect(next("recall", opening, heard("backward", "repeat"))).toBe("say blue");
  });
});

describe("sweep", () => {
  const row = `${commands("check <number>: look, tells more; <number> from 1 to 3", "mend: mends what was just found", "report <count>: say how many, ends the work, a wrong one ends the episode; <count> from 0 to 3")}\nRow: 1 to 3\nDone: nothing\nFound: 0`;

  test("checks every spot once, mends what it finds, and reports the number", () => {
    expect(next("sweep", row)).toBe("check 1");
    expect(next("sweep", row, [["check 1", "Result: nothing here.\nDone: 1\nFound: 0"]])).toBe("check 2");
    expect(next("sweep", row, [["check 1", "Result: found.\nDone: 1\nFound: 1"]])).toBe("mend");
    expect(next("sweep", row, [["check 3", "Result: nothing here.\nDone: 1, 2, 3\nFound: 1"]])).toBe(
      "report 1",
    );
  });
});

describe("dependency", () => {
  test("does a task once everything it needs is done, and leaves out what is of no use", () => {
    const kitchen = (done: string, tired = "no") =>
      `${commands("do <task>: do it; <task> one of: bake, knead, mix, sweep", "pause: take a breath")}
Wanted: bake
Tired: ${tired}
Needs: bake after knead; knead after mix; mix after nothing; sweep after nothing
Done: ${done}`;
    expect(next("dependency", kitchen("nothing"))).toBe("do mix");
    expect(next("dependency", kitchen("mix"))).toBe("do knead");
    expect(next("dependency", kitchen("mix, knead", "yes"))).toBe("pause");
    expect(next("dependency", kitchen("mix, knead"))).toBe("do bake");
  });
});
