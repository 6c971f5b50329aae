import { describe, expect, test } from "vitest";
import { fingerprintOf, similarity } from "../../sandbox/admission/fingerprint.ts";
import { copySimilarity, NoveltyIndex } from "../../sandbox/admission/novelty-index.ts";
import { good, goodNames } from "../support/environments/read.ts";
import { commented, renamed, reordered, resized, retold, sizesIn } from "../support/rewrite-source.ts";

function print(source: string) {
  const fingerprint = fingerprintOf(source);
  if (fingerprint === null) throw new Error(`does not parse:\n${source}`);
  return fingerprint;
}

function alike(a: string, b: string): number {
  return similarity(print(a), print(b));
}

describe("what is a copy", () => {
  test.each(goodNames)("%s is a copy of itself", (name) => {
    expect(alike(good(name), good(name))).toBe(1);
  });

  test.each(goodNames)("%s renamed, retold, reordered and commented is a copy", (name) => {
    const copy = commented(reordered(retold(renamed(good(name)))));
    expect(copy).not.toContain(/class (\w+Env)/.exec(good(name))?.[1]);
    expect(alike(good(name), copy)).toBeGreaterThanOrEqual(copySimilarity);
  });

  test.each(goodNames)("%s with methods that nobody calls is a copy", (name) => {
    const unused = [2, 3, 4, 5, 6].map(
      (n) =>
        `  unused${n}(list) {\n    return list.map((one) => one + ${n}).filter((one) => one % ${n} < ${n - 1});\n  }\n`,
    );
    const dead = good(name).replace(
      /\}\s*$/,
      `${unused.join("")}}\nfunction idle() {\n  return [7, 8, 9];\n}\n`,
    );
    expect(alike(good(name), dead)).toBe(1);
  });

  test("loose equality, braces and let instead of const are the same structure", () => {
    const source = good("vault-dial");
    const habits = source
      .replaceAll(" === ", " == ")
      .replaceAll("const ", "let ")
      .replace(/^( *)if \((.*)\) return (.*);$/gm, "$1if ($2) {\n$1  return $3;\n$1}");
    expect(habits).not.toBe(source);
    expect(alike(source, habits)).toBe(1);
  });

  test("one constant changed is still a copy", () => {
    const source = good("vault-dial");
    expect(sizesIn(source)).toBeGreaterThan(8);
    expect(
      alike(
        source,
        resized(
          source,
          (i) => i === 2,
          (n) => n + 7,
        ),
      ),
    ).toBeGreaterThanOrEqual(copySimilarity);
  });
});

describe("what is new", () => {
  test.each(goodNames)("%s renamed and resized with other rules is new", (name) => {
    const source = good(name);
    const rule =
      "\n    for (const one of [2, 3, 7]) if (seed % one === 2 && seed > 3) this.bonus = one * 4;\n    if (seed % 5 === 2) this.luck = 6;";
    const other = resized(
      source.replace("reset(seed) {", `reset(seed) {${rule}`),
      (i) => i % 3 === 0,
      (n) => 2 * n + 3,
    );
    expect(other).toContain("this.luck");
    expect(alike(source, renamed(retold(other)))).toBeLessThan(copySimilarity);
  });

  test("different environments are far apart", () => {
    for (const a of goodNames) {
      for (const b of goodNames) if (a < b) expect(alike(good(a), good(b))).toBeLessThan(0.6);
    }
  });
});

describe("a source without a fingerprint", () => {
  test("what does not parse has none", () => {
    expect(fingerprintOf("class A {")).toBeNull();
    expect(fingerprintOf(`[${"[".repeat(50_000)}${"]".repeat(50_000)}]`)).toBeNull();
  });
});

describe("the index", () => {
  test("finds the copy among many and nothing else", () => {
    const index = new NoveltyIndex();
    for (const name of goodNames) index.add(name, print(good(name)));
    const copy = print(renamed(good("order-desk")));
    expect(index.nearest(copy)).toEqual({ id: "order-desk", similarity: 1 });
    expect(index.nearest(print("class TinyEnv { reset() {} step() {} }"))).toBeNull();
  });

  test("forgets what is removed and replaces what is added again", () => {
    const index = new NoveltyIndex();
    const [a, b] = [print(good("vault-dial")), print(good("lamp-board"))];
    index.add("one", a);
    index.remove("one");
    index.remove("never there");
    expect(index.nearest(a)).toBeNull();
    index.add("one", a);
    index.add("one", b);
    expect(index.nearest(a)).toBeNull();
    expect(index.nearest(b)?.id).toBe("one");
  });

  test("answers the same whatever the order in which copies were added", () => {
    const a = print(good("vault-dial"));
    const [left, right] = [new NoveltyIndex(), new NoveltyIndex()];
    for (const id of ["x", "y", "z"]) left.add(id, a);
    for (const id of ["z", "y", "x"]) right.add(id, a);
    expect(left.nearest(a)).toEqual({ id: "x", similarity: 1 });
    expect(right.nearest(a)).toEqual(left.nearest(a));
  });
});
