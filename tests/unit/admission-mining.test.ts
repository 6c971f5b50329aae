import { describe, expect, test } from "vitest";
import { keyedRandom } from "../../config/random.ts";
import { learnCallValues, randomAnswer, randomCall, readCall } from "../../sandbox/admission/mining/calls.ts";
import { type CommandPart, Mined } from "../../sandbox/admission/mining/observation.ts";
import { RandomPlayer } from "../../sandbox/admission/mining/player.ts";
import { learnTemplates } from "../../sandbox/admission/mining/templates.ts";
import { Miner, Seen } from "../../sandbox/admission/mining/values.ts";
import type { EnvironmentShape, ToolDefinition } from "../../sandbox/sandbox.ts";

const game: EnvironmentShape = {
  className: "AEnv",
  kind: "game",
  maxTurns: 10,
  singleInstance: false,
  hasSolution: true,
};

function written(parts: readonly CommandPart[]): string {
  return parts.map((part) => (typeof part === "string" ? part : `{${part.label}}`)).join("");
}

function commandsIn(observation: string): string[] {
  return new Mined(observation).commands.map(({ parts }) => written(parts));
}

function seen(...observations: string[]): Seen {
  const all = new Seen(new Miner());
  for (const observation of observations) all.add(observation);
  return all;
}

describe("commands in an observation", () => {
  test.each([
    ["Commands: go north, go south, take lamp.", ["go north", "go south", "take lamp"]],
    ["Valid actions are: hit | stand | double", ["hit", "stand", "double"]],
    ["Options:\n- open door: opens it\n- wait (one turn)", ["open door", "wait"]],
    ["1) pear\n2) fig", ["1", "pear", "2", "fig"]],
    ["You can go north, south or east.", ["go north", "go south", "go east", "south"]],
    ['Type `look` or "inventory".', ["look", "inventory"]],
    ["Answer in the form \\boxed{fold}.", ["fold"]],
    ["Exits: attic, yard", ["attic", "yard"]],
    ["Choose left/right.", ["left", "right"]],
  ])("%s", (observation, expected) => {
    expect(commandsIn(observation)).toEqual(expect.arrayContaining(expected));
  });

  test("blanks keep their name, choices and range", () => {
    const [guess] = new Mined("Commands: guess <number>; <number> from 1 to 64.").commands;
    expect(guess?.parts).toEqual(["guess ", { label: "number", choices: [], range: { low: 1, high: 64 } }]);
    const [turn] = new Mined("Commands: turn <left|right>").commands;
    expect(turn?.parts[1]).toMatchObject({ choices: ["left", "right"] });
    expect(commandsIn("- move ITEM to [place]: moves it")).toContain("move {ITEM} to {place}");
  });

  test("values: names, codes and numbers", () => {
    const mined = new Mined(
      'Order ORD-1042 of Mira (mira@shop.example) holds "blue kettle", price 35.5 for 2.',
    );
    expect(mined.words).toEqual(
      expect.arrayContaining(["ORD-1042", "Mira", "mira@shop.example", "blue kettle"]),
    );
    expect(mined.numbers).toEqual(expect.arrayContaining([35.5, 2]));
  });

  test("long and odd observations are read without harm", () => {
    for (const text of [
      "",
      "\u0000",
      "x".repeat(100_000),
      "a, ".repeat(30_000),
      "((((<<<[[[{{{`'\"".repeat(500),
    ]) {
      const mined = new Mined(text);
      expect(mined.commands.length).toBeLessThanOrEqual(60);
      expect(mined.words.length).toBeLessThanOrEqual(80);
    }
  });
});

describe("templates of solutions", () => {
  const solutions = [
    ["turn left 3", "open"],
    ["turn right 5", "open"],
    ["turn left 12", "turn right 2", "open"],
  ];

  test("what every seed uses stays, what changes becomes a slot", () => {
    const shapes = learnTemplates(solutions).map(({ parts }) =>
      parts.map((part) => (typeof part === "string" ? part : `{${[...part.keys()]}}`)).join(""),
    );
    expect(shapes).toEqual(["turn {left,right} {3,5,12,2}", "open"]);
  });

  test("a player never uses what only the solution of its own seed has", () => {
    const secret = [["say plover"], ["say heron"], ["say crane"], ["say egret"]];
    const player = new RandomPlayer(game, [], secret, ["A pond.", "A pond.", "A pond.", "A pond."]);
    const random = keyedRandom("mining");
    const said = new Set<string | null>();
    for (let i = 0; i < 200; i += 1) said.add(player.draw("solutions", 1, player.begin("A pond."), random));
    expect([...said].sort()).toEqual(["\\boxed{say crane}", "\\boxed{say egret}", "\\boxed{say plover}"]);
  });

  test("nor a command that no other seed's solution has", () => {
    const player = new RandomPlayer(game, [], [["open"], ["open", "say plover now"], ["open"]], []);
    const random = keyedRandom("own");
    const said = (own: number) =>
      new Set(
        Array.from({ length: 60 }, () => player.draw("solutions", own, player.begin("A pond."), random)),
      );
    expect([...said(1)]).toEqual(["\\boxed{open}"]);
    expect(said(0)).toContain("\\boxed{say plover now}");
  });

  test("numbers are drawn from the span of the other seeds", () => {
    const player = new RandomPlayer(game, [], [["guess 2"], ["guess 9"], ["guess 5"], ["guess 40"]], []);
    const random = keyedRandom("span");
    const said = new Set<number>();
    for (let i = 0; i < 400; i += 1) {
      said.add(Number(/\d+/.exec(player.draw("solutions", 3, player.begin("A number."), random) ?? "")?.[0]));
    }
    expect(Math.min(...said)).toBe(2);
    expect(Math.max(...said)).toBe(9);
    expect(said.size).toBe(8);
  });

  test("names of one seed's instance are replaced by names of the present one", () => {
    const player = new RandomPlayer(
      game,
      [],
      [["take lantern"], ["take anchor"], ["take compass"]],
      ["You see: lantern, bell.", "You see: anchor.", "You see: compass, rope."],
    );
    const random = keyedRandom("names");
    const said = new Set<string | null>();
    for (let i = 0; i < 200; i += 1) {
      said.add(player.draw("solutions", 0, player.begin("You see: rope, anchor, bell."), random));
    }
    expect([...said]).toEqual(expect.arrayContaining(["\\boxed{take rope}", "\\boxed{take bell}"]));
    expect(said).not.toContain("\\boxed{take lantern}");
  });

  test("cells are made of the letters and numbers of all seeds", () => {
    const fired = ["A1", "C4", "B2", "D3"].map((cell) => [`fire ${cell}`]);
    const player = new RandomPlayer(game, [], fired, ["A sea.", "A sea.", "A sea.", "A sea."]);
    const random = keyedRandom("cells");
    const said = new Set<string | null>();
    for (let i = 0; i < 600; i += 1) said.add(player.draw("solutions", 0, player.begin("A sea."), random));
    expect([...said]).toEqual(
      expect.arrayContaining(["\\boxed{fire B3}", "\\boxed{fire D4}", "\\boxed{fire C2}"]),
    );
  });

  test("a single instance has no other seeds to learn from", () => {
    const player = new RandomPlayer(
      { ...game, singleInstance: true },
      [],
      [["open sesame"], ["open sesame"]],
      [],
    );
    expect(player.styles).toEqual(["offered"]);
    expect(player.draw("offered", 0, player.begin("Nothing here."), keyedRandom("x"))).toBeNull();
  });

  test("offers that meet the answer of junk are dropped", () => {
    const player = new RandomPlayer(game, [], [], []);
    const begun = player.begin("Commands: red, blue.");
    const random = keyedRandom("drop");
    expect(player.wondersAbout("\\boxed{red}")).toBe(true);
    player.learn("\\boxed{red}", false);
    player.learn("\\boxed{red}", false);
    player.learn("\\boxed{blue}", true);
    expect(player.wondersAbout("\\boxed{red}")).toBe(false);
    const said = new Set(Array.from({ length: 50 }, () => player.draw("offered", 0, begun, random)));
    expect([...said]).toEqual(["\\boxed{blue}"]);
  });
});

describe("tool calls", () => {
  const tool: ToolDefinition = {
    name: "book",
    description: "Books a table.",
    parameters: {
      type: "object",
      properties: {
        guest: { type: "string" },
        seats: { type: "integer", minimum: 2, maximum: 4 },
        area: { enum: ["garden", "hall"] },
        vip: { type: "boolean" },
        notes: { type: "array", items: { type: "string" } },
        when: { type: "object", properties: { hour: { type: "integer", minimum: 9, maximum: 9 } } },
      },
      required: ["guest", "seats", "area", "vip", "notes", "when"],
    },
  };
  const none = learnCallValues([]);

  test("arguments have the shapes of the schema", () => {
    const random = keyedRandom("shapes");
    for (let i = 0; i < 100; i += 1) {
      const call = readCall(
        randomCall(tool, { values: none, own: 0, seen: seen("Guests: Mira, Jonas."), random }),
      );
      expect(call?.name).toBe("book");
      expect(call?.given).toMatchObject({
        guest: expect.stringMatching(/^[\w ]+$/),
        area: expect.stringMatching(/^(garden|hall)$/),
        vip: expect.any(Boolean),
        notes: expect.any(Array),
        when: { hour: 9 },
      });
      expect([2, 3, 4]).toContain(call?.given.seats);
    }
  });

  test("a value seen under a parameter's name is passed on under it", () => {
    const find: ToolDefinition = {
      name: "find",
      description: "",
      parameters: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] },
    };
    const random = keyedRandom("named");
    const given = Array.from({ length: 100 }, () =>
      readCall(
        randomCall(find, { values: none, own: 0, seen: seen('{"order_id": "A-17", "n": 3}'), random }),
      ),
    );
    expect(given.filter((call) => call?.given.order_id === "A-17").length).toBeGreaterThan(50);
  });

  test("answers are values that were seen, or those of other seeds when they come back", () => {
    const random = keyedRandom("answers");
    const free = { values: none, own: 0, seen: seen("Total: 420, Paid: 17"), random };
    expect(new Set(Array.from({ length: 60 }, () => randomAnswer(free)))).toContain("<answer>420</answer>");
    const closed = learnCallValues([
      ["<answer>yes</answer>"],
      ["<answer>no</answer>"],
      ["<answer>yes</answer>"],
      ["<answer>no</answer>"],
    ]);
    const said = new Set(Array.from({ length: 60 }, () => randomAnswer({ ...free, values: closed })));
    expect([...said].sort()).toEqual(["<answer>no</answer>", "<answer>yes</answer>"]);
  });

  test("what is no call is none", () => {
    for (const text of [
      "",
      "<tool_call>",
      "<tool_call>{</tool_call>",
      "<tool_call>[]</tool_call>",
      '<tool_call>{"name": 3}</tool_call>',
    ]) {
      expect(readCall(text)).toBeNull();
    }
  });
});
