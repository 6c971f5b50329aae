import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { type Card, card, field, fields, table, text, verbatim } from "../../bot/cards/card.ts";
import { telephoneColumns } from "../../bot/discord/render-table.ts";
import { loadSchemas } from "../support/discord/schemas.ts";
import { drawn } from "../support/discord-markup.ts";
import { faultsOf, fileOf, render, textsOf } from "../support/discord-message.ts";

const check = await loadSchemas();

/** What a person reads of a message. */
async function read(given: Card): Promise<string> {
  return textsOf(await render(given))
    .map((content) => drawn(content).text)
    .join("\n");
}

describe("a text of a card", () => {
  it.each([
    "# no heading",
    "1. no list\n- none\n> no quote\n-# not small",
    "2 * 3 * 4 = learning_potential_of_x, ~~not~~ ||hidden|| `code`",
    "[click](https://evil.example/a_b) and https://discord.gg/abc",
    "@everyone <@123456789012345678> <#123456789012345678> <:x:123456789012345678>",
    "C:\\path\\file \\* \\\\ end\\",
    "```js\nlet x;\n```",
    "-7 is 1.2 times −0.5 #4 > 3",
  ])("is read as it is written, and nothing in it comes to life: %s", async (given) => {
    const message = await render(card("", { blocks: [text(given)] }));
    const [content = ""] = textsOf(message);
    expect(drawn(content)).toEqual({ markup: [], text: given, code: [] });
    expect(message.allowedMentions).toEqual({ parse: [] });
  });

  it("keeps a room's moments and links alive", async () => {
    const link = "https://discord.com/channels/123456789012345678/123456789012345679/123456789012345680";
    const given = card("", { blocks: [text(`Started <t:1764450000:R>, see ${link}, [or](${link})`)] });
    const [content = ""] = textsOf(await render(given));
    expect(drawn(content).markup).toEqual(["moment", "lab-link", "lab-link"]);
    expect(content).toContain("<t:1764450000:R>");
  });

  it.each([
    "https://discord.com/channels/123456789012345678/123456789012345679.evil.example/x",
    "https://discord.com/channels/1/2/3",
    "xhttps://discord.com/channels/123456789012345678/123456789012345679",
  ])("keeps no other link alive: %s", async (given) => {
    const [content = ""] = textsOf(await render(card("", { blocks: [text(given)] })));
    expect(drawn(content).markup).toEqual([]);
  });

  it("shows no character that hides or turns the line around", async () => {
    const given = "a\u202eb\u200bc\u2066d\ufeffe\u00adf\u{e0041}g";
    expect(await read(card("", { blocks: [text(given)] }))).toBe("abcdefg");
    const family = "👩‍👩‍👧 ❤️ نمی‌خواهم";
    expect(await read(card("", { blocks: [text(family)] }))).toBe(family);
  });

  it("writes moments out in columns, where Discord does not draw them, and leaves them in a verbatim block", async () => {
    const mark = "<t:1764450000:R>";
    const columns = table([{ title: "started" }], [{ cells: [mark] }]);
    expect(await read(card("", { blocks: [columns] }))).toContain("2025-11-29 21:00 UTC");
    expect(await read(card("", { blocks: [verbatim("", mark)] }))).toBe(mark);
  });
});

describe("a verbatim block", () => {
  it("can't be broken out of, and shows its backticks", async () => {
    const given = "a ``` b\n```\n@everyone\n````js\n``";
    const [, content = ""] = textsOf(await render(card("t", { blocks: [verbatim("Said", given)] })));
    const { markup, code } = drawn(content);
    expect(markup).toEqual(["bold", "bold", "code"]);
    expect(code[0]?.replaceAll("\u200b", "")).toBe(given);
  });

  it("says so when there is nothing in it", async () => {
    expect(await read(card("", { blocks: [verbatim("Hint", " \u200b\n")] }))).toBe("Hint\n(empty)");
  });

  it("is a preview of the file that holds the same text", async () => {
    const source = Array.from({ length: 300 }, (_, line) => `let line${line} = ${line};`).join("\n");
    const given = card("r1-1 Vault", {
      blocks: [verbatim("", source, "javascript")],
      files: [{ name: "Vault.js", text: source }],
    });
    const message = await render(given);
    expect(message.files.map(({ name }) => name)).toEqual(["Vault.js"]);
    expect(fileOf(message, "Vault.js")).toBe(source);
    const shown = textsOf(message).join("\n");
    expect(shown).toContain("-# … cut; the whole is in Vault.js");
    expect(shown).toContain("let line19 = 19;");
    expect(shown).not.toContain("let line20 = 20;");
  });
});

describe("a long card", () => {
  const transcript = Array.from({ length: 60 }, (_, turn) =>
    verbatim(`Turn ${turn}`, `said ${turn} `.repeat(40)),
  );

  it("is cut with a mark, and the whole goes along", async () => {
    const message = await render(card("Episode r1-1.plain.0", { blocks: transcript }));
    expect(faultsOf(message, check)).toEqual([]);
    expect(textsOf(message).at(-1)).toMatch(/-# … cut; the whole is in episode-r1-1-plain-0\.txt$/);
    const whole = fileOf(message, "episode-r1-1-plain-0.txt") ?? "";
    for (let turn = 0; turn < 60; turn += 1) {
      expect(whole).toContain(`--- Turn ${turn} ---\n${`said ${turn} `.repeat(40)}`);
    }
  });

  it("keeps short blocks whole beside one that is long", async () => {
    const blocks = [text("It waits."), verbatim("Seen", "x\n".repeat(5_000)), fields(field("seed", "7"))];
    const shown = textsOf(await render(card("t", { blocks }))).join("\n");
    expect(shown).toContain("It waits.");
    expect(shown).toContain("**seed**  7");
    expect(shown.length).toBeGreaterThan(3_500);
  });

  it("with a title or a name that is too long goes along whole, too", async () => {
    const long = "word ".repeat(60).trim();
    for (const given of [
      card(long, { blocks: [text("x")] }),
      card("t", { blocks: [fields(field(long, "x"))] }),
      card("t", { blocks: [verbatim(long, "x")] }),
    ]) {
      const message = await render(given);
      const name = /the whole is in (\S+)/.exec(textsOf(message).join("\n"))?.[1] ?? "";
      expect(fileOf(message, name)).toContain(long);
      expect(faultsOf(message, check)).toEqual([]);
    }
  });

  it("ends a cut text between words and never inside a character", async () => {
    const shown = await read(card("", { blocks: [text("👩‍👩‍👧‍👦".repeat(2_000))] }));
    expect(shown.split("\n")[0]?.replaceAll("👩‍👩‍👧‍👦", "")).toBe("");
    const words = await read(card("", { blocks: [text("lorem ipsum dolor ".repeat(1_000))] }));
    expect(words.split("\n")[0]).toMatch(/(lorem|ipsum|dolor)$/);
  });

  it("has its files under other names than its own files have", async () => {
    const blocks = [text("y ".repeat(4_000))];
    const message = await render(card("Notes", { blocks, files: [{ name: "notes.txt", text: "mine" }] }));
    expect(message.files.map(({ name }) => name)).toEqual(["notes-2.txt", "notes.txt"]);
    expect(fileOf(message, "notes.txt")).toBe("mine");
    expect(textsOf(message).join("\n")).toContain("the whole is in notes-2.txt");
  });
});

describe("a table", () => {
  const small = table(
    [{ title: "round" }, { title: "state", squeezeTo: 8 }, { title: "episodes", align: "right" }],
    [
      { cells: ["r1", "running since this morning, all well", "12"] },
      { cells: ["r2"], rest: "failed: the model's provider did not answer" },
    ],
  );

  it("that fits a telephone is drawn in columns", async () => {
    const [content = ""] = textsOf(await render(card("", { blocks: [small] })));
    const lines = drawn(content).code[0]?.split("\n") ?? [];
    expect(lines[0]).toMatch(/^round {2}state +episodes$/);
    expect(lines.join("\n")).toMatch(/^r1 +running since/m);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(telephoneColumns);
  });

  it("that does not fit is a list with a line for every row", async () => {
    const saysItself = ["skill", "status"];
    const columns = ["environment", "skill", "status", "plain", "hinted", "regret"].map((title) =>
      saysItself.includes(title) ? { title, plain: true as const } : { title },
    );
    const rows = [
      { cells: ["r1-1 VaultDial", "Spatial Reasoning", "admitted", "0.38 ±0.18", "0.94", "0.56"] },
      { cells: ["r1-2 Foo_Bar_", "", "rejected"], rest: "winnable: it can't be *won*" },
    ];
    const [content = ""] = textsOf(await render(card("", { blocks: [table(columns, rows)] })));
    expect(drawn(content).text).toBe(
      [
        "r1-1 VaultDial Spatial Reasoning · admitted · plain 0.38 ±0.18 · hinted 0.94 · regret 0.56",
        "r1-2 Foo_Bar_ rejected · winnable: it can't be *won*",
      ].join("\n"),
    );
    expect(drawn(content).markup).toEqual(["bullet", "bold", "bold", "bullet", "bold", "bold"]);
  });

  it("with too many rows shows the first ones, and the file has all", async () => {
    const rows = Array.from({ length: 900 }, (_, at) => ({ cells: [`r${at}`, "finished"] }));
    const message = await render(
      card("Rounds", { blocks: [table([{ title: "round" }, { title: "state" }], rows)] }),
    );
    expect(textsOf(message).join("\n")).toMatch(/r0 +finished/);
    expect(fileOf(message, "rounds.txt")).toContain("r899   finished");
    expect(faultsOf(message, check)).toEqual([]);
  });
});
