import { expect, test } from "vitest";
import { tagsOf } from "../../sandbox/admission/tags.ts";

test("tags stand in a comment on the first line", () => {
  expect(tagsOf("// tags: interval-search, interval-search/size-7\nclass AEnv {}")).toEqual([
    "interval-search",
    "interval-search/size-7",
  ]);
  expect(tagsOf("//tags: Hidden code,  hidden   code , two words")).toEqual(["hidden code", "two words"]);
  expect(tagsOf("# tags: one two\nclass AEnv: pass")).toEqual(["one", "two"]);
  expect(tagsOf("/* tags: one, two */ class AEnv {}")).toEqual(["one", "two"]);
});

test("a source without that comment has none", () => {
  expect(tagsOf("class AEnv {}\n// tags: late")).toEqual([]);
  expect(tagsOf("// tags:\nclass AEnv {}")).toEqual([]);
  expect(tagsOf("")).toEqual([]);
});

test("tags are few and short", () => {
  expect(tagsOf(`// tags: ${Array.from({ length: 40 }, (_, i) => `t${i}`).join(", ")}`)).toHaveLength(16);
  expect(tagsOf(`// tags: ok, ${"x".repeat(61)}`)).toEqual(["ok"]);
});
