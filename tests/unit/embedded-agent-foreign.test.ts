/** The agent in environments that people wrote: it finds their commands, and a fitting strategy wins them. */
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { mineCommands } from "../../graph/models/embedded/agent/mining.ts";
import type { Strategy } from "../../graph/models/embedded/mechanics/concepts.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { embeddedModel, masterOf, playOne } from "../support/embedded-play.ts";
import { good, goodNames } from "../support/environments/read.ts";

const forms = (text: string) => mineCommands(text).map((command) => command.form);

describe("commands are found", () => {
  test("in a list after their heading, up to the end of the sentence", () => {
    expect(forms("Commands: buy, sell, wait. Format: \\boxed{command}.")).toEqual(["buy", "sell", "wait"]);
    expect(forms("Available actions are: open door | close door")).toEqual(["open door", "close door"]);
  });

  test("in bullets, quotes and examples", () => {
    expect(forms("You can:\n- inspect: look closer\n- leave: go away")).toEqual(["inspect", "leave"]);
    expect(forms("Say `attack` or `defend` each turn.")).toEqual(["attack", "defend"]);
    expect(forms("Write \\boxed{roll}.")).toEqual(["roll"]);
  });

  test("as directions, where nothing is listed", () => {
    expect(forms("Move through the maze. You can go north or go east.")).toEqual(["go north", "go east"]);
  });

  test("with what their slots take", () => {
    const [guess] = mineCommands("Find the number between 1 and 50. Answer like \\boxed{guess 7}.");
    expect(guess).toMatchObject({ form: "guess <n>", slots: { n: { kind: "number", from: 1, to: 50 } } });
    const [press] = mineCommands("Commands: press <row> <column>, rows and columns from 1 to 4.");
    expect(Object.values(press?.slots ?? {})).toEqual([
      { kind: "number", from: 1, to: 4, by: 1 },
      { kind: "number", from: 1, to: 4, by: 1 },
    ]);
    const [pick] = mineCommands("Commands: pick <color>\nColors: red, blue, green.");
    expect(Object.values(pick?.slots ?? {})).toEqual([{ kind: "word", words: ["red", "blue", "green"] }]);
  });

  test("and not in plain prose", () => {
    expect(forms("It was a dark and stormy night. Nothing stirred.")).toEqual([]);
    expect(forms("")).toEqual([]);
  });
});

describe("in the sandbox", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createSandbox(configSchema.parse({}).sandbox, pino({ level: "silent" }));
  });
  afterAll(async () => {
    await sandbox.close();
  });

  const fitting: Readonly<Record<string, Strategy>> = {
    "old-cellar": "explore",
    "file-cabinet": "explore",
    "order-desk": "dependency",
  };

  test.each(Object.entries(fitting))("%s is won by %s", async (name, strategy) => {
    const model = embeddedModel(masterOf(strategy));
    const kind = name === "old-cellar" ? "game" : "tool-use";
    const plays = await Promise.all(
      [0, 1, 2, 3, 4].map((key) => playOne(sandbox, model, { source: good(name), kind }, [name, key])),
    );
    expect(plays.map(({ ending }) => ending.return)).toEqual([1, 1, 1, 1, 1]);
  });

  test("every good environment is played to its end without a failure, in its own format", async () => {
    const tools = new Set(["file-cabinet", "order-desk"]);
    for (const name of goodNames) {
      const kind = tools.has(name) ? "tool-use" : "game";
      for (const strategy of ["random", "sweep", "toggle"] as const) {
        const { ending, transcript } = await playOne(
          sandbox,
          embeddedModel(masterOf(strategy)),
          { source: good(name), kind },
          [name, strategy],
        );
        expect(ending.failure).toBeNull();
        expect(ending.turns).toBeGreaterThan(0);
        for (const turn of transcript.turns) {
          expect(turn.action).toMatch(kind === "game" ? /^\\boxed\{.+\}$/ : /^<(?:tool_call|answer)>/);
        }
      }
    }
  });
});
