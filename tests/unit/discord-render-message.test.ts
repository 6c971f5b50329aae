import { describe, expect, it } from "vitest";
import { type Button, card, fields, table, text } from "../../bot/cards/card.ts";
import { editOf, renderMessage } from "../../bot/discord/render.ts";
import { safeName } from "../../bot/discord/render-files.ts";
import { loadSchemas } from "../support/discord/schemas.ts";
import { drawn } from "../support/discord-markup.ts";
import { componentsOf, faultsOf, fileOf, render, surroundings, textsOf } from "../support/discord-message.ts";

const check = await loadSchemas();
const approve: Button = { label: "Approve", command: "approve", options: { id: "r1-1" }, tone: "good" };

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
  const chart = {
    type: "round",
    alt: "r1-1 returns 0.38 without its hint",
    title: "Returns",
    environments: [],
  } as const;

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

  it("keeps a chart's long words whole in a file", async () => {
    const alt = "word ".repeat(2_000);
    const message = await render(card("Result", { blocks: [], chart: { ...chart, alt } }));
    expect(textsOf(message).at(-1)).toMatch(/the whole is in result\.txt$/);
    expect(fileOf(message, "result.txt")).toContain(alt);
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
