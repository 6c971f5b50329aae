import { describe, expect, test } from "vitest";
import { echoing, JunkAnswers, sameButForEcho } from "../../sandbox/admission/reactions.ts";

const shown = (observation: string, ...actions: string[]) =>
  echoing(
    observation,
    actions.map((one) => `\\boxed{${one}}`),
  );

describe("the same but for the echo", () => {
  test.each([
    [
      "the action itself",
      shown("You said guess apple. Wrong.", "guess apple"),
      shown("You said guess pear. Wrong.", "guess pear"),
    ],
    ["its argument", shown("APPLE is wrong.", "guess apple"), shown("PEAR is wrong.", "guess pear")],
    ["several words", shown("No: red blue green.", "try red blue green"), shown("No: blue.", "try blue")],
    [
      "a history",
      shown("Tried: a1, b2. No.", "try a1", "try b2"),
      shown("Tried: c3, d4. No.", "try c3", "try d4"),
    ],
    [
      "its length",
      shown("Your 5 letters are wrong.", "say apple"),
      shown("Your 4 letters are wrong.", "say pear"),
    ],
  ])("%s", (_, a, b) => {
    expect(sameButForEcho(a, b)).toBe(true);
  });

  test.each([
    ["feedback", shown("3 is too low.", "guess 3"), shown("8 is too high.", "guess 8")],
    [
      "counts that happen to be in the guess",
      shown("2 in place.", "try 1 2 3 4"),
      shown("0 in place.", "try 5 6 7 8"),
    ],
    ["a place", shown("You are in the attic.", "go up"), shown("You are in the yard.", "go out")],
    ["a number that only contains the echo", shown("13 left.", "take 3"), shown("12 left.", "take 4")],
    ["a board", shown(". # .\n. . .", "press 1 2"), shown("# . .\n. . .", "press 1 1")],
  ])("but not %s", (_, a, b) => {
    expect(sameButForEcho(a, b)).toBe(false);
  });

  test("a count that is one apart is the same only where counts may differ", () => {
    const [a, b] = [
      shown("Attempts left: 8. Shut.", "try 1", "try 7"),
      shown("Attempts left: 9. Shut.", "help", "try 7"),
    ];
    expect(sameButForEcho(a, b)).toBe(false);
    expect(sameButForEcho(a, b, true)).toBe(true);
    expect(sameButForEcho(a, shown("Attempts left: 5. Shut.", "help", "try 7"), true)).toBe(false);
  });

  test("tool calls echo their values", () => {
    const call = (id: string) => `<tool_call>{"name": "find", "arguments": {"id": "${id}"}}</tool_call>`;
    const told = (id: string, rest: string) => echoing(`{"id": "${id}", ${rest}}`, [call(id)]);
    expect(sameButForEcho(told("A-1", '"ok": true'), told("B-22", '"ok": true'))).toBe(true);
    expect(sameButForEcho(told("A-1", '"ok": true'), told("B-22", '"ok": false'))).toBe(false);
  });
});

describe("the answers to junk", () => {
  const said = (turn: number, result: string) => `Turn ${turn} of 12.\nResult: ${result}\nPlace: attic`;
  const junk = new JunkAnswers();
  junk.learn("An attic.\nPlace: attic", said(1, "zzqx is not a command."), "\\boxed{zzqx}");
  junk.learn("An attic.\nPlace: attic", said(1, "that is no place."), "\\boxed{}");

  test("cover other junk, whatever was said before", () => {
    expect(junk.covers(said(3, "you climb."), said(4, "swim is not a command."), "\\boxed{swim}")).toBe(true);
    expect(junk.covers("An attic.\nPlace: attic", said(1, "that is no place."), "\\boxed{place}")).toBe(true);
    expect(junk.covers(said(7, "that is no place."), said(8, "that is no place."), "\\boxed{7}")).toBe(true);
  });

  test("do not cover what junk never brings up", () => {
    expect(junk.covers(said(3, "that is no place."), said(4, "you climb down."), "\\boxed{climb}")).toBe(
      false,
    );
    expect(junk.covers("", "Place: cellar", "\\boxed{down}")).toBe(false);
  });
});
