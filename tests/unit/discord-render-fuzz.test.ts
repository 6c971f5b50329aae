import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Block, type Card, card, field, fields, table, text, verbatim } from "../../bot/cards/card.ts";
import { commands } from "../../bot/commands/all.ts";
import { type RenderSurroundings, renderMessage } from "../../bot/discord/render.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { type CheckSchema, loadSchemas } from "../support/discord/schemas.ts";
import { drawn } from "../support/discord-markup.ts";
import { faultsOf, fileOf, textsOf } from "../support/discord-message.ts";
import { nastyText } from "../support/nasty-texts.ts";
import { silent } from "../support/services.ts";

const texts = Array.from({ length: 1_000 }, (_, number) => nastyText(number));

let folder: string;
let store: Store;
let check: CheckSchema;
let surroundings: RenderSurroundings;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "spadework-"));
  store = await openStore({ dataDir: folder, log: silent });
  check = await loadSchemas();
  surroundings = { texts: store.texts, commands, log: silent };
});

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** What a block's markup may be, as its names one after the other: the block's own, and a mark where it is cut. */
interface Kind {
  readonly name: string;
  readonly block: (nasty: string) => Block;
  readonly markup: RegExp;
}

const wide = Array.from({ length: 8 }, (_, at) => ({ title: `column ${at}` }));
const narrow = [
  { title: "id", squeezeTo: 4 },
  { title: "what", squeezeTo: 8, align: "right" as const },
];

const kinds: readonly Kind[] = [
  { name: "text", block: text, markup: /^(small )?$/ },
  {
    name: "fields",
    block: (nasty) => fields(field("name", nasty), field(nasty, "value"), field(nasty, nasty)),
    markup: /^(bold bold )*(small )?$/,
  },
  {
    name: "verbatim",
    block: (nasty) => verbatim("Observation", nasty, "javascript"),
    markup: /^bold bold (code |italic italic )(small )?$/,
  },
  {
    name: "verbatim of a nasty title and language",
    block: (nasty) => verbatim(nasty, nasty, nasty),
    markup: /^(bold bold )?(code |italic italic )(small )?$/,
  },
  {
    name: "wide table",
    block: (nasty) => table(wide, [{ cells: [nasty, nasty, "x"] }, { cells: ["r1", "y"], rest: nasty }]),
    markup: /^(bullet (bold bold )?)*(small )?$/,
  },
  {
    name: "narrow table",
    block: (nasty) =>
      table(narrow, [{ cells: ["r1", nasty.slice(0, 12)] }, { cells: [], rest: nasty.slice(0, 30) }]),
    markup: /^(code |(bullet (bold bold )?)*)(small )?$/,
  },
];

const cutMark = /-# … cut; the whole is in (\S+)$/m;

/** Texts as they are compared: a file has no half characters, and cells of a table have no line breaks. */
const words = (given: string): string => given.toWellFormed().replaceAll(/\s+/g, " ").trim();

/** What is wrong with the message of a card whose markup is known. */
async function faults(given: Card, nasty: string, markup: RegExp): Promise<string[]> {
  const message = await renderMessage(given, surroundings);
  const [title = "", ...rest] = textsOf(message);
  const found = faultsOf(message, check);
  if (title !== "### Card") found.push(`the title is ${title}`);
  const live = rest.flatMap((content) => drawn(content).markup);
  const written = live.map((name) => `${name} `).join("");
  if (!markup.test(written)) found.push(`the markup ${written}is alive`);
  const named = cutMark.exec(rest.join("\n"))?.[1];
  if (named !== undefined && !words(fileOf(message, named) ?? "").includes(words(nasty))) {
    found.push(`the whole is not in ${named}`);
  }
  if (message.allowedMentions.parse.length > 0 || message.allowedMentions.users !== undefined) {
    found.push("somebody is mentioned");
  }
  return found;
}

describe("a nasty text", () => {
  it.each(kinds)("stays in its frame as $name, 1,000 times", async ({ block, markup }) => {
    const found: string[] = [];
    for (const [number, nasty] of texts.entries()) {
      const given = card("Card", { blocks: [block(nasty)] });
      found.push(...(await faults(given, nasty, markup)).map((fault) => `${number}: ${fault}`));
    }
    expect(found.slice(0, 8)).toEqual([]);
  });

  it("stays in its frame everywhere at once, 1,000 times", async () => {
    const found: string[] = [];
    for (const [number, nasty] of texts.entries()) {
      const message = await renderMessage(
        card(nasty, {
          tone: "bad",
          blocks: kinds.map(({ block }) => block(nasty)),
          files: Array.from({ length: number % 14 }, (_, at) => ({
            name: `${nasty.slice(at, at + 90)}`,
            text: nasty,
          })),
          buttons: Array.from({ length: number % 31 }, () => ({
            label: nasty,
            command: "hint add",
            options: { text: nasty.slice(0, number % 10 === 0 ? 3_000 : 20) },
          })),
          chart: { type: "round", alt: nasty, title: nasty, environments: [] },
        }),
        { ...surroundings, ...(number % 2 === 0 ? { drawChart: async () => new Uint8Array(100) } : {}) },
      );
      found.push(...faultsOf(message, check).map((fault) => `${number}: ${fault}`));
    }
    expect(found.slice(0, 8)).toEqual([]);
  });
});
