import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands as everyCommand } from "../../bot/commands/all.ts";
import { isOffered } from "../../bot/commands/command.ts";
import { errorDocument, program } from "../support/command-line.ts";
import { runInside } from "../support/inside.ts";

const commands = everyCommand.filter((command) => isOffered(command, "command-line"));

let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "spadework-usage-"));
});

afterAll(() => rmSync(dataDir, { recursive: true }));

describe("help", () => {
  it("names every command, exits with 0 and touches nothing", async () => {
    const directory = mkdtempSync(join(tmpdir(), "spadework-help-"));
    const { code, stdout, stderr } = await runInside(["--help"], { directory });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const { name } of commands) expect(stdout).toContain(name.split(" ").at(-1));
    expect(readdirSync(directory)).toEqual([]);
    rmSync(directory, { recursive: true });
  });

  it.each(commands.map(({ name }) => name))("%s --help says what it takes", async (name) => {
    const { code, stdout } = await runInside([...name.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: spadework ${name}`));
    for (const flag of ["--help", "--json", "--data"]) expect(stdout).toContain(flag);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it("is as wide as the screen", async () => {
    const { stdout } = await runInside(["round", "--help"], { environment: { COLUMNS: "72" } });
    const lines = stdout.split("\n").filter((line) => !line.startsWith("  spadework "));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(72);
  });
});

describe("usage errors exit with 2, say what is wrong and what to do", () => {
  it.each([
    [["rouns"], 'Unknown command "rouns". Did you mean round or rounds?'],
    [["round", "--plais", "3"], 'Unknown option "--plais". Did you mean --plays?'],
    [["round", "--plays", "0"], '--plays is "0"; it takes a whole number from 1 to 1024.'],
    [["round", "--plays", "-1"], '--plays is "-1"; it takes a whole number from 1 to 1024.'],
    [["round", "--envs=many"], '--envs is "many"; it takes a whole number from 1 to 1000.'],
    [["round", "--seed", "1.5"], '--seed is "1.5"; it takes a whole number from 0 to 2147483647.'],
    [
      ["round", "--kind", "games"],
      '--kind is "games"; it takes one of mixed, game, tool-use. Did you mean "game"?',
    ],
    [["round", "--language", "python"], '--language is "python"; it takes one of javascript.'],
    [["round", "--plays"], "--plays needs a value: --plays <N>."],
    [["round", "now"], 'Too many arguments for "round". Expected 0 arguments but got 1.'],
    [["round", "--preset", "papr-games"], "--preset is"],
    [["round", "--docs", "/nonexistent/a.md"], "/nonexistent/a.md"],
    [["round", "--pool", "all", "r1-1"], '--pool is "all r1-1"; it takes ids, or "all" alone.'],
    [["round", "--pool", "r1-1", "--brief", "x"], "--brief is about designs"],
    [["round", "--pool", "r1-1"], "There is no environment"],
    [["round", "--model", "nobody:knows"], "nobody"],
    [["round", "--skill", "Data Retrieval", "--kind", "game"], "Data Retrieval"],
    [
      ["env"],
      '"env" needs a command: one of list, show, source, admit, measure, play, compare, request, retire.',
    ],
    [["env", "show"], "ENV is missing."],
    [["env", "show", "r9-1"], 'There is no environment "r9-1".'],
    [["env", "source", "r9-1"], 'There is no environment "r9-1".'],
    [["env", "measure", "r9-1"], "There is no environment"],
    [["env", "play", "r9-1"], "There is no environment"],
    [["env", "retire", "r9-1"], "There is no environment"],
    [["env", "admit", "/nonexistent.js"], 'There is no file "/nonexistent.js" that can be read.'],
    [["env", "admit", program], "could be in any language; name it with --language"],
    [["env", "list", "--limit", "0"], '--limit is "0"; it takes a whole number from 1 to 1000000.'],
    [["resume", "r9"], "There is no round"],
    [["cancel", "r9"], "There is no round"],
    [["episodes", "r9"], 'There is no round "r9".'],
    [["episode", "r9.x.plain.0"], 'There is no episode "r9.x.plain.0".'],
    [["approve", "r9-1"], "There is no environment"],
    [["reject", "r9-1"], "--reason is missing"],
    [["reject", "r9-1", "--reason", "dull"], "There is no environment"],
    [["doc", "add"], "PATH|URL is missing."],
    [["doc", "add", "/nonexistent/a.md"], "/nonexistent/a.md"],
    [["doc", "add", process.execPath], process.execPath],
    [["doc", "show", "d9"], 'There is no document "d9".'],
    [["doc", "remove", "d9"], 'There is no document "d9".'],
    [["hint", "add", "r9-1", "look"], 'There is no environment "r9-1".'],
    [["hint", "list", "r9-1"], 'There is no environment "r9-1".'],
  ])("%j", async (words, message) => {
    const { code, stdout, stderr } = await runInside([...words, "--data", dataDir]);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^spadework: /);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe("with --json", () => {
  it.each([
    [["rouns", "--json"]],
    [["round", "--plays", "0", "--json"]],
    [["env", "show", "r9-1", "--json"]],
    [["--json", "env"]],
  ])("%j prints one document for an error, and nothing else", async (words) => {
    const { code, stdout, stderr } = await runInside([...words, "--data", dataDir]);
    const { error } = errorDocument.parse(JSON.parse(stdout));
    expect(error.code).toMatch(/^input\./);
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  });

  it("is understood before the command too", async () => {
    const { stdout } = await runInside(["--json", "--data", dataDir, "rounds"]);
    expect(JSON.parse(stdout)).toEqual({ rounds: [] });
  });

  it("prints help as a document", async () => {
    const { code, stdout } = await runInside(["round", "--help", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ text: expect.stringContaining("--plays-per-seed") });
  });
});

describe("an empty lab", () => {
  it.each([
    [["rounds"], "There are none yet."],
    [["env", "list"], "There are none yet."],
    [["env", "list", "--kind", "game"], "None fits these filters."],
    [["doc", "list"], "spadework doc add PATH"],
    [["status"], "No round runs or waits."],
  ])("%j says so, and what to do", async (words, message) => {
    const { code, stdout, stderr } = await runInside([...words, "--data", dataDir]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(message);
  });
});
