import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { roundResultSchema } from "../../graph/result.ts";
import { createLab, errorDocument, type Lab, type Running } from "../support/command-line.ts";
import { type OpenAiServer, startOpenAiServer } from "../support/openai-server.ts";

const environment = fileURLToPath(new URL("../support/environments/good/lamp-board.js", import.meta.url));

let server: OpenAiServer;
/** A lab with one environment, which the tests start from: a round over it plays at once. */
let template: Lab;
let lab: Lab;

beforeAll(async () => {
  server = await startOpenAiServer();
  template = createLab();
  const { code, stderr } = await template.run(["env", "admit", environment]);
  if (code !== 0) throw new Error(stderr);
});

afterAll(async () => {
  template.remove();
  await server.close();
});

beforeEach(() => {
  lab = createLab();
  cpSync(template.dataDir, lab.dataDir, { recursive: true });
});

afterEach(() => {
  server.setDelay(0);
  server.setFault(null);
  lab.remove();
});

const plays = 24;
const round = [
  "round",
  "--pool",
  "f1",
  "--plays",
  String(plays),
  "--model",
  "openai:scripted",
  "--seed",
  "5",
];

const options = () => ({
  environment: {
    OPENAI_BASE_URL: server.baseUrl,
    OPENAI_API_KEY: "none",
    // Few calls in flight, so that there is a middle to stop in.
    SPADEWORK_MODELS_CONCURRENCY: "2",
  },
});

/** Starts a round and waits until it plays, with episodes still ahead. */
async function playing(words: readonly string[] = round): Promise<Running> {
  server.setDelay(20);
  const running = lab.start(words, options());
  await running.says(/^play [1-9]\d*\/\d+/m);
  return running;
}

describe("the first Ctrl-C", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "(%s) finishes what is in flight and says how to go on; resuming loses and repeats nothing",
    async (signal) => {
      const running = await playing();
      running.child.kill(signal);
      const { code, stdout, stderr } = await running.ended;
      expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
      expect(stderr).toContain("Finishing the episodes in flight. Press Ctrl-C once more to stop at once.");
      const kept = Number(
        /Round r1 was interrupted; (\d+) finished episodes? (?:is|are) kept\./.exec(stderr)?.[1],
      );
      expect(kept).toBeGreaterThan(0);
      expect(stderr).toContain("Go on with it: spadework resume r1");

      const status = await lab.run(["status"]);
      expect(status.stdout).toMatch(/r1 .*interrupted/);
      expect(status.stdout).toContain("spadework resume r1");

      server.setDelay(0);
      const before = server.calls.length;
      const result = await lab.json(roundResultSchema, ["resume", "r1"], options());
      expect(result.status).toBe("finished");
      expect(result.totals.episodes).toBe(plays);
      expect(kept).toBeLessThan(plays);
      // Every call after the resume belongs to an episode that was not finished before it.
      const calls = server.calls.length - before;
      expect(result.totals.modelCalls).toBeGreaterThan(calls);
    },
  );

  it("answers one document with --json", async () => {
    const running = await playing([...round, "--json"]);
    running.child.kill("SIGINT");
    const { code, stdout } = await running.ended;
    const { error } = errorDocument.parse(JSON.parse(stdout));
    expect(code).toBe(130);
    expect(error).toMatchObject({
      code: "round.interrupted",
      fix: "Go on with it: spadework resume r1",
      data: { roundId: "r1" },
    });
  });
});

describe("the second Ctrl-C", () => {
  it("stops at once, and the round can still be resumed", async () => {
    const running = await playing();
    server.setFault(() => "hang");
    running.child.kill("SIGINT");
    await running.says(/Finishing the episodes/);
    const asked = performance.now();
    running.child.kill("SIGINT");
    const { code, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(performance.now() - asked).toBeLessThan(5_000);
    expect(stderr).toContain("spadework resume r1");

    server.setFault(null);
    server.setDelay(0);
    const result = await lab.json(roundResultSchema, ["resume", "r1"], options());
    expect(result.status).toBe("finished");
  });
});

describe("a cancelled round", () => {
  it("ends in the process that works on it, with 3 and its document", async () => {
    const running = await playing([...round, "--json"]);
    const cancelled = await lab.run(["cancel", "r1", "--json"]);
    expect(JSON.parse(cancelled.stdout)).toEqual({ roundId: "r1", status: "cancelled" });
    const { code, stdout } = await running.ended;
    expect(roundResultSchema.parse(JSON.parse(stdout)).status).toBe("cancelled");
    expect(code).toBe(3);

    const again = await lab.run(["cancel", "r1"]);
    expect(again.code).toBe(3);
    expect(again.stderr).toContain("Round r1 is cancelled already.");
    expect((await lab.run(["resume", "r1"])).code).toBe(3);
  });
});

describe("a round that another process works on", () => {
  it("can't be resumed meanwhile", async () => {
    const running = await playing();
    const { code, stderr } = await lab.run(["resume", "r1"], options());
    expect(code).toBe(3);
    expect(stderr).toContain("Another process works on round r1 at the moment.");
    running.child.kill("SIGINT");
    await running.ended;
  });
});
