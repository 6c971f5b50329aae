/** The code in a designer's answer, or why there is none. */
import { expect, test } from "vitest";
import { classNameOf, maxSourceBytes, readDesign } from "../../graph/design-answer.ts";

const block = (code: string, tag = "javascript") => `Words.\n\n\`\`\`${tag}\n${code}\n\`\`\`\nMore words.`;
const detailOf = (text: string) =>
  readDesign(text, "javascript").gates?.find(({ gate }) => gate === "parse")?.detail;

test("the last block with a class is the design", () => {
  expect(readDesign(block("class AEnv {}"), "javascript").source).toBe("class AEnv {}");
  const two = `${block("class DraftEnv {}")}\n${block("class FinalEnv {}", "js")}\n${block("play();")}`;
  expect(readDesign(two, "javascript").source).toBe("class FinalEnv {}");
  expect(readDesign(block("class PyEnv:", "python"), "javascript").source).toBeNull();
  expect(readDesign(block("class PyEnv:", "python"), "python").source).toBe("class PyEnv:");
  expect(readDesign(block("class PlainEnv {}", ""), "javascript").source).toBe("class PlainEnv {}");
});

test("a block without a class goes on to the gates, which say more", () => {
  expect(readDesign(block("const x = 1;"), "javascript").source).toBe("const x = 1;");
});

test("a block that was cut off counts, and thoughts don't", () => {
  expect(readDesign("```javascript\nclass CutEnv {\n  reset(", "javascript").source).toBe(
    "class CutEnv {\n  reset(",
  );
  const thought = `<think>${block("class DraftEnv {}")}</think>${block("class RealEnv {}")}`;
  expect(readDesign(thought, "javascript").source).toBe("class RealEnv {}");
  expect(readDesign(`${block("class DraftEnv {}")}</think>I have no idea.`, "javascript").source).toBeNull();
});

test("no code and huge code are refused with a sentence and thirteen verdicts", () => {
  expect(detailOf("")).toMatch(/^The answer is empty/);
  expect(detailOf("Just words.")).toMatch(/holds no code/);
  expect(detailOf(block("  \n "))).toMatch(/holds no code/);
  const huge = "x".repeat(maxSourceBytes + 1);
  expect(detailOf(block(huge))).toMatch(/200001 bytes/);
  expect(readDesign(block(huge.slice(1)), "javascript").source).toHaveLength(maxSourceBytes);
  const gates = readDesign("", "javascript").gates ?? [];
  expect(gates).toHaveLength(13);
  expect(gates.filter(({ verdict }) => verdict === "unknown")).toHaveLength(12);
});

test("answers of nothing but fences and tags are read without going astray", () => {
  expect(readDesign("```javascript\n\n".repeat(20_000), "javascript").source).toBeNull();
  expect(readDesign("<think>".repeat(50_000), "javascript").source).toBeNull();
});

test("a class can be named before it is loaded", () => {
  expect(classNameOf("// tags: x\nclass VaultEnv extends ToolUseBaseEnv {")).toBe("VaultEnv");
  expect(classNameOf("const x = 1;")).toBeNull();
});
