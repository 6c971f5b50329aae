/** Links of people in a chat: they lead to the public internet or nowhere, whatever they are written like. */
import { createServer, type Server } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { addDocuments } from "../../graph/corpus/documents.ts";
import { openLink } from "../../graph/corpus/link.ts";
import { isPublicAddress } from "../../graph/corpus/public-address.ts";
import { type TestCorpus, testCorpus } from "../support/corpora.ts";
import { pdfOf } from "../support/pdf.ts";

describe("a public address", () => {
  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "172.15.0.1",
    "172.32.0.1",
    "192.167.1.1",
    "223.255.255.1",
    "2606:4700:4700::1111",
    "2a00:1450:4001:80b::200e",
  ])("is %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.8.8.8",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001::1",
    "2001:db8::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "no address",
  ])("is not %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("a link given in a chat", () => {
  let server: Server;
  let port: number;
  let hits = 0;
  let corpus: TestCorpus;
  const config = configSchema.parse({});

  beforeAll(async () => {
    server = createServer((request, response) => {
      hits += 1;
      const target = new URL(request.url ?? "/", "http://x").searchParams.get("to");
      if (target === null) response.setHeader("content-type", "text/plain").end("Secret words.");
      else response.writeHead(302, { location: target }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "::", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    port = address.port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(async () => {
    hits = 0;
    corpus = await testCorpus();
  });
  afterEach(() => corpus.close());

  const add = (source: string, publicOnly: boolean) =>
    addDocuments({ store: corpus.store, config, now: () => 1 }, source, "ada", { publicOnly });

  it.each([
    "127.0.0.1",
    "localhost",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "0.0.0.0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
  ])("to this machine by the name %s is refused before anything is sent", async (host) => {
    await expect(add(`http://${host}:${port}/a.txt`, true)).rejects.toMatchObject({
      code: "input.bad-document",
      message: expect.stringContaining("not on the public internet"),
    });
    expect(hits).toBe(0);
    expect(await corpus.store.documents.count()).toBe(0);
  });

  it("is read from anywhere for those who sit at the machine", async () => {
    for (const host of ["127.0.0.1", "localhost"]) {
      const { documentIds } = await add(`http://${host}:${port}/a.txt`, false);
      expect(documentIds).toHaveLength(1);
    }
  });

  it("can't be led astray by a redirect", async () => {
    const seen: string[] = [];
    const limits = {
      timeoutMs: 5_000,
      maxBytes: 1_000,
      mayReach: (address: string) => {
        seen.push(address);
        return address === "127.0.0.1";
      },
    };
    for (const target of [`http://127.0.0.2:${port}/`, `http://[::1]:${port}/`, "//127.0.0.3/x"]) {
      const link = `http://127.0.0.1:${port}/?to=${encodeURIComponent(target)}`;
      await expect(openLink(link, limits)).rejects.toThrow(/not on the public internet/);
    }
    expect(hits).toBe(3);
    expect(seen).toEqual(["127.0.0.1", "127.0.0.2", "127.0.0.1", "::1", "127.0.0.1", "127.0.0.3"]);
    const fine = await openLink(`http://127.0.0.1:${port}/?to=/a.txt`, limits);
    for await (const chunk of fine.body) expect(Buffer.from(chunk).toString()).toBe("Secret words.");
  });
});

describe("a file that was handed over", () => {
  let corpus: TestCorpus;
  beforeEach(async () => {
    corpus = await testCorpus();
  });
  afterEach(() => corpus.close());
  const config = configSchema.parse({ documents: { maxBytes: 20_000, pieceCharacters: 400 } });
  const hand = (name: string, content: string | Buffer) =>
    addDocuments({ store: corpus.store, config, now: () => 1 }, { name, bytes: Buffer.from(content) }, "ada");

  it("is read by its type", async () => {
    const { added: notes } = await hand("notes.md", "# Of tides\n\nWords.");
    expect(notes).toMatchObject([{ title: "Of tides", origin: "notes.md", addedBy: "ada" }]);
    const { added: paper } = await hand("paper.pdf", pdfOf(["Words of a paper."]));
    expect(await corpus.textOf(paper[0]?.id)).toBe("Words of a paper.");
    const { added: lines, problems } = await hand(
      "corpus.jsonl",
      '{"text":"One."}\nnot json\n{"text":"Two."}\n',
    );
    expect(lines.map(({ title }) => title)).toEqual(["corpus.jsonl line 1", "corpus.jsonl line 3"]);
    expect(problems).toEqual(["corpus.jsonl, line 2: not JSON."]);
  });

  it("is refused where there is nothing to read, or too much", async () => {
    await expect(hand("a.bin", Buffer.from([0, 1, 2]))).rejects.toThrow(/a\.bin can't be read: it is binary/);
    await expect(hand("a.txt", "x".repeat(20_001))).rejects.toThrow(
      /a\.txt has 20001 bytes, more than the 20000/,
    );
    await expect(hand("a.jsonl", "\n")).rejects.toThrow(/Nothing could be read from a\.jsonl/);
  });
});
