/** The SQLite saver under a real graph: forks keep their own values, and a step stores what it changed alone. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Database, numberOf } from "../../store/sqlite/database.ts";
import { migrate } from "../../store/sqlite/migrations.ts";
import { SqliteSaver } from "../../store/sqlite/saver.ts";

let directory: string;
let database: Database;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "spadework-saver-"));
  database = new Database(join(directory, "test.db"));
  migrate(database);
});

afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true });
});

const State = Annotation.Root({
  ballast: Annotation<string>,
  steps: Annotation<number>,
});

/** Counts to `to`, one step of the graph at a time. */
function counting(to: number) {
  return new StateGraph(State)
    .addNode("count", (state) => ({ steps: state.steps + 1 }))
    .addEdge(START, "count")
    .addConditionalEdges("count", (state) => (state.steps < to ? "count" : END))
    .compile({ checkpointer: new SqliteSaver(database) });
}

test("two branches that count on from one checkpoint don't see each other's values", async () => {
  const graph = counting(3);
  const thread = { configurable: { thread_id: "r1" } };
  await graph.invoke({ ballast: "", steps: 0 }, thread);
  const history = [];
  for await (const state of graph.getStateHistory(thread)) history.push(state);
  const early = history.find((state) => state.values.steps === 1);
  const last = history.find((state) => state.values.steps === 3);
  if (early === undefined || last === undefined) throw new Error("the history misses a step");
  const branch = await graph.updateState(early.config, { steps: 100 });
  expect((await graph.getState(branch)).values.steps).toBe(100);
  expect((await graph.getState(last.config)).values.steps).toBe(3);
  const values = [];
  for await (const state of graph.getStateHistory(thread)) values.push(state.values.steps);
  expect(values).toEqual([100, 3, 2, 1, 0, undefined]);
});

test("a large value that does not change is stored once, however many steps there are", async () => {
  const ballast = "x".repeat(100_000);
  await counting(50).invoke(
    { ballast, steps: 0 },
    { configurable: { thread_id: "r1" }, recursionLimit: 100, durability: "sync" },
  );
  const row = database.get("SELECT sum(length(value)) AS bytes FROM channel_versions") ?? {};
  // Once as the graph's input and once as its channel.
  expect(numberOf(row, "bytes")).toBeGreaterThan(200_000);
  expect(numberOf(row, "bytes")).toBeLessThan(210_000);
});
