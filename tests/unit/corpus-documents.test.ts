/** Documents: from files, folders and links of every kind into a real store, and drawn from it again. */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { keyedRandom } from "../../config/random.ts";
import { configSchema } from "../../config/schema.ts";
import { addDocuments, type CorpusServices } from "../../graph/corpus/documents.ts";
import { openLink } from "../../graph/corpus/link.ts";
import { sampleDocument } from "../../graph/corpus/sample.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { pdfOf } from "../support/pdf.ts";

let folder: string;
let store: Store;
let services: CorpusServices;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "spadework-corpus-"));
  store = await openStore({ dataDir: join(folder, "data"), log: pino({ level: "silent" }) });
  const config = configSchema.parse({ documents: { maxBytes: 200_000, pieceCharacters: 400 } });
  services = { store, config, now: () => 5_000 };
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const file = async (name: string, content: string | Buffer): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};
const add = (source: string) => addDocuments(services, source, "ada");
const textOf = async (id: string): Promise<string> =>
  store.texts.get((await store.documents.get(id))?.textId ?? expect.fail());
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("a file", () => {
  it("of text becomes a document under the hash of its text", async () => {
    const path = await file("notes.txt", "\ufeffDials turn.\r\nLocks open.\r\n");
    const { added, skipped, problems, documentIds } = await add(path);
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
    expect(await store.documents.get(id)).toEqual(added[0]);
    expect(await textOf(id)).toBe(text);
  });

  it("is kept once, whatever it is called", async () => {
    await add(await file("a.txt", "The same text."));
    const again = await add(await file("b.md", "The same text.\n"));
    expect(again).toMatchObject({ added: [], skipped: 1 });
    expect(again.documentIds).toHaveLength(1);
    expect(await store.documents.count()).toBe(1);
  });

  it("of Markdown is called by its heading", async () => {
    const { added } = await add(await file("a.md", "intro\n\n## The *harbor* ##\n\nShips."));
    expect(added[0]?.title).toBe("The *harbor*");
  });

  it("that is long is split at paragraphs", async () => {
    const text = Array.from({ length: 12 }, (_, i) => `Paragraph ${i} ${"of words ".repeat(10)}`.trim()).join(
      "\n\n",
    );
    const { added } = await add(await file("long.txt", text));
    expect(added.length).toBeGreaterThan(2);
    expect(added.map(({ part, parts }) => [part, parts])).toEqual(added.map((_, i) => [i, added.length]));
    const pieces = await Promise.all(added.map(({ id }) => textOf(id)));
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
    const { added, skipped, problems } = await add(await file("corpus.jsonl", lines.join("\n")));
    expect(added.map(({ title }) => title)).toEqual(["One", "corpus.jsonl line 3"]);
    expect(skipped).toBe(1);
    expect(problems).toEqual([expect.stringMatching(/corpus\.jsonl, line 2: not JSON\.$/)]);
  });

  it("of JSONL with nothing but corrupt lines is refused, and the reports are bounded", async () => {
    const path = await file("bad.jsonl", "{\n".repeat(500));
    await expect(add(path)).rejects.toMatchObject({
      code: "input.bad-document",
      message: expect.stringMatching(/line 1: not JSON/),
    });
    const { problems } = await add(await file("mixed.jsonl", `${"{\n".repeat(500)}{"text":"good"}\n`));
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toBe("And 400 more.");
  });

  it("of PDF gives the text of its pages, whatever it is called", async () => {
    const pdf = pdfOf(["The harbor has (two) gauges.\nThey disagree.", "A second page."]);
    const { added } = await add(await file("paper.pdf", pdf));
    const text = await textOf(added[0]?.id ?? "");
    expect(text).toContain("The harbor has (two) gauges.");
    expect(text).toContain("A second page.");
    expect(added[0]?.title).toBe("paper.pdf");
    expect(await add(await file("paper.txt", pdf))).toMatchObject({ added: [], skipped: 1 });
  });

  it("of HTML gives its text without navigation and scripts", async () => {
    const html = `<html><head><title>The &amp; Harbor</title><style>p {}</style></head><body><nav>Menu</nav>
      <script>let x = "never";</script><h1>Gauges</h1><p>They <a href="https://example.org/">disagree</a>.</p></body></html>`;
    const { added } = await add(await file("page.html", html));
    expect(added[0]?.title).toBe("The & Harbor");
    expect(await textOf(added[0]?.id ?? "")).toBe("Gauges\n\nThey disagree.");
  });

  it("in Latin-1 is read with a remark", async () => {
    const { problems, added } = await add(
      await file("alt.txt", Buffer.from("Die Tür ist größer als der Schrank.", "latin1")),
    );
    expect(problems).toEqual([expect.stringMatching(/read as Latin-1/)]);
    expect(await textOf(added[0]?.id ?? "")).toContain("Tür");
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
    const path = await file(name, content);
    await expect(add(path)).rejects.toMatchObject({
      code: "input.bad-document",
      message: expect.stringMatching(message),
    });
    expect(await store.documents.count()).toBe(0);
  });

  it("that isn't there is named", async () => {
    await expect(add(join(folder, "missing.txt"))).rejects.toMatchObject({
      code: "input.no-such-file",
      message: expect.stringContaining("missing.txt"),
    });
  });
});

describe("a folder", () => {
  it("is read recursively in the order of names; what can't be read is a problem, not the end", async () => {
    await mkdir(join(folder, "docs", "deep"), { recursive: true });
    await mkdir(join(folder, "docs", ".git"));
    await file("docs/b.md", "# Second\n\nText of b.");
    await file("docs/a.txt", "Text of a.");
    await file("docs/deep/c.jsonl", '{"text":"Text of c."}\n');
    await file("docs/broken.txt", Buffer.from([0, 1]));
    await file("docs/image.png", "not looked at");
    await file("docs/.git/config.txt", "hidden");
    await file("outside.txt", "Not named by anyone.");
    await symlink(join(folder, "outside.txt"), join(folder, "docs", "link.txt"));
    const { added, problems } = await add(join(folder, "docs"));
    expect(added.map(({ title }) => title)).toEqual(["a.txt", "Second", "c.jsonl line 1"]);
    expect(problems).toEqual([
      expect.stringMatching(/broken\.txt can't be read: it is binary/),
      expect.stringMatching(/^1 file of another type was passed over: .*image\.png/),
    ]);
  });

  it("without a readable file is refused", async () => {
    await mkdir(join(folder, "none"));
    await expect(add(join(folder, "none"))).rejects.toMatchObject({ code: "input.bad-document" });
  });
});

describe("a link", () => {
  let server: Server;
  let base: string;
  const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
    "/page": (_, response) =>
      response
        .setHeader("content-type", "text/html; charset=utf-8")
        .end("<title>Page</title><p>Words of a page.</p>"),
    "/notes.md": (_, response) => response.setHeader("content-type", "text/plain").end("# Notes\n\nWords."),
    "/corpus.jsonl": (_, response) =>
      response
        .setHeader("content-type", "application/octet-stream")
        .end('{"text":"One."}\n{"text":"Two."}\n'),
    "/paper": (_, response) =>
      response.setHeader("content-type", "application/pdf").end(pdfOf(["Words of a paper."])),
    "/latin": (_, response) =>
      response.setHeader("content-type", "text/plain; charset=iso-8859-1").end(Buffer.from("Tür", "latin1")),
    "/image": (_, response) => response.setHeader("content-type", "image/png").end("x"),
    "/nothing": (_, response) => response.writeHead(404, { "content-type": "text/plain" }).end("gone"),
    "/moved": (_, response) => response.writeHead(302, { location: "/page" }).end(),
    "/loop": (_, response) => response.writeHead(302, { location: "/loop" }).end(),
    "/to-file": (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
    "/large": (_, response) =>
      response.writeHead(200, { "content-type": "text/plain", "content-length": "999999" }).end("x"),
    "/endless": (_, response) => {
      response.setHeader("content-type", "text/plain");
      const chunk = "word ".repeat(2_000);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
    },
    "/silent": () => {},
    "/slow-body": (_, response) => {
      response.setHeader("content-type", "text/plain");
      response.write("a beginning");
    },
    "/broken": (_, response) => {
      response.writeHead(200, { "content-type": "application/jsonl", "content-length": "5000" });
      response.write('{"text":"What came before."}\n', () => response.destroy());
    },
  };
  beforeAll(async () => {
    server = createServer((request, response) => {
      const answer = answers[new URL(request.url ?? "/", "http://localhost").pathname];
      if (answer === undefined) response.writeHead(404).end();
      else answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    base = `http://127.0.0.1:${address.port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each([
    ["/page", "Page", "Words of a page."],
    ["/moved", "Page", "Words of a page."],
    ["/notes.md?version=2#part", "Notes", "# Notes\n\nWords."],
    ["/paper", "paper", "Words of a paper."],
    ["/latin", "latin", "Tür"],
  ])("to %s is read by its type", async (path, title, text) => {
    const { added } = await add(`${base}${path}`);
    expect(added).toMatchObject([{ title, origin: `${base}${path.replace(/#.*/, "")}` }]);
    expect(await textOf(added[0]?.id ?? "")).toBe(text);
  });

  it("to JSONL is read line by line", async () => {
    expect((await add(`${base}/corpus.jsonl`)).added.map(({ title }) => title)).toEqual([
      "corpus.jsonl line 1",
      "corpus.jsonl line 2",
    ]);
  });

  it("that breaks off half-way gives what it gave, and says so", async () => {
    const { added, problems } = await add(`${base}/broken`);
    expect(added).toHaveLength(1);
    expect(problems).toEqual([expect.stringMatching(/broke off its answer\. What came before was read\.$/)]);
  });

  it.each([
    ["/image", /is image\/png; text, Markdown/],
    ["/nothing", /answered with status 404/],
    ["/loop", /redirects more than 5 times/],
    ["/to-file", /file:\/\/ can't be read/],
    ["/large", /larger than 200000 bytes/],
    ["/endless", /larger than 200000 bytes/],
  ])("to %s is refused clearly", async (path, message) => {
    await expect(add(`${base}${path}`)).rejects.toMatchObject({
      code: "input.bad-document",
      message: expect.stringMatching(message),
    });
  });

  it("that doesn't answer, or not to the end, is given up in time", async () => {
    const limits = { timeoutMs: 200, maxBytes: 1_000 };
    const error = { code: "input.bad-document", message: expect.stringMatching(/did not answer in 0\.2 s/) };
    await expect(openLink(`${base}/silent`, limits)).rejects.toMatchObject(error);
    const link = await openLink(`${base}/slow-body`, limits);
    const read = async (): Promise<void> => {
      for await (const chunk of link.body) expect(chunk.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toMatchObject(error);
  });

  it("to nowhere, of another scheme, or with a password is refused", async () => {
    await expect(add("http://127.0.0.1:1/")).rejects.toThrow(/does not answer/);
    await expect(add("ftp://example.org/a.txt")).rejects.toThrow(/ftp:\/\/ can't be read/);
    await expect(add("http://")).rejects.toThrow(/is not a link/);
    const refused = add("http://ada:geheim@127.0.0.1/");
    await expect(refused).rejects.toThrow(/user name or password/);
    await expect(refused).rejects.not.toThrow(/geheim/);
  });
});

describe("the draw of a document", () => {
  const texts = Array.from({ length: 12 }, (_, i) => `Document number ${i}.`);
  const fill = async (order: readonly string[]): Promise<void> => {
    for (const [i, text] of order.entries()) await add(await file(`f${i}.txt`, text));
  };
  const draws = async (): Promise<string[]> => {
    const drawn: string[] = [];
    for (let slot = 0; slot < 20; slot += 1) {
      drawn.push((await sampleDocument(store, keyedRandom(7, slot)))?.text ?? "none");
    }
    return drawn;
  };

  it("depends on the seed and on what there is, not on when it came", async () => {
    await fill(texts);
    const first = await draws();
    for (const id of await store.documents.ids()) await store.documents.remove(id);
    await fill(texts.toReversed());
    expect(await draws()).toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(5);
  });

  it("is from the given documents that are still there", async () => {
    await fill(texts);
    const ids = await store.documents.ids();
    const [first = "", second = ""] = ids;
    const drawn = new Set<string | undefined>();
    for (let slot = 0; slot < 20; slot += 1) {
      drawn.add((await sampleDocument(store, keyedRandom(slot), [second, first, "dgone"]))?.id);
    }
    expect(drawn).toEqual(new Set([first, second]));
    await expect(sampleDocument(store, keyedRandom(1), ["dgone"])).rejects.toMatchObject({
      code: "input.not-found",
    });
  });

  it("is null from an empty corpus", async () => {
    expect(await sampleDocument(store, keyedRandom(1))).toBeNull();
  });
});
