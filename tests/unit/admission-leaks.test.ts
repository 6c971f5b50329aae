import { describe, expect, test } from "vitest";
import { keyedRandom, type Random } from "../../config/random.ts";
import { findLeaks } from "../../sandbox/admission/leak.ts";
import type { Instance } from "../../sandbox/admission/leak-instances.ts";

/** Instances of a dozen seeds, and whether a leak found on them also reads two dozen others. */
function leaks(make: (random: Random, seed: number) => Omit<Instance, "seed">): boolean {
  const instances = Array.from({ length: 36 }, (_, seed) => ({
    seed,
    ...make(keyedRandom("leak", seed), seed),
  }));
  const further = instances.slice(12);
  for (const leak of findLeaks(instances.slice(0, 12))) {
    if (further.filter((instance) => leak.reads(instance)).length >= 18) return true;
  }
  return false;
}

const digits = (random: Random, count: number) =>
  Array.from({ length: count }, () => String(random.below(10)));
const fruit = ["apple", "pear", "fig", "plum", "lime", "date", "kiwi", "melon"];
const ways = ["up", "down", "left", "right"];
const path = (random: Random, least: number, spread: number) =>
  Array.from({ length: least + random.below(spread) }, () => random.pick(ways));

describe("leaks", () => {
  test("a code after a constant label", () => {
    expect(
      leaks((random) => {
        const code = digits(random, 4).join("");
        return { observation: `A safe.\nThe code is ${code}. Enter it.`, solution: [`enter ${code}`] };
      }),
    ).toBe(true);
  });

  test("a code before a constant label, in other letters", () => {
    expect(
      leaks((random) => {
        const word = random.pick(fruit);
        return { observation: `${word.toUpperCase()} is what you want today.`, solution: [`take ${word}`] };
      }),
    ).toBe(true);
  });

  test("a code at a fixed place of a row of random words", () => {
    expect(
      leaks((random) => {
        const row = Array.from({ length: 9 }, () => random.pick(fruit) + random.below(90));
        return { observation: `Words: ${row.join(" ")}.`, solution: [`say ${row[4]}`] };
      }),
    ).toBe(true);
  });

  test("the only number in a text of random words", () => {
    expect(
      leaks((random) => {
        const code = 1_000 + random.below(9_000);
        const words = Array.from({ length: 12 }, () => random.pick(fruit));
        words.splice(random.below(12), 0, String(code));
        return { observation: words.join(" "), solution: [`enter ${code}`] };
      }),
    ).toBe(true);
  });

  test("the right choice always stands first in the menu", () => {
    expect(
      leaks((random) => {
        const menu = random.shuffle(fruit).slice(0, 4);
        return { observation: `Choose one: ${menu.join(", ")}.`, solution: [`choose ${menu[0]}`] };
      }),
    ).toBe(true);
  });

  test("digits written together and pressed one by one", () => {
    expect(
      leaks((random) => {
        const code = digits(random, 3);
        return {
          observation: `Code ${code.join("")} opens it.`,
          solution: code.map((digit) => `press ${digit}`),
        };
      }),
    ).toBe(true);
  });

  test("letters of a word guessed one by one", () => {
    expect(
      leaks((random) => {
        const word = Array.from({ length: 4 }, () => random.pick([..."abcdefghij"])).join("");
        return {
          observation: `The word is ${word}.`,
          solution: [...word].map((letter) => `guess ${letter}`),
        };
      }),
    ).toBe(true);
  });

  test("a place written as words and as a code", () => {
    expect(
      leaks((random) => {
        const [row, column] = [1 + random.below(9), 1 + random.below(9)];
        return {
          observation: `It lies at row ${row}, column ${column}.`,
          solution: [`dig r${row}c${column}`],
        };
      }),
    ).toBe(true);
  });

  test("a number written as a word, or with a thousands separator", () => {
    const names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    expect(
      leaks((random) => {
        const [small, large] = [random.below(10), 1_000 + random.below(9_000)];
        const written = `${Math.floor(large / 1_000)},${String(large % 1_000).padStart(3, "0")}`;
        return {
          observation: `Pay ${written} to ${names[small]} people.`,
          solution: [`pay ${large} ${small}`],
        };
      }),
    ).toBe(true);
  });

  test("a path of any length", () => {
    expect(
      leaks((random) => {
        const steps = path(random, 3, 6);
        return {
          observation: `A maze.\nThe way out: ${steps.join(", then ")}.\nCommands: go up, go down, go left, go right.`,
          solution: steps.map((step) => `go ${step}`),
        };
      }),
    ).toBe(true);
  });

  test("a numbered list of any length", () => {
    expect(
      leaks((random) => {
        const steps = path(random, 3, 6);
        const list = steps.map((step, i) => `${i + 1}. ${step}`).join("\n");
        return { observation: `Plan\n${list}`, solution: steps.map((step) => `go ${step}`) };
      }),
    ).toBe(true);
  });

  test("two phrasings that change with the seed", () => {
    expect(
      leaks((random, seed) => {
        const code = digits(random, 4).join("");
        const lure = digits(random, 4).join("");
        const observation =
          seed % 2 === 0 ? `Psst: ${code}, never ${lure}.` : `Not ${lure}! They whisper that ${code} is it.`;
        return { observation, solution: [`enter ${code}`] };
      }),
    ).toBe(true);
  });

  test("a label that is missing on one seed in ten", () => {
    expect(
      leaks((random, seed) => {
        const code = digits(random, 4).join("");
        return {
          observation: seed % 10 === 3 ? "A safe." : `A safe, code ${code}.`,
          solution: [`enter ${code}`],
        };
      }),
    ).toBe(true);
  });

  test("every argument of a tool call", () => {
    expect(
      leaks((random) => {
        const [name, hour] = [random.pick(fruit), 10 + random.below(9)];
        const call = { name: "book", arguments: { table: name, hour } };
        return {
          observation: `Book the table ${name} at ${hour}.`,
          solution: [`<tool_call>${JSON.stringify(call)}</tool_call>`, "<answer>done</answer>"],
        };
      }),
    ).toBe(true);
  });
});

describe("no leaks", () => {
  test("a menu of actions with the right one anywhere", () => {
    expect(
      leaks((random) => {
        const menu = random.shuffle(fruit).slice(0, 4);
        return { observation: `Choose one: ${menu.join(", ")}.`, solution: [`choose ${random.pick(menu)}`] };
      }),
    ).toBe(false);
  });

  test("a menu that never changes", () => {
    expect(
      leaks((random) => ({
        observation: "Commands: open red, open blue, open green.",
        solution: [`open ${random.pick(["red", "blue", "green"])}`],
      })),
    ).toBe(false);
  });

  test("a visible puzzle: numbers to be sorted", () => {
    expect(
      leaks((random) => {
        const numbers = random.shuffle(Array.from({ length: 20 }, (_, i) => i + 3)).slice(0, 6);
        return {
          observation: `Numbers: ${numbers.join(" ")}. Name them in ascending order.`,
          solution: numbers.toSorted((a, b) => a - b).map((number) => `name ${number}`),
        };
      }),
    ).toBe(false);
  });

  test("a visible puzzle: the largest of a list", () => {
    expect(
      leaks((random) => {
        const numbers = Array.from({ length: 8 }, () => 10 + random.below(90));
        return { observation: `Bids: ${numbers.join(", ")}.`, solution: [`accept ${Math.max(...numbers)}`] };
      }),
    ).toBe(false);
  });

  test("a sum to be computed, whose value stands elsewhere by chance", () => {
    expect(
      leaks((random) => {
        const [a, b] = [random.below(5), random.below(5)];
        return { observation: `Add ${a} and ${b}. Scale: 0 1 2 3 4 5 6 7 8.`, solution: [`say ${a + b}`] };
      }),
    ).toBe(false);
  });

  test("a hidden code", () => {
    expect(
      leaks((random) => ({
        observation: "A safe with four wheels from 0 to 9. Commands: try <code>.",
        solution: [`try ${digits(random, 4).join("")}`],
      })),
    ).toBe(false);
  });

  test("one value that is told and one that is hidden", () => {
    expect(
      leaks((random) => {
        const [order, receipt] = [digits(random, 4).join(""), digits(random, 4).join("")];
        return { observation: `Refund order ${order}.`, solution: [`refund ${order}`, `report ${receipt}`] };
      }),
    ).toBe(false);
  });

  test("one lucky seed", () => {
    expect(
      leaks((random, seed) => {
        const code = digits(random, 4).join("");
        return { observation: seed === 3 ? `The code is ${code}.` : "A safe.", solution: [`enter ${code}`] };
      }),
    ).toBe(false);
  });

  test("an answer that is nearly always the same", () => {
    expect(
      leaks((_, seed) => ({
        observation: "Is the lamp on? Say yes or no.",
        solution: [seed % 12 === 5 ? "say no" : "say yes"],
      })),
    ).toBe(false);
  });

  test("paths through a maze that is drawn", () => {
    expect(
      leaks((random) => {
        const rows = Array.from({ length: 5 }, () =>
          Array.from({ length: 9 }, () => random.pick(["#", "."])).join(""),
        );
        return {
          observation: `${rows.join("\n")}\nCommands: up, down, left, right.`,
          solution: path(random, 4, 5),
        };
      }),
    ).toBe(false);
  });

  test("left or right, in a text that is full of both", () => {
    for (let variant = 0; variant < 12; variant += 1) {
      expect(
        leaks((_, seed) => {
          const random = keyedRandom("doors", variant, seed);
          const signs = Array.from({ length: 24 }, () => random.pick(["left", "right"]));
          return {
            observation: `Signs: ${signs.join(" ")}.`,
            solution: [`go ${random.pick(["left", "right"])}`],
          };
        }),
      ).toBe(false);
    }
  });
});
