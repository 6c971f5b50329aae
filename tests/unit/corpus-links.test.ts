/** Documents from links: what is read, what is refused, and what a bad server can't do. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openLink } from "../../graph/corpus/link.ts";
import { type TestCorpus, testCorpus } from "../support/corpora.ts";
import { pdfOf } from "../support/pdf.ts";

let corpus: TestCorpus;
beforeEach(async () => {
  corpus = await testCorpus();
});
afterEach(() => corpus.close());

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
    const { added } = await corpus.add(`${base}${path}`);
    expect(added).toMatchObject([{ title, origin: `${base}${path.replace(/#.*/, "")}` }]);
    expect(await corpus.textOf(added[0]?.id)).toBe(text);
  });

  it("to JSONL is read line by line", async () => {
    expect((await corpus.add(`${base}/corpus.jsonl`)).added.map(({ title }) => title)).toEqual([
      "corpus.jsonl line 1",
      "corpus.jsonl line 2",
    ]);
  });

  it("that breaks off half-way gives what it gave, and says so", async () => {
    const { added, problems } = await corpus.add(`${base}/broken`);
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
    await expect(corpus.add(`${base}${path}`)).rejects.toMatchObject({
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
    await expect(corpus.add("http://127.0.0.1:1/")).rejects.toThrow(/does not answer/);
    await expect(corpus.add("ftp://example.org/a.txt")).rejects.toThrow(/ftp:\/\/ can't be read/);
    await expect(corpus.add("http://")).rejects.toThrow(/is not a link/);
    const refused = corpus.add("http://ada:geheim@127.0.0.1/");
    await expect(refused).rejects.toThrow(/user name or password/);
    await expect(refused).rejects.not.toThrow(/geheim/);
  });
});
