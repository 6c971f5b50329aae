import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { configSchema } from "../../config/schema.ts";
import { roundResultSchema } from "../../graph/result.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import { openStore } from "../../store/open.ts";
import { createLab, type Ended, errorDocument, type Lab } from "../support/command-line.ts";
import { runInside } from "../support/inside.ts";
import { silent } from "../support/services.ts";

const good = (name: string): string =>
  fileURLToPath(new URL(`../support/environments/good/${name}`, import.meta.url));
const lampBoard = good("lamp-board.js");
const fileCabinet = good("file-cabinet.js");

let lab: Lab;
let directory: string;

beforeAll(async () => {
  lab = createLab();
  directory = mkdtempSync(join(tmpdir(), "spadework-people-"));
});

afterAll(() => {
  lab.remove();
  rmSync(directory, { recursive: true });
});

const inside = (words: readonly string[], input?: string): Promise<Ended> =>
  runInside([...words, "--data", lab.dataDir], input === undefined ? {} : { input });

async function json<T>(schema: z.ZodType<T>, words: readonly string[], code = 0, input?: string): Promise<T> {
  const ended = await inside([...words, "--json"], input);
  expect(ended.code, ended.stdout + ended.stderr).toBe(code);
  return schema.parse(JSON.parse(ended.stdout));
}

function file(name: string, text: string): string {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
}

async function audited(): Promise<string[]> {
  const store = await openStore({ dataDir: lab.dataDir, log: silent });
  const { items } = await store.audit.list({ limit: 100 });
  await store.close();
  return items.map(({ what, subject }) => `${what} ${subject}`);
}

/** The actions that win the instance of a seed, from the environment's own solution. */
async function solutionOf(path: string, seed: number): Promise<readonly string[]> {
  const sandbox = await createSandbox(configSchema.parse({}).sandbox, silent);
  try {
    const opened = await sandbox.open(readFileSync(path, "utf8"), { language: "javascript" });
    if (!opened.ok) throw new Error(opened.failure.detail);
    return (await opened.value.run(seed, [], { solution: true })).solution ?? [];
  } finally {
    await sandbox.close();
  }
}

describe("env admit", () => {
  const admission = z.strictObject({
    id: z.string(),
    name: z.string(),
    status: z.string(),
    language: z.string(),
    gates: z.array(z.object({ gate: z.string(), verdict: z.string() })),
  });

  it("keeps an environment that passes the gates", async () => {
    const admitted = await json(admission, ["env", "admit", lampBoard]);
    expect(admitted).toMatchObject({
      id: "f1",
      name: "LampBoardEnv",
      status: "admitted",
      language: "javascript",
    });
    expect(admitted.gates).toHaveLength(13);
    expect((await inside(["env", "admit", fileCabinet])).stdout).toContain("f2 FileCabinetEnv: admitted");
  });

  it("ends with 3 for one that does not, naming the gate", async () => {
    const hollow = file("hollow.js", "class HollowEnv { reset() { return 1; } }");
    const rejected = await json(admission, ["env", "admit", hollow], 3);
    expect(rejected.status).toBe("rejected");
    expect(rejected.gates.some(({ verdict }) => verdict === "fail")).toBe(true);
    const prose = await inside(["env", "admit", file("prose.js", "I would rather not write code.")]);
    expect(prose.code).toBe(3);
    expect(prose.stdout).toMatch(/rejected\n\nparse: /);
  });
});

const playResult = z.object({
  episodeId: z.string(),
  return: z.number(),
  turns: z.number(),
  terminated: z.boolean(),
  hintRevealed: z.boolean(),
  failure: z.object({ code: z.string() }).nullable(),
  model: z.object({ plain: z.object({ meanReturn: z.number() }) }).nullable(),
});

describe("env request", () => {
  it("designs an environment to a brief and shows it", async () => {
    const asked = await inside(["env", "request", "a game about tides", "--plays", "2", "--seed", "3"]);
    expect(asked.code).toBe(0);
    expect(asked.stdout).toMatch(/^r1-1 \w+Env: admitted$/m);
    expect(asked.stdout).toMatch(/^brief +a game about tides$/m);
    expect(asked.stdout).toMatch(/^plain +.* over 2 plays$/m);
    expect(asked.stdout).toContain("spadework round --pool r1-1");
    const missing = await inside(["env", "request"]);
    expect(missing.code).toBe(2);
  });
});

describe("env play", () => {
  it("wins with the right actions from a file, and keeps the episode", async () => {
    const actions = file("winning.txt", `${(await solutionOf(lampBoard, 7)).join("\n")}\n\n`);
    const result = await json(playResult, ["env", "play", "f1", "--seed", "7", "--actions", actions]);
    expect(result).toMatchObject({
      return: 1,
      terminated: true,
      hintRevealed: false,
      failure: null,
      model: null,
    });
    const episode = await inside(["episode", result.episodeId]);
    expect(episode.stdout).toMatch(/^arm +human$/m);
    expect(episode.stdout).toMatch(/reward 1, terminated/);
    expect((await inside(["env", "show", "f1"])).stdout).toMatch(/^played by people +\S+ 1\.00$/m);
  });

  it("takes typed actions, calls tools by name, and shows each turn", async () => {
    const typed = await inside(
      ["env", "play", "f2", "--seed", "3"],
      "nonsense\n/hint\nanswer nothing at all\n",
    );
    expect(typed.code).toBe(0);
    expect(typed.stdout).toContain("Tools. Type: name");
    expect(typed.stdout).toContain("This environment has no hint.");
    expect(typed.stdout).toContain("f2 FileCabinetEnv: return");
    expect(typed.stdout).toContain("Play the same seed again");
  });

  it("is compared with other plays of the same seed", async () => {
    const compared = z.object({
      seeds: z.array(
        z.object({ seed: z.number(), people: z.array(z.object({ best: z.object({ return: z.number() }) })) }),
      ),
    });
    const { seeds } = await json(compared, ["env", "compare", "f1"]);
    expect(seeds).toEqual([{ seed: 7, people: [{ best: { return: 1 } }] }]);
    const shown = await inside(["env", "compare", "f1", "--seed", "7"]);
    expect(shown.stdout).toContain("spadework env play f1 --seed 7");
    expect((await inside(["env", "compare", "f1", "--seed", "8"])).stdout).toContain(
      "Nobody has played seed 8 yet.",
    );
  });

  it("keeps one that was given up, with return 0", async () => {
    const result = await json(playResult, ["env", "play", "f1", "--seed", "1"], 0, "press 1 1\n/give-up\n");
    expect(result).toMatchObject({ return: 0, turns: 1, terminated: false, failure: { code: "gave-up" } });
  });

  it("keeps nothing when no action comes", async () => {
    const { error } = await json(errorDocument, ["env", "play", "f1"], 2);
    expect(error.message).toContain("--actions FILE");
  });
});

describe("hints of people", () => {
  const hint = "Press a lamp only where the row above it is dark.";

  it("are kept once, listed, and shown with the environment", async () => {
    expect((await inside(["hint", "add", "f1", hint])).stdout).toContain("spadework env measure f1");
    const again = await inside(["hint", "add", "f1", hint]);
    expect(again.code).toBe(3);
    const listed = await json(z.object({ hints: z.array(z.object({ text: z.string() })) }), [
      "hint",
      "list",
      "f1",
    ]);
    expect(listed.hints.map(({ text }) => text)).toEqual([hint]);
    expect((await inside(["env", "show", "f1"])).stdout).toContain(hint);
  });

  it("are played by env measure as an arm of their own", async () => {
    const measured = await json(roundResultSchema, ["env", "measure", "f1", "--plays", "3", "--seed", "2"]);
    expect(measured.mode).toBe("measure");
    expect(measured.environments[0]?.hintedHuman?.returns).toHaveLength(3);
    const shown = await inside(["resume", measured.roundId]);
    expect(shown.stdout).toContain("person's hint");
  });

  it("are what a player can reveal, and the episode says so", async () => {
    const result = await json(
      playResult,
      ["env", "play", "f1", "--seed", "7"],
      0,
      "/hint\npress 1 1\n/give-up\n",
    );
    expect(result.hintRevealed).toBe(true);
    expect(result.model?.plain.meanReturn).toBeTypeOf("number");
    expect((await inside(["episode", result.episodeId])).stdout).toContain(hint);
  });
});

describe("documents", () => {
  it("are added, listed, shown and removed", async () => {
    const harbour = file("harbour.md", "# The harbour\n\nShips wait for a berth while the tide turns.\n");
    const added = await json(
      z.object({ added: z.array(z.object({ id: z.string(), title: z.string() })), skipped: z.number() }),
      ["doc", "add", harbour],
    );
    expect(added).toMatchObject({ added: [{ title: "The harbour" }], skipped: 0 });
    const id = added.added[0]?.id ?? "";
    expect((await inside(["doc", "add", harbour])).stdout).toContain("1 document was there already.");
    expect((await inside(["doc", "list"])).stdout).toContain(id);
    expect((await inside(["doc", "show", id])).stdout).toContain("while the tide turns");
    expect((await inside(["doc", "remove", id])).stdout).toContain("removed");
    expect((await inside(["doc", "remove", id])).code).toBe(2);
    expect((await inside(["doc", "list"])).stdout).toContain("There are none");
  });
});

describe("approvals", () => {
  it("hold a round until people have decided, then it plays what they approved", async () => {
    const waiting = await json(roundResultSchema, [
      ...["round", "--envs", "3", "--plays", "2", "--seed", "3", "--approve"],
    ]);
    expect(waiting.status).toBe("waiting");
    expect(waiting.totals.episodes).toBe(0);
    const asked = waiting.environments.filter(({ status }) => status === "admitted").map(({ id }) => id);
    expect(asked.length).toBeGreaterThan(1);
    const [first = "", ...others] = asked;

    const status = await inside(["status"]);
    expect(status.stdout).toContain("wait for a person's approval");
    for (const id of asked) expect(status.stdout).toContain(id);
    const early = await inside(["resume", waiting.roundId]);
    expect(early.stdout).toContain("It waits for people to decide");
    expect(early.stdout).toContain(`spadework approve ${first}`);
    expect((await inside(["round", "--pool", first])).stderr).toContain("waits for approval");

    expect((await inside(["approve", first])).stdout).toMatch(/still waits?\./);
    const twice = await inside(["approve", first]);
    expect(twice.code).toBe(3);
    expect(twice.stderr).toContain("approved already");
    for (const id of others) {
      const rejected = await inside(["reject", id, "--reason", "Not this one."]);
      if (id === others.at(-1)) expect(rejected.stdout).toContain(`spadework resume ${waiting.roundId}`);
    }

    const finished = await json(roundResultSchema, ["resume", waiting.roundId]);
    expect(finished.status).toBe("finished");
    expect(finished.environments.filter(({ status: one }) => one === "admitted").map(({ id }) => id)).toEqual(
      [first],
    );
    expect(finished.environments.find(({ id }) => id === others[0])?.reason).toContain("Not this one.");
  });
});

describe("env retire", () => {
  it("takes an environment out of play, once", async () => {
    expect((await inside(["env", "retire", "f2", "--reason", "Too dull."])).stdout).toContain("retired");
    expect((await inside(["env", "show", "f2"])).stdout).toContain("retired: Too dull.");
    expect((await inside(["env", "retire", "f2"])).code).toBe(3);
    expect((await inside(["env", "measure", "f2"])).code).toBe(3);
  });
});

describe("the audit log", () => {
  it("has a line for everything that people changed", async () => {
    const lines = (await audited()).map((line) => line.split(" ")[0]);
    for (const what of [
      "environment.admit-file",
      "hint.add",
      "document.add",
      "document.remove",
      "environment.approved",
      "environment.rejected",
      "environment.retired",
      "round.create",
    ]) {
      expect(lines).toContain(what);
    }
  });
});
