/** Text of the corpus: what bytes are read as, how it is tidied and split, and JSONL line by line. */
import { describe, expect, it } from "vitest";
import { convert } from "../../graph/corpus/convert.ts";
import { decodeText, UndecodableError } from "../../graph/corpus/decode.ts";
import { type JsonlLine, longestLineBytes, readJsonl } from "../../graph/corpus/jsonl.ts";
import { splitText, tidyText } from "../../graph/corpus/split.ts";

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

describe("bytes", () => {
  it.each([
    ["UTF-8", Buffer.from("Grüße — 世界")],
    [
      "UTF-8 with a byte order mark",
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from("Grüße — 世界")]),
    ],
    ["UTF-16LE with a byte order mark", Buffer.from("\ufeffGrüße — 世界", "utf16le")],
    ["UTF-16BE with a byte order mark", Buffer.from("\ufeffGrüße — 世界", "utf16le").swap16()],
  ])("are read as %s", (_, bytes) => {
    expect(decodeText(bytes)).toEqual({ text: "Grüße — 世界", note: null });
  });

  it("are read as Latin-1 where they can't be UTF-8, with a note", () => {
    const decoded = decodeText(latin1("Die Größe der Tür lässt sich ändern, sagt der Schlüsselmacher."));
    expect(decoded.text).toContain("Größe der Tür");
    expect(decoded.note).toMatch(/Latin-1/);
  });

  it("are read as what is declared", () => {
    const shiftJis = Buffer.from([0x93, 0xfa, 0x96, 0x7b]);
    expect(decodeText(shiftJis, "shift_jis").text).toBe("日本");
    expect(decodeText(latin1("Tür"), "iso-8859-1").text).toBe("Tür");
  });

  it.each([
    ["binary data", Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 9]), null, /binary/],
    ["many control characters", Buffer.from("ab\u0001\u0002\u0003cd"), null, /binary/],
    ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]), null, /UTF-32/],
    [
      "an encoding that isn't declared",
      Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
      null,
      /neither UTF-8 nor Latin-1/,
    ],
    ["an encoding that doesn't exist", Buffer.from("abc"), "klingon-8", /klingon-8 isn't known/],
    ["a wrong declaration", Buffer.from([0x81, 0x20, 0xff]), "shift_jis", /says that it is shift_jis/],
  ])("are refused: %s", (_, bytes, charset, message) => {
    expect(() => decodeText(bytes, charset)).toThrow(UndecodableError);
    expect(() => decodeText(bytes, charset)).toThrow(message);
  });
});

describe("a document made with malice", () => {
  const nested = Buffer.from(`${"<div>".repeat(150_000)}deep`);

  it("is given up when its time is over, and nothing else waits for it", async () => {
    let ticks = 0;
    const clock = setInterval(() => {
      ticks += 1;
    }, 10);
    const reading = convert(nested, "html", null, { timeoutMs: 1_000, memoryMb: 512 });
    await expect(reading).rejects.toThrow(/takes more than 1 s to read/);
    clearInterval(clock);
    expect(ticks).toBeGreaterThan(10);
  });

  it("is given up when it takes too much memory", async () => {
    const wide = Buffer.from("<p>word</p>".repeat(300_000));
    const reading = convert(wide, "html", null, { timeoutMs: 50_000, memoryMb: 24 });
    await expect(reading).rejects.toThrow(/takes too much memory/);
  });

  it("is refused for absurd sizes, or read for what it is", async () => {
    const table = Buffer.from('<table><tr><td colspan="1000000000">cell</td><td>next</td></tr></table>');
    expect((await convert(table, "html", null)).text).toBe("cell next");
  });

  it("takes linear time as plain text", () => {
    const before = process.cpuUsage();
    tidyText(`${" ".repeat(3_000_000)}x`);
    splitText("a. ".repeat(1_000_000).trim(), 6_000);
    // Processor time, in microseconds: the wall clock belongs to whatever else runs.
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});

describe("a tidied text", () => {
  it("has Unix line ends, no control characters, no trailing blanks and single empty lines", () => {
    expect(tidyText("\ufeff\r\n\r\na  \r\nb\u0000\u001b\t\r\n\n\n\nc\fd\r ")).toBe("a\nb\n\nc\n\nd");
  });

  it("is well-formed Unicode", () => {
    expect(tidyText("a\ud800b").isWellFormed()).toBe(true);
  });
});

describe("pieces of a text", () => {
  const paragraph = (i: number): string => `Paragraph ${i}. `.padEnd(90, "word ").trim();
  const long = Array.from({ length: 30 }, (_, i) => paragraph(i)).join("\n\n");

  it("are the text itself if it fits, and none if there is no text in it", () => {
    expect(splitText("one\n\ntwo", 100)).toEqual(["one\n\ntwo"]);
    expect(splitText("— … —", 100)).toEqual([]);
  });

  it("end at paragraphs, fit the limit, are about equally long, and lose nothing", () => {
    const pieces = splitText(long, 1_000);
    expect(pieces.join("\n\n")).toBe(long);
    for (const piece of pieces) {
      expect(piece.length).toBeLessThanOrEqual(1_000);
      expect(piece.length).toBeGreaterThan(450);
      expect(piece.startsWith("Paragraph ")).toBe(true);
    }
  });

  it("end at sentences or words where a paragraph is too long", () => {
    const sentences = Array.from({ length: 40 }, (_, i) => `This is sentence number ${i}.`).join(" ");
    for (const piece of splitText(sentences, 300)) {
      expect(piece.length).toBeLessThanOrEqual(300);
      expect(piece).toMatch(/^This .*\.$/);
    }
    const words = Array.from({ length: 200 }, (_, i) => `word${i}`).join(" ");
    expect(splitText(words, 300).join(" ")).toBe(words);
  });

  it("never cut a character in two", () => {
    const pieces = splitText("🎲".repeat(500), 201);
    expect(pieces.every((piece) => piece.isWellFormed() && piece.length <= 201)).toBe(true);
  });

  it("leave out what has no text between texts", () => {
    expect(splitText(`${"a".repeat(90)}\n\n${"-".repeat(95)}\n\n${"b".repeat(90)}`, 100)).toEqual([
      "a".repeat(90),
      "b".repeat(90),
    ]);
  });
});

describe("JSONL", () => {
  async function read(...chunks: readonly (string | Buffer)[]): Promise<JsonlLine[]> {
    async function* stream() {
      for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    }
    const lines: JsonlLine[] = [];
    for await (const line of readJsonl(stream())) lines.push(line);
    return lines;
  }

  it("has its text under `text` or `orig_doc`, and maybe a title", async () => {
    expect(
      await read('{"text":"one","title":"First"}\n{"orig_doc":"two"}\r\n\n{"text":" ","orig_doc":"three"}'),
    ).toEqual([
      { line: 1, text: "one", title: "First" },
      { line: 2, text: "two", title: null },
      { line: 4, text: "three", title: null },
    ]);
  });

  it("is read across chunks that cut lines and characters, and behind a byte order mark", async () => {
    const bytes = Buffer.from('\ufeff{"text":"Grüße"}\n{"text":"世界"}\n');
    const cut = [...bytes].map((byte) => Buffer.from([byte]));
    expect((await read(...cut)).map((line) => ("text" in line ? line.text : line.problem))).toEqual([
      "Grüße",
      "世界",
    ]);
  });

  it("names corrupt lines by their number and goes on", async () => {
    const lines = await read(
      '{"text":"good"}\n{"text":\n[1]\n{"body":"x"}\n{"text":7}\n',
      Buffer.from([0xff, 0x41, 0x0a]),
      '{"text":"also good"}\n',
    );
    expect(lines.map((line) => ("problem" in line ? `${line.line} ${line.problem}` : line.text))).toEqual([
      "good",
      "2 not JSON",
      "3 not an object whose `text` or `orig_doc` is a string",
      "4 no text under `text` or `orig_doc`",
      "5 not an object whose `text` or `orig_doc` is a string",
      "6 not UTF-8",
      "also good",
    ]);
  });

  it("is refused if it is binary or UTF-16", async () => {
    await expect(read(Buffer.from([1, 0, 2, 0]))).rejects.toThrow(/binary/);
    await expect(read(Buffer.from('\ufeff{"text":"a"}\n', "utf16le"))).rejects.toThrow(/UTF-16LE/);
  });

  it("never holds more than a line, and no line without end", async () => {
    const chunk = Buffer.alloc(1_048_576, "x");
    async function* endless() {
      yield Buffer.from('{"text":"before"}\n');
      for (let i = 0; i < 200; i += 1) yield chunk;
      yield Buffer.from('\n{"text":"after"}\n');
    }
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const lines: JsonlLine[] = [];
    for await (const line of readJsonl(endless())) {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      lines.push(line);
    }
    expect(lines).toEqual([
      { line: 1, text: "before", title: null },
      { line: 2, problem: `longer than ${longestLineBytes} bytes` },
      { line: 3, text: "after", title: null },
    ]);
    expect(most).toBeLessThan(3 * longestLineBytes);
  });
});
