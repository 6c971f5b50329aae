import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeDirectory } from "../../config/directory.ts";

const root = mkdtempSync(join(tmpdir(), "spadework-directory-"));
afterAll(() => rmSync(root, { recursive: true }));

describe("makeDirectory", () => {
  it("makes what is missing above, twice without harm", () => {
    makeDirectory(join(root, "a", "b", "c"));
    makeDirectory(join(root, "a", "b", "c"));
    expect(existsSync(join(root, "a", "b", "c"))).toBe(true);
  });

  it("says so below a file, and where the system lets nobody make one", () => {
    writeFileSync(join(root, "file"), "");
    expect(() => makeDirectory(join(root, "file", "x"))).toThrow("ENOTDIR");
    // Node's recursive mkdir never comes back from this one.
    expect(() => makeDirectory("/proc/spadework/x")).toThrow();
  });
});
