import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLab, type Lab, program, run } from "../support/command-line.ts";

let lab: Lab;

beforeAll(() => {
  lab = createLab();
});

afterAll(() => lab.remove());

describe("the program", () => {
  it("prints its version", async () => {
    expect((await run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("says what it needs when no command is named and nobody is there to type one", async () => {
    for (const words of [[], ["serve"], ["--data", lab.dataDir]]) {
      const { code, stderr } = await run(words);
      expect(code).toBe(2);
      expect(stderr).toContain("DISCORD_TOKEN");
    }
  });

  it("exits with 2 for a usage error, in two lines on stderr", async () => {
    const { code, stdout, stderr } = await lab.run(["env", "show", "r9-1"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(2);
    const log = readFileSync(join(lab.dataDir, "spadework.log"), "utf8");
    expect(JSON.parse(log.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      err: { code: "input.not-found", stack: expect.stringContaining("env-show") },
    });
  });

  it("refuses bad settings before it does anything", async () => {
    const directory = mkdtempSync(join(tmpdir(), "spadework-settings-"));
    writeFileSync(join(directory, "spadework.yaml"), "round:\n  plaiys: 3\n");
    const { code, stderr } = await run(["rounds"], { directory });
    expect(code).toBe(2);
    expect(stderr).toContain(
      'spadework.yaml: there is no setting "round.plaiys". Did you mean "round.plays"?',
    );
    expect(readdirSync(directory)).toEqual(["spadework.yaml"]);
    rmSync(directory, { recursive: true });
  });

  it("takes settings from .env, and the data directory from a variable", async () => {
    const directory = mkdtempSync(join(tmpdir(), "spadework-settings-"));
    writeFileSync(join(directory, ".env"), "SPADEWORK_DATA_DIR=from-env-file\n");
    expect((await run(["rounds"], { directory })).code).toBe(0);
    expect(readdirSync(directory).sort()).toEqual([".env", "from-env-file"]);
    rmSync(directory, { recursive: true });
  });
});

describe("the data directory", () => {
  it("that can't be made is our fault, in two lines", async () => {
    const { code, stderr } = await run(["rounds", "--data", join(program, "below-a-file")]);
    expect(code).toBe(1);
    expect(stderr.trimEnd().split("\n")).toHaveLength(2);
    expect(stderr).toContain("--data");
  });
});

describe("a pipe whose reader goes away", () => {
  it("ends the program quietly", () => {
    const script = `"${program}" round --help | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^Usage: spadework round.*\n0\n$/);
  });

  it("ends it quietly when it was gone before the first word", () => {
    const script = `"${program}" round --help > >(exec true); echo "$?"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect({ stdout, stderr }).toEqual({ stdout: "0\n", stderr: "" });
  });
});

describe("an output that can't be written", () => {
  it("is our fault", () => {
    const { status, stderr } = spawnSync("sh", ["-c", `"${program}" round --help > /dev/full`], {
      encoding: "utf8",
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^spadework: The output can't be written: ENOSPC.*\n.*\n$/);
  });
});

describe("an error that nobody caught", () => {
  // Throws outside of every handler, once the round has begun.
  const crash = `
    const write = process.stderr.write.bind(process.stderr);
    process.stderr.write = (text, ...rest) => {
      if (String(text).includes("starts:")) setImmediate(() => { throw new TypeError("nobody saw this coming"); });
      return write(text, ...rest);
    };`;

  it.each([[[]], [["--json"]]])("ends the command with 1 and without a stack trace (%j)", async (flags) => {
    const { code, stdout, stderr } = await lab.run(["round", "--envs", "1", ...flags], {
      environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(crash)}` },
    });
    expect(code).toBe(1);
    const said = flags.length === 0 ? stderr : stdout;
    expect(said).toContain("Something unexpected happened: nobody saw this coming");
    expect(said).not.toMatch(/^\s+at /m);
    expect(readFileSync(join(lab.dataDir, "spadework.log"), "utf8")).toContain(
      "TypeError: nobody saw this coming",
    );
  });
});
