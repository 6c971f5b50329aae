import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { card, field, fields, table, text, verbatim } from "../../bot/cards/card.ts";
import { harmless, shorten } from "../../bot/cards/harmless.ts";
import { counted, duration, score, withError } from "../../bot/cards/numbers.ts";
import { renderCard } from "../../bot/cli/render.ts";
import { commands } from "../../bot/commands/all.ts";

const plain = { width: 80, color: false, commands };

describe("a card as text", () => {
  it("shows title, blocks and what to do next", () => {
    const shown = renderCard(
      card("Round r1: finished", {
        blocks: [
          text("Two of them."),
          fields(field("model", "embedded"), field("seed", "7"), null),
          table(
            [{ title: "environment" }, { title: "regret", align: "right" }],
            [{ cells: ["r1-1 Vault", "0.50 ±0.10"] }, { cells: ["r1-2 Post"], rest: "no-leak: it leaks" }],
          ),
          verbatim("First observation", "a\n  b"),
        ],
        buttons: [
          { label: "Look at it", command: "env show", options: { id: "r1-1" } },
          { label: "Reject it", command: "reject", options: { id: "r1-1", reason: "too easy" } },
          { label: "Wait", command: "round", options: { approve: true, envs: 2 } },
        ],
      }),
      plain,
    );
    expect(shown).toBe(`Round r1: finished

Two of them.

model  embedded
seed   7

┌─────────────┬────────────┐
│ environment │     regret │
├─────────────┼────────────┤
│ r1-1 Vault  │ 0.50 ±0.10 │
├─────────────┼────────────┤
│ r1-2 Post   │ no-leak:   │
│             │ it leaks   │
└─────────────┴────────────┘

First observation
  a
    b

Try next
  spadework env show r1-1                    Look at it
  spadework reject r1-1 --reason 'too easy'  Reject it
  spadework round --approve --envs 2         Wait
`);
  });

  it("has colours only when asked", () => {
    const one = card("Title", { tone: "bad", blocks: [verbatim("Source", "x")] });
    expect(renderCard(one, plain)).not.toContain("\u001b");
    expect(renderCard(one, { ...plain, color: true })).toContain("\u001b[31m");
  });

  it("puts the parts of a shell's line that need it into quotes", () => {
    const nasty = card("x", {
      blocks: [],
      buttons: [{ label: "y", command: "hint add", options: { id: "r1-1", text: "it's $HOME" } }],
    });
    expect(renderCard(nasty, plain)).toContain("spadework hint add r1-1 'it'\\''s $HOME'");
  });

  it("never exceeds the width, whatever a model wrote", () => {
    const words = [
      "AVeryLongClassNameWithoutAnySpaceWhatsoeverEnv",
      "日本語の環境",
      "🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀",
      "a b c d e f g h i j k l",
    ];
    for (const width of [60, 80, 120]) {
      const shown = renderCard(
        card(words.join(" "), {
          blocks: [
            text(words.join(" ").repeat(3)),
            fields(field("name", words.join(""))),
            table(
              [
                { title: "environment", squeezeTo: 10 },
                { title: "skill", squeezeTo: 10 },
                { title: "n", align: "right" },
              ],
              words.map((word) => ({ cells: [word, word.repeat(2)], rest: word })),
            ),
          ],
        }),
        { ...plain, width },
      );
      expect(Math.max(...shown.split("\n").map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
    }
  });
});

describe("text from models", () => {
  it("can't steer the terminal", () => {
    const nasty =
      "\u001b[2Jclear \u0007bell \u009b31m\u202egnol\u2066 \u007f lone \ud800 tab\tline\r\nnext\rback";
    expect(harmless(nasty)).toBe("␛[2Jclear ␇bell �31mgnol ␡ lone � tab\tline\nnext␍back");
    const shown = renderCard(
      card(nasty, {
        blocks: [
          text(nasty),
          verbatim(nasty, nasty),
          fields(field("a", nasty)),
          table([{ title: "x" }], [{ cells: [nasty] }]),
        ],
        files: [{ name: nasty, text: nasty }],
      }),
      plain,
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
    expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e\u2066]/);
  });

  it("is cut with a visible mark", () => {
    expect(shorten("abcdef", 4)).toBe("abc…");
    expect(shorten("🦀🦀🦀", 3)).toBe("🦀🦀🦀");
  });
});

describe("numbers", () => {
  it.each([
    [score(0.375), "0.38"],
    [score(-0.001), "0.00"],
    [score(null), "–"],
    [score(0.25, { signed: true }), "+0.25"],
    [score(-0.25, { signed: true }), "-0.25"],
    [withError(0.5, 0.125), "0.50 ±0.13"],
    [withError(0.5, null), "0.50"],
    [withError(null, null), "–"],
    [duration(0), "0.0 s"],
    [duration(9_900), "9.9 s"],
    [duration(42_400), "42 s"],
    [duration(185_000), "3 min 05 s"],
    [duration(7_800_000), "2 h 10 min"],
    [counted(1, "episode"), "1 episode"],
    [counted(12_345, "episode"), "12,345 episodes"],
  ])("%s", (shown, expected) => {
    expect(shown).toBe(expected);
  });
});
