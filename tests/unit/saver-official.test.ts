/** The official suite for checkpoint savers, on SQLite. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { afterAll } from "vitest";
import { Database } from "../../store/sqlite/database.ts";
import { migrate } from "../../store/sqlite/migrations.ts";
import { SqliteSaver } from "../../store/sqlite/saver.ts";

const directory = mkdtempSync(join(tmpdir(), "spadework-saver-"));
let opened = 0;

const initializer = {
  checkpointerName: "SqliteSaver",
  createCheckpointer(): SqliteSaver {
    opened += 1;
    const database = new Database(join(directory, `${opened}.db`));
    migrate(database);
    return new SqliteSaver(database);
  },
};

afterAll(() => rmSync(directory, { recursive: true }));

validate(initializer);
deltaChannelHistoryTests(initializer);
