/** What a line typed in the terminal chat means, and what Tab makes of the beginning of one. */
import { describe, expect, test } from "vitest";
import { commands as all } from "../../bot/commands/all.ts";
import { isOffered } from "../../bot/commands/command.ts";
import type { Completing } from "../../bot/commands/complete.ts";
import { completeLine } from "../../bot/terminal/complete-line.ts";
import { lineOf, requestOf } from "../../bot/terminal/request.ts";
import { typed, wordsOf } from "../../bot/terminal/words.ts";
import { configSchema } from "../../config/schema.ts";
import { aDocument, aRound } from "../contract/store-records.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { testServices } from "../support/services.ts";

const commands = all.filter((command) => isOffered(command, "terminal"));

const meant = (line: string) => {
  const { command, options } = requestOf(line, commands);
  return [command.name, options] as const;
};

const refused = (line: string): string => {
  try {
    requestOf(line, commands);
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  return "nothing";
};

describe("words", () => {
  test.each([
    ["a b", ["a", "b"]],
    ["  a   b ", ["a", "b"]],
    ['brief:"a game of tides" x', ["brief:a game of tides", "x"]],
    ["brief:'a \"game\"'", ['brief:a "game"']],
    ["don't stop", ["don't", "stop"]],
    ['a\\ b \\"', ["a b", '"']],
    ['""', [""]],
    ["", []],
  ])("%j is %j", (line, words) => {
    expect(wordsOf(line).map(({ text }) => text)).toEqual(words);
  });

  test.each(["plain", "with space", 'a "quote"', "it's", "back\\slash", "", "日本 🗝️"])(
    "%j comes back as it was typed",
    (value) => {
      expect(wordsOf(`brief:${typed(value)}`).map(({ text }) => text)).toEqual([`brief:${value}`]);
    },
  );
});

describe("a line", () => {
  test.each([
    ["/round envs:2 kind:game", "round", { envs: "2", kind: "game" }],
    ["round --envs 2 --kind=game --approve", "round", { envs: "2", kind: "game", approve: true }],
    ["/round plays-per-seed:2 approve:no", "round", { playsPerSeed: "2", approve: false }],
    ["/ENV show r1-1", "env show", { id: "r1-1" }],
    ["/env show id:r1-1", "env show", { id: "r1-1" }],
    ["/round pool:r1-1,r1-2", "round", { pool: ["r1-1", "r1-2"] }],
    [
      "/hint add r1-1 Halve the interval, don't guess",
      "hint add",
      { id: "r1-1", text: "Halve the interval, don't guess" },
    ],
    ['/round brief:"a game: of tides"', "round", { brief: "a game: of tides" }],
    ["/approve", "approve", {}],
  ])("%j is %s with %j", (line, name, options) => {
    expect(meant(line)).toEqual([name, options]);
  });

  test.each([
    ["/nope", "There is no command /nope; /help lists them."],
    ["/roudn", 'Did you mean "round"?'],
    ["/env", "/env needs one of: "],
    ["/round envz:2", '/round has no option "envz"'],
    ["/round approve:maybe", 'approve is "maybe"; it takes true or false.'],
    ["/status now", '/status does not know what to do with "now".'],
    ['/round brief:"open', "A quote is not closed."],
    ["/round --seed", "seed needs a value."],
    ["/play act id:s1", "There is no command /play"],
    ["/watch list", "There is no command /watch"],
  ])("%j is refused: %s", (line, message) => {
    expect(refused(line)).toContain(message);
  });

  test("of a link is a value, not an option", () => {
    expect(meant("/doc add https://example.org/a:b")[1]).toEqual({ sources: ["https://example.org/a:b"] });
  });

  test("that stands for a button does what the button does", () => {
    const button = { command: "hint add", options: { id: "r1-1", text: 'say "no"' } };
    expect(meant(lineOf(button, typed))).toEqual(["hint add", button.options]);
  });
});

describe("Tab", () => {
  const looking = (): Promise<Completing> => Promise.reject(new Error("no store is needed"));
  const completed = async (line: string) => (await completeLine(line, commands, looking))[0];

  test("completes commands, options and choices", async () => {
    expect(await completed("/rou")).toEqual(["/round ", "/rounds "]);
    expect(await completed("/env me")).toEqual(["/env measure "]);
    expect(await completed("/round en")).toEqual(["envs:"]);
    expect(await completed("/round envs:2 en")).toEqual([]);
    expect(await completed("/round kind:to")).toEqual(["kind:tool-use "]);
    expect(await completed("/round approve:t")).toEqual(["approve:true "]);
    expect(await completed("/round skill:logical")).toEqual(['skill:"Logical Deduction" ']);
    expect(await completed("/nope x")).toEqual([]);
  });

  test("completes ids out of the store, with and without their name", async () => {
    const services = await testServices({ model: scriptedModel() });
    await services.store.rounds.insert(aRound({ id: "r1" }));
    await services.store.rounds.insert(aRound({ id: "r2", startedAt: 2_000 }));
    await services.store.documents.insert(aDocument("abc"));
    const config = configSchema.parse({});
    const find = async (line: string) =>
      (await completeLine(line, commands, async () => ({ store: services.store, config })))[0];
    expect(await find("/resume id:")).toEqual(["id:r2 ", "id:r1 "]);
    expect(await find("/resume ")).toEqual(["r2 ", "r1 ", "id:"]);
    expect(await find("/doc show ab")).toEqual(["abc "]);
    await services.close();
  });
});
