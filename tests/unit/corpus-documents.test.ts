/** Documents from files and folders of every kind, and their draw. */
import { createHash } from "node:crypto";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keyedRandom } from "../../config/random.ts";
import { sampleDocument } from "../../graph/corpus/sample.ts";
import { type TestCorpus, testCorpus } from "../support/corpora.ts";
import { pdfOf } from "../support/pdf.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

let corpus: TestCorpus;
beforeEach(async () => {
  corpus = await testCorpus();
});
afterEach(() => corpus.close());

describe("a file", () => {
  it("of text becomes a document under the hash of its text", async () => {
    const path = await corpus.file("notes.txt", "\ufeffDials turn.\r\nLocks open.\r\n");
    const { added, skipped, problems, documentIds } = await corpus.add(path);
    const text = "Dials turn.\nLocks open.";
    const id = `d${hash(text).slice(0, 12)}`;
    expect({ skipped, problems, documentIds }).toEqual({ skipped: 0, problems: [], documentIds: [id] });
    expect(added).toEqual([
      {
        id,
        title: "notes.txt",
        origin: path,
        part: 0,
        parts: 1,
        textId: hash(text),
        characters: text.length,
        addedBy: "ada",
        addedAt: 5_000,
      },
    ]);
    expect(await corpus.store.documents.get(id)).toEqual(added[0]);
    expect(await corpus.textOf(id)).toBe(text);
  });

  it("is kept once, whatever it is called", async () => {
    await corpus.add(await corpus.file("a.txt", "The same text."));
    const again = await corpus.add(await corpus.file("b.md", "The same text.\n"));
    expect(again).toMatchObject({ added: [], skipped: 1 });
    expect(again.documentIds).toHaveLength(1);
    expect(await corpus.store.documents.count()).toBe(1);
  });

  it("of Markdown is called by its heading", async () => {
    const { added } = await corpus.add(await corpus.file("a.md", "intro\n\n## The *harbor* ##\n\nShips."));
    expect(added[0]?.title).toBe("The *harbor*");
  });

  it("that is long is split at paragraphs", async () => {
    const text = Array.from({ length: 12 }, (_, i) => `Paragraph ${i} ${"of words ".repeat(10)}`.trim()).join(
      "\n\n",
    );
    const { added } = await corpus.add(await corpus.file("long.txt", text));
    expect(added.length).toBeGreaterThan(2);
    expect(added.map(({ part, parts }) => [part, parts])).toEqual(added.map((_, i) => [i, added.length]));
    const pieces = await Promise.all(added.map(({ id }) => corpus.textOf(id)));
    expect(pieces.join("\n\n")).toBe(text);
    expect(pieces.every((piece) => piece.length <= 400)).toBe(true);
  });

  it("of JSONL becomes a document a line; corrupt lines are reported by number", async () => {
    const lines = [
      '{"text":"First text.","title":"One"}',
      "{oops",
      '{"orig_doc":"Second text."}',
      '{"text":"First text."}',
    ];
    const { added, skipped, problems } = await corpus.add(
      await corpus.file("corpus.jsonl", lines.join("\n")),
    );
    expect(added.map(({ title }) => title)).toEqual(["One", "corpus.jsonl line 3"]);
    expect(skipped).toBe(1);
    expect(problems).toEqual([expect.stringMatching(/corpus\.jsonl, line 2: not JSON\.$/)]);
  });

  it("of JSONL with nothing but corrupt lines is refused, and the reports are bounded", async () => {
    const path = await corpus.file("bad.jsonl", "{\n".repeat(500));
    await expect(corpus.add(path)).rejects.toMatchObject({
      code: "input.bad-document",
      message: expect.stringMatching(/line 1: not JSON/),
    });
    const { problems } = await corpus.add(
      await corpus.file("mixed.jsonl", `${"{\n".repeat(500)}{"text":"good"}\n`),
    );
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toBe("And 400 more.");
  });

  it("of PDF gives the text of its pages, whatever it is called", async () => {
    const pdf = pdfOf(["The harbor has (two) gauges.\nThey disagree.", "A second page."]);
    const { added } = await corpus.add(await corpus.file("paper.pdf", pdf));
    const text = await corpus.textOf(added[0]?.id);
    expect(text).toContain("The harbor has (two) gauges.");
    expect(text).toContain("A second page.");
    expect(added[0]?.title).toBe("paper.pdf");
    expect(await corpus.add(await corpus.file("paper.txt", pdf))).toMatchObject({ added: [], skipped: 1 });
  });

  it("of HTML gives its text without navigation and scripts", async () => {
    const html = `<html><head><title>The &amp; Harbor</title><style>p {}</style></head><body><nav>Menu</nav>
      <script>let x = "never";</script><h1>Gauges</h1><p>They <a href="https://example.org/">disagree</a>.</p></body></html>`;
    const { added } = await corpus.add(await corpus.file("page.html", html));
    expect(added[0]?.title).toBe("The & Harbor");
    expect(await corpus.textOf(added[0]?.id)).toBe("Gauges\n\nThey disagree.");
  });

  it("in Latin-1 is read with a remark", async () => {
    const { problems, added } = await corpus.add(
      await corpus.file("alt.txt", Buffer.from("Die Tür ist größer als der Schrank.", "latin1")),
    );
    expect(problems).toEqual([expect.stringMatching(/read as Latin-1/)]);
    expect(await corpus.textOf(added[0]?.id)).toContain("Tür");
  });

  it.each([
    ["binary data", "photo.txt", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]), /binary/],
    ["nothing", "empty.txt", "", /no text/],
    ["blanks alone", "blank.md", " \n\n\t\n", /no text/],
    ["a damaged PDF", "broken.pdf", "%PDF-1.4\nnothing of the kind", /damaged/],
    ["a scan without text", "scan.pdf", pdfOf([""]), /OCR/],
    ["too many bytes", "big.txt", "word ".repeat(50_000), /documents\.maxBytes/],
    ["an empty JSONL", "none.jsonl", "\n\n", /no document/],
    ["binary JSONL", "bin.jsonl", Buffer.from([0, 1, 2]), /binary/],
  ])("with %s is refused clearly", async (_, name, content, message) => {
    const path = await corpus.file(name, content);
    await expect(corpus.add(path)).rejects.toMatchObject({
      code: "input.bad-document",
      message: expect.stringMatching(message),
    });
    expect(await corpus.store.documents.count()).toBe(0);
  });

  it("that isn't there is named", async () => {
    await expect(corpus.add(join(corpus.folder, "missing.txt"))).rejects.toMatchObject({
      code: "input.no-such-file",
      message: expect.stringContaining("missing.txt"),
    });
  });
});

describe("a folder", () => {
  it("is read recursively in the order of names; what can't be read is a problem, not the end", async () => {
    await mkdir(join(corpus.folder, "docs", "deep"), { recursive: true });
    await mkdir(join(corpus.folder, "docs", ".git"));
    await corpus.file("docs/b.md", "# Second\n\nText of b.");
    await corpus.file("docs/a.txt", "Text of a.");
    await corpus.file("docs/deep/c.jsonl", '{"text":"Text of c."}\n');
    await corpus.file("docs/broken.txt", Buffer.from([0, 1]));
    await corpus.file("docs/image.png", "not looked at");
    await corpus.file("docs/.git/config.txt", "hidden");
    await corpus.file("outside.txt", "Not named by anyone.");
    await symlink(join(corpus.folder, "outside.txt"), join(corpus.folder, "docs", "link.txt"));
    const { added, problems } = await corpus.add(join(corpus.folder, "docs"));
    expect(added.map(({ title }) => title)).toEqual(["a.txt", "Second", "c.jsonl line 1"]);
    expect(problems).toEqual([
      expect.stringMatching(/broken\.txt can't be read: it is binary/),
      expect.stringMatching(/^1 file of another type was passed over: .*image\.png/),
    ]);
  });

  it("without a readable file is refused", async () => {
    await mkdir(join(corpus.folder, "none"));
    await expect(corpus.add(join(corpus.folder, "none"))).rejects.toMatchObject({
      code: "input.bad-document",
    });
  });
});

describe("the draw of a document", () => {
  const texts = Array.from({ length: 12 }, (_, i) => `Document number ${i}.`);
  const fill = async (order: readonly string[]): Promise<void> => {
    for (const [i, text] of order.entries()) await corpus.add(await corpus.file(`f${i}.txt`, text));
  };
  const draws = async (): Promise<string[]> => {
    const drawn: string[] = [];
    for (let slot = 0; slot < 20; slot += 1) {
      drawn.push((await sampleDocument(corpus.store, keyedRandom(7, slot)))?.text ?? "none");
    }
    return drawn;
  };

  it("depends on the seed and on what there is, not on when it came", async () => {
    await fill(texts);
    const first = await draws();
    for (const id of await corpus.store.documents.ids()) await corpus.store.documents.remove(id);
    await fill(texts.toReversed());
    expect(await draws()).toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(5);
  });

  it("is from the given documents that are still there", async () => {
    await fill(texts);
    const ids = await corpus.store.documents.ids();
    const [first = "", second = ""] = ids;
    const drawn = new Set<string | undefined>();
    for (let slot = 0; slot < 20; slot += 1) {
      drawn.add((await sampleDocument(corpus.store, keyedRandom(slot), [second, first, "dgone"]))?.id);
    }
    expect(drawn).toEqual(new Set([first, second]));
    await expect(sampleDocument(corpus.store, keyedRandom(1), ["dgone"])).rejects.toMatchObject({
      code: "input.not-found",
    });
  });

  it("is null from an empty corpus", async () => {
    expect(await sampleDocument(corpus.store, keyedRandom(1))).toBeNull();
  });
});
