/** Lines: however a stream is cut, the same lines come out, and no line grows beyond its limit. */
import { describe, expect, it } from "vitest";
import { LineReader, LineWriter } from "../../sandbox/host/lines.js";

function read(
  chunks: readonly string[],
  limit = 1_000,
): { lines: string[]; overflows: number; partial: boolean } {
  const lines: string[] = [];
  let overflows = 0;
  const reader = new LineReader(
    limit,
    (line) => lines.push(line),
    () => {
      overflows += 1;
    },
  );
  for (const chunk of chunks) reader.push(chunk);
  return { lines, overflows, partial: reader.partial };
}

describe("LineReader", () => {
  const text = 'one\n\n{"two": "ü"}\nthree\nrest';
  it.each([1, 2, 3, 5, 8, 100])("reads chunks of %i", (size) => {
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
      text.slice(i * size, (i + 1) * size),
    );
    expect(read(chunks)).toEqual({
      lines: ["one", "", '{"two": "ü"}', "three"],
      overflows: 0,
      partial: true,
    });
  });

  it("reports an over-long line once and then drops everything", () => {
    expect(read(["ok\n", "x".repeat(11), "y\nlater\n", "z".repeat(30)], 10)).toMatchObject({
      lines: ["ok"],
      overflows: 1,
    });
    expect(read([`${"x".repeat(11)}\nlater\n`], 10)).toMatchObject({ lines: [], overflows: 1 });
    expect(read([`${"x".repeat(10)}\n`], 10)).toMatchObject({ lines: ["x".repeat(10)], overflows: 0 });
  });
});

describe("LineWriter", () => {
  it("gathers the lines of one turn into one write", async () => {
    const written: string[] = [];
    const writer = new LineWriter((text) => written.push(text));
    for (let i = 0; i < 5; i += 1) writer.push(`line ${i}`);
    expect(written).toEqual([]);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(written).toEqual(["line 0\nline 1\nline 2\nline 3\nline 4\n"]);
    writer.flush();
    expect(written).toHaveLength(1);
  });

  it("does not wait when much has gathered", () => {
    const written: string[] = [];
    const writer = new LineWriter((text) => written.push(text));
    writer.push("x".repeat(70_000));
    expect(written).toHaveLength(1);
  });
});
