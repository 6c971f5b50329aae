import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import stringWidth from "string-width";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { gateName } from "../../config/words.ts";
import { type RoundResult, roundResultSchema } from "../../graph/result.ts";
import { createLab, type Ended, type Lab } from "../support/command-line.ts";
import { runInside } from "../support/inside.ts";

const round = ["round", "--envs", "3", "--plays", "4", "--seed", "3"];

let lab: Lab;
let shown: Ended;
let result: RoundResult;

beforeAll(async () => {
  lab = createLab();
  shown = await lab.run(round, { environment: { COLUMNS: "80" } });
  result = await lab.json(roundResultSchema, ["resume", "r1"]);
});

afterAll(() => lab.remove());

const inside = (...words: string[]): Promise<Ended> => runInside([...words, "--data", lab.dataDir]);

async function json<T>(schema: z.ZodType<T>, ...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await inside(...words, "--json");
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return schema.parse(JSON.parse(stdout));
}

/** An environment of the round that was played. */
function played(): RoundResult["environments"][number] {
  const found = result.environments.find(({ status }) => status === "admitted");
  if (found === undefined) throw new Error("the round admitted nothing");
  return found;
}

describe("a round for people", () => {
  it("ends with 0, the result on stdout and progress as plain lines on stderr", () => {
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^Round r1: finished\n/);
    expect(shown.stderr).toMatch(/^Round r1 starts: model embedded, seed 3\.\n/);
    for (const stage of ["design", "admit", "play"]) {
      expect(shown.stderr).toMatch(new RegExp(`^${stage} (\\d+)/\\1, [\\d.]+ s$`, "m"));
    }
  });

  it("fits the screen, and has no colours where there is none", () => {
    expect(Math.max(...shown.stdout.split("\n").map((line) => stringWidth(line)))).toBeLessThanOrEqual(80);
    expect(shown.stdout + shown.stderr).not.toContain("\u001b");
  });

  it("says at most one line a second of each stage, besides its first and last", () => {
    const lines = shown.stderr.split("\n").filter((line) => line.startsWith("play "));
    const seconds = result.wallMs / 1_000;
    expect(lines.length).toBeLessThanOrEqual(2 + Math.ceil(seconds));
  });

  it("names real ids in what to try next", async () => {
    const id = /spadework env show (\S+)/.exec(shown.stdout)?.[1] ?? "";
    expect((await inside("env", "show", id)).code).toBe(0);
  });
});

describe("a round's document", () => {
  it("has the contract's keys, and unrounded numbers that belong together", () => {
    expect(result).toMatchObject({ roundId: "r1", seed: 3, model: "embedded", status: "finished" });
    expect(result.environments).toHaveLength(3);
    const one = played();
    expect(one.gates.map(({ gate }) => gate)).toEqual(gateName.options);
    expect(one.plain.returns).toHaveLength(4);
    const returns = one.plain.returns.map((value) => value ?? 0);
    expect(one.plain.meanReturn).toBeCloseTo(returns.reduce((sum, value) => sum + value, 0) / 4, 12);
    expect(result.totals.episodes).toBe(
      result.environments.reduce((sum, { plain, hinted }) => sum + plain.plays + hinted.plays, 0),
    );
    expect(result.totals.modelCalls).toBeGreaterThan(result.totals.steps);
  });

  it("is the same for the same seed in another lab, and is alone on stdout", async () => {
    const other = createLab();
    try {
      const again = await other.json(roundResultSchema, round);
      const timeless = ({ environments, totals }: RoundResult) => ({
        totals,
        environments: environments.map(({ gates: _, ...rest }) => rest),
      });
      expect(timeless(again)).toEqual(timeless(result));
    } finally {
      other.remove();
    }
  });

  it("draws a seed and names it when none is given", async () => {
    const seeds = new Set<number>();
    for (const _ of [1, 2]) {
      const one = await json(roundResultSchema, "round", "--pool", played().id, "--plays", "1");
      seeds.add(one.seed);
    }
    expect(seeds.size).toBe(2);
  });
});

describe("what a round left behind", () => {
  it("is listed: rounds, environments, episodes", async () => {
    const listed = await json(
      z.strictObject({
        rounds: z.array(
          z.strictObject({ roundId: z.string(), status: z.string(), startedAt: z.iso.datetime() }),
        ),
      }),
      "rounds",
    );
    expect(listed.rounds.at(-1)).toMatchObject({ roundId: "r1", status: "finished" });

    const environments = z.object({
      environments: z.array(z.object({ id: z.string(), status: z.string() })),
    });
    const every = await json(environments, "env", "list", "--round", "r1");
    expect(every.environments.map(({ id }) => id).sort()).toEqual(
      result.environments.map(({ id }) => id).sort(),
    );
    const admitted = await json(environments, "env", "list", "--status", "admitted", "--limit", "1");
    expect(admitted.environments).toHaveLength(1);

    const episodes = z.object({ episodes: z.array(z.object({ id: z.string(), arm: z.string() })) });
    const all = await json(episodes, "episodes", "r1");
    expect(all.episodes).toHaveLength(result.totals.episodes);
    const plain = await json(episodes, "episodes", "r1", "--arm", "plain");
    expect(new Set(plain.episodes.map(({ arm }) => arm))).toEqual(new Set(["plain"]));
  });

  it("can be read: an episode turn by turn, an environment, its source", async () => {
    const { id, name } = played();
    const episode = await inside("episode", `r1.${id}.plain.0`);
    expect(episode.stdout).toContain("First observation");
    expect(episode.stdout).toMatch(/Turn 1, environment: reward/);
    const whole = await json(
      z.object({ turns: z.number(), transcript: z.object({ turns: z.array(z.unknown()) }) }),
      "episode",
      `r1.${id}.plain.0`,
    );
    expect(whole.transcript.turns).toHaveLength(whole.turns);

    const environment = await inside("env", "show", id);
    for (const gate of gateName.options) expect(environment.stdout).toContain(gate);
    const source = await inside("env", "source", id);
    expect(source.stdout).toMatch(new RegExp(`class ${name}\\b`));
    expect(source.stdout).not.toContain("Try next");
  });

  it("is in the status", async () => {
    const status = await inside("status");
    expect(status.stdout).toContain("No round runs or waits.");
    expect(status.stdout).toContain(lab.dataDir);
  });
});

describe("other rounds", () => {
  it("play a pool without designing anything", async () => {
    const { id } = played();
    const pool = await lab.json(roundResultSchema, ["round", "--pool", id, "--plays", "2", "--seed", "1"]);
    expect(pool).toMatchObject({ mode: "pool", status: "finished" });
    expect(pool.environments.map((one) => one.id)).toEqual([id]);
    expect(pool.environments[0]?.designerReward).toBeNull();

    const everything = await json(roundResultSchema, "round", "--pool", "all", "--plays", "1");
    const admitted = result.environments.filter(({ status }) => status === "admitted");
    expect(everything.environments.map((one) => one.id)).toEqual(admitted.map((one) => one.id));
  });

  it("are grounded on the documents they are given, known ones included", async () => {
    const directory = mkdtempSync(join(tmpdir(), "spadework-docs-"));
    writeFileSync(
      join(directory, "harbour.md"),
      "# The harbour\n\nShips wait for a berth while the tide turns.\n",
    );
    try {
      for (const _ of ["new", "known"]) {
        const grounded = await json(
          roundResultSchema,
          ...["round", "--envs", "1", "--plays", "1", "--docs", join(directory, "harbour.md")],
        );
        expect(grounded.environments[0]?.documentId).toMatch(/^d[0-9a-f]{12}$/);
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it("take a preset's settings, and options over them", async () => {
    const demo = await json(roundResultSchema, "round", "--preset", "demo", "--plays", "1");
    expect(demo.environments).toHaveLength(3);
    for (const one of demo.environments.filter(({ status }) => status === "admitted")) {
      expect(one.plain.returns).toHaveLength(1);
    }
  });

  it("that can't start leave nothing behind", async () => {
    const before = (await inside("rounds", "--json")).stdout;
    for (const words of [
      ["--pool", "nothing"],
      ["--model", "nobody:x"],
      ["--plays", "0"],
    ]) {
      expect((await inside("round", ...words)).code).toBe(2);
    }
    expect((await inside("rounds", "--json")).stdout).toBe(before);
  });
});
