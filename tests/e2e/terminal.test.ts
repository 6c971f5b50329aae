/** The terminal chat as people use it: piped into, and in a real terminal that `script` opens. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { program, start } from "../support/command-line.ts";

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "spadework-"));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const environment = (): Record<string, string> => ({ SPADEWORK_DATA_DIR: dataDir });

const piped = (input: string, words: readonly string[] = []) =>
  start(words, { input, environment: environment() }).ended;

describe("from a pipe", () => {
  test("a round is run, its result printed, and that is the end", async () => {
    const { code, stdout, stderr } = await piped("/round envs:1 plays:2 seed:6 kind:game\n");
    expect(code).toBe(0);
    expect(stdout).toContain("Round r1: finished");
    expect(stdout).toContain("/env show id:r1-1");
    expect(stdout).not.toContain("spadework>");
    expect(stderr).toContain("play 4/4");
  });

  test("each line is a command; one that fails says why, and the rest still runs", async () => {
    const { code, stdout, stderr } = await piped("/nope\n\n/rounds\n/quit\n/env list\n");
    expect(code).toBe(2);
    expect(stderr).toContain("There is no command /nope");
    expect(stdout).toContain("Rounds");
    expect(stdout).not.toContain("Environments");
  });

  test("with --json there is one document of all answers", async () => {
    const { code, stdout } = await piped("/rounds\n/env list\n", ["--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).answers).toMatchObject([
      { rounds: [{ roundId: "r1" }] },
      { environments: [{}] },
    ]);
  });

  test("an environment is played with lines of the pipe", async () => {
    const { code, stdout } = await piped("/env play id:r1-1 seed:3\nlook around\n/give-up\n/status\n");
    expect(code).toBe(0);
    expect(stdout).toContain("(reward ");
    expect(stdout).toContain("h1.r1-1.human.0");
    expect(stdout).toContain("No round runs or waits.");
  });

  test("nothing at all says what it needs, and ends with 2", async () => {
    const { code, stdout, stderr } = await piped("");
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("There is no DISCORD_TOKEN");
    expect(stderr).toContain("echo '/round envs:2' | npm start");
  });
});

/** A terminal in which the program runs: what it shows, and keys into it. */
function terminal() {
  const { SPADEWORK_DATA_DIR } = environment();
  const child = spawn("script", ["-qfec", `stty cols 100 rows 40; exec ${program}`, "/dev/null"], {
    env: { PATH: process.env.PATH, HOME: dataDir, TERM: "xterm", SPADEWORK_DATA_DIR },
    cwd: dataDir,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let shown = "";
  let read = 0;
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    for (const watch of watchers) watch();
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return {
    ended,
    type: (keys: string) => void child.stdin.write(keys),
    /** Waits until the terminal shows what matches, beyond what was waited for before. */
    shows: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(shown.slice(read));
          if (found === null) return;
          read += found.index + found[0].length;
          watchers.delete(look);
          resolve(found[0]);
        };
        watchers.add(look);
        ended.then(() => reject(new Error(`It ended before it showed ${pattern}:\n${shown.slice(read)}`)));
        look();
      }),
  };
}

describe("in a terminal", () => {
  test("commands are completed, next steps have numbers, and approvals are answered by number", async () => {
    const screen = terminal();
    await screen.shows(/spadework> /);
    screen.type("/rou\t");
    await screen.shows(/\/round/);
    screen.type(" envs:1 plays:1 seed:6 kind:game approve:true\r");
    await screen.shows(/It waits for people/);
    const [, approve = ""] = /(\d+) {2}\/approve/.exec(await screen.shows(/\d+ {2}\/approve id:\S+/)) ?? [];
    await screen.shows(/spadework> /);
    screen.type(`${approve}\r`);
    await screen.shows(/: approved/);
    const [, goOn = ""] = /(\d+) {2}\/resume/.exec(await screen.shows(/\d+ {2}\/resume id:\S+/)) ?? [];
    await screen.shows(/spadework> /);
    screen.type(`${goOn}\r`);
    await screen.shows(/: finished/);
    await screen.shows(/spadework> /);
    // Ctrl-C at the prompt ends nothing.
    screen.type("half a line\u0003");
    await screen.shows(/spadework> /);
    screen.type("/status\r");
    await screen.shows(/No round runs or waits/);
    await screen.shows(/spadework> /);
    screen.type("\u0004");
    expect(await screen.ended).toBe(0);
    expect(readFileSync(join(dataDir, "terminal-history"), "utf8")).toContain("approve:true");
  });

  test("Ctrl-C lets a round finish what is in flight, and the chat goes on", async () => {
    const screen = terminal();
    await screen.shows(/spadework> /);
    screen.type("/round envs:8 plays:64 seed:6\r");
    await screen.shows(/play {5}.*\d+\/\d+/);
    screen.type("\u0003");
    await screen.shows(/Finishing the episodes in flight/);
    const [roundId = ""] = /r\d+/.exec(await screen.shows(/Round r\d+ was interrupted/)) ?? [];
    await screen.shows(/spadework> /);
    screen.type(`/cancel ${roundId}\r`);
    await screen.shows(/cancelled/);
    await screen.shows(/spadework> /);
    screen.type("/quit\r");
    // The first command that did not do what it was asked for says so in the end.
    expect(await screen.ended).toBe(130);
  });
});
