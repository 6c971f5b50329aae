import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { asSpadeworkError, catalogue, InputError, SpadeworkError } from "../../config/errors.ts";
import { configurationPage, errorsPage } from "../../config/pages.ts";
import { settings } from "../../config/settings.ts";

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

describe("pages that are written from the code (npm run docs)", () => {
  it("docs/errors.md is the catalogue", () => {
    expect(page("errors.md")).toBe(errorsPage());
    for (const code of Object.keys(catalogue)) expect(page("errors.md")).toContain(`\`${code}\``);
  });

  it("docs/configuration.md is the schema", () => {
    expect(page("configuration.md")).toBe(configurationPage());
    for (const { path } of settings()) expect(page("configuration.md")).toContain(`\`${path}\``);
  });

  it("has no table row broken by a value", () => {
    for (const name of ["errors.md", "configuration.md"]) {
      const widths = page(name)
        .split("\n\n")
        .filter((block) => block.startsWith("|"))
        .map(
          (block) =>
            new Set(
              block
                .trim()
                .split("\n")
                .map((line) => line.split(/(?<!\\)\|/).length),
            ).size,
        );
      expect(widths.length).toBeGreaterThan(2);
      expect(new Set(widths)).toEqual(new Set([1]));
    }
  });
});

describe("the catalogue", () => {
  it.each(Object.entries(catalogue))("%s says when, what to do, and how a command ends", (code, entry) => {
    expect(code).toMatch(/^(input|provider|sandbox|environment|store|chat|trainer|round|internal)\.[a-z-]+$/);
    expect(entry.when).toMatch(/^[A-Z].*\.$/s);
    expect(entry.fix).toMatch(/^[A-Z].*\.$/s);
    expect([1, 2, 3, 130]).toContain(entry.exit);
  });

  it("turns anything thrown into an error with a code, keeping its cause", () => {
    const known = new InputError("input.not-found", "There is no round r9.");
    expect(asSpadeworkError(known)).toBe(known);
    const cause = new TypeError("x is not a function\n  second line");
    const bug = asSpadeworkError(cause);
    expect(bug).toBeInstanceOf(SpadeworkError);
    expect(bug.code).toBe("internal.bug");
    expect(bug.message).toBe("Something unexpected happened: x is not a function");
    expect(bug.cause).toBe(cause);
  });
});
