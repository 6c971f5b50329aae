import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { type Button, card, field, fields, table, text, verbatim } from "../../bot/cards/card.ts";
import { commands } from "../../bot/commands/all.ts";
import { editOf, type RenderSurroundings, renderMessage } from "../../bot/discord/render.ts";
import { safeName } from "../../bot/discord/render-files.ts";
import { telephoneColumns } from "../../bot/discord/render-table.ts";
import { loadSchemas } from "../support/discord/schemas.ts";
import { drawn } from "../support/discord-markup.ts";
import { componentsOf, faultsOf, fileOf, textsOf } from "../support/discord-message.ts";
import { silent } from "../support/services.ts";

const check = await loadSchemas();
const kept = new Map<string, string>();
const surroundings: RenderSurroundings = {
  texts: {
    put: async (given) => {
      const id = String(kept.size).padStart(64, "0");
      kept.set(id, given);
      return id;
    },
    get: async (id) => kept.get(id) ?? "",
  },
  commands,
  log: silent,
};

const render = (given: ReturnType<typeof card>, mention: readonly string[] = []) =>
  renderMessage(given, surroundings, mention);

/** What a person reads of a message. */
async function read(given: ReturnType<typeof card>): Promise<string> {
  return textsOf(await render(given))
    .map((content) => drawn(content).text)
    .join("\n");
}

const approve: Button = { label: "Approve", command: "approve", options: { id: "r1-1" }, tone: "good" };

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

  it("writes moments out in code, where Discord does not draw them", async () => {
    const given = card("", { blocks: [verbatim("", "at <t:1764450000:R>")] });
    expect(await read(given)).toBe("at 2025-11-29 21:00 UTC");
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
    const columns = ["environment", "skill", "status", "plain", "hinted", "regret"].map((title) => ({
      title,
    }));
    const rows = [
      { cells: ["r1-1 VaultDial", "Spatial Reasoning", "admitted", "0.38 ±0.18", "0.94", "0.56"] },
      { cells: ["r1-2 Foo_Bar_", "", "rejected"], rest: "winnable: it can't be *won*" },
    ];
    const [content = ""] = textsOf(await render(card("", { blocks: [table(columns, rows)] })));
    expect(drawn(content).text).toBe(
      [
        "r1-1 VaultDial skill Spatial Reasoning · status admitted · plain 0.38 ±0.18 · hinted 0.94 · regret 0.56",
        "r1-2 Foo_Bar_ status rejected · winnable: it can't be *won*",
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

describe("files", () => {
  it.each([
    ["VaultDialEnv.js", "VaultDialEnv.js"],
    ["../../etc/passwd", "passwd.txt"],
    ["C:\\x\\evil.exe", "evil.exe.txt"],
    ["häuser bau.md", "hauser-bau.md"],
    ["漢字.py", "file.py"],
    ["", "file.txt"],
    ["...", "file.txt"],
    [`${"n".repeat(300)}.json`, `${"n".repeat(75)}.json`],
  ])("are called safely: %s → %s", (given, wanted) => {
    expect(safeName(given)).toBe(wanted);
  });

  it("are at most ten, with nothing lost, each shown by a component", async () => {
    const files = Array.from({ length: 14 }, (_, at) => ({ name: "part.txt", text: `text ${at}` }));
    const message = await render(card("Parts", { blocks: [text("all of them")], files }));
    expect(faultsOf(message, check)).toEqual([]);
    expect(message.files.length).toBeLessThanOrEqual(10);
    const all = message.files.map(({ attachment }) => attachment.toString()).join("\n");
    for (const { text: one } of files) expect(all).toContain(one);
  });

  it("that are too large are cut with a mark, at a whole character", async () => {
    const files = [{ name: "big.txt", text: "ä€".repeat(3_000_000) }];
    const message = await render(card("Big", { blocks: [], files }));
    expect(message.files[0]?.attachment.length).toBeLessThanOrEqual(10 * 1024 * 1024);
    expect(fileOf(message, "big.txt")).toMatch(/[ä€]\n… cut here: the first of 15000000 bytes\n$/);
  });

  it("of a server that takes less are cut earlier", async () => {
    const given = card("Big", { blocks: [], files: [{ name: "big.txt", text: "x".repeat(10_000) }] });
    const message = await renderMessage(given, { ...surroundings, fileBytes: 5_000 });
    expect(message.files[0]?.attachment.length).toBe(5_000);
  });

  it("that are empty still go along", async () => {
    const message = await render(card("Empty", { blocks: [], files: [{ name: "none.txt", text: "" }] }));
    expect(fileOf(message, "none.txt")).toBe("(empty)\n");
  });
});

describe("buttons", () => {
  const labels = (given: Awaited<ReturnType<typeof render>>) =>
    componentsOf(given).flatMap(({ type, label }) => (type === 2 ? [label] : []));

  it("stand five a row in their tone, each with an id of its own", async () => {
    const buttons = [
      approve,
      approve,
      { ...approve, tone: "bad" as const, label: " \u200b" },
      approve,
      approve,
      approve,
    ];
    const message = await render(card("t", { blocks: [], buttons }));
    expect(faultsOf(message, check)).toEqual([]);
    const rows = componentsOf(message).filter(({ type }) => type === 1);
    expect(rows.map(({ components }) => components?.length)).toEqual([5, 1]);
    expect(rows[0]?.components?.map(({ style }) => style)).toEqual([3, 3, 4, 3, 3]);
    expect(labels(message)[2]).toBe("approve");
  });

  it("for commands that Discord does not have are left out", async () => {
    const serve = { label: "Serve", command: "no such command", options: {} };
    expect(labels(await render(card("t", { blocks: [], buttons: [serve, approve] })))).toEqual(["Approve"]);
  });

  it("that are too many are counted", async () => {
    const message = await render(
      card("t", { blocks: [], buttons: Array.from({ length: 40 }, () => approve) }),
    );
    expect(faultsOf(message, check)).toEqual([]);
    expect(labels(message)).toHaveLength(25);
    expect(textsOf(message).join("\n")).toContain("… and 15 more buttons than fit here");
  });
});

describe("a message", () => {
  const chart = { alt: "r1-1 returns 0.38 without its hint", title: "Returns", environments: [] };

  it("shows a chart as a picture, or its words where none can be drawn", async () => {
    const given = card("Result", { blocks: [], chart });
    const picture = await renderMessage(given, {
      ...surroundings,
      drawChart: async () => new Uint8Array([1]),
    });
    expect(faultsOf(picture, check)).toEqual([]);
    expect(picture.files.map(({ name }) => name)).toEqual(["chart.png"]);
    expect(textsOf(picture)).toEqual(["### Result"]);
    expect(componentsOf(picture).find(({ type }) => type === 12)?.items).toEqual([
      { media: { url: "attachment://chart.png" }, description: chart.alt },
    ]);
    const broken = { ...surroundings, drawChart: () => Promise.reject(new Error("no font")) };
    for (const here of [surroundings, broken]) {
      const message = await renderMessage(given, here);
      expect(message.files).toEqual([]);
      expect(textsOf(message)).toEqual(["### Result", chart.alt]);
    }
  });

  it("calls the people it is to call, and nobody else", async () => {
    const given = card("Done", { blocks: [text("<@999999999999999999> @everyone")] });
    const message = await render(given, ["123456789012345678", "123456789012345678", "@everyone"]);
    expect(message.allowedMentions).toEqual({ parse: [], users: ["123456789012345678"] });
    expect(textsOf(message)[0]).toBe("<@123456789012345678>");
    expect(
      textsOf(message)
        .slice(1)
        .flatMap((one) => drawn(one).markup),
    ).toEqual(["heading"]);
    expect(faultsOf(message, check)).toEqual([]);
  });

  it("is never empty", async () => {
    const message = await render(card(" \u200b ", { blocks: [text("\n"), fields(), table([], [])] }));
    expect(textsOf(message)).toEqual(["*(nothing to show)*"]);
    expect(faultsOf(message, check)).toEqual([]);
  });

  it("drops the files it had when it is edited", async () => {
    const message = editOf(await render(card("t", { blocks: [text("x")] })));
    expect(message.attachments).toEqual([]);
  });
});
