import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { faultsOf, importsOf } from "../support/house.ts";

const root = new URL("../../", import.meta.url);
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(new URL(path, root)));

describe("the house", () => {
  it("has no file that breaks a rule", () => {
    expect(files.length).toBeGreaterThan(20);
    const faults = files.flatMap((path) => faultsOf(path, readFileSync(new URL(path, root), "utf8")));
    expect(faults).toEqual([]);
  });

  it.each([
    ["graph/a.ts", 'import { x } from "../bot/main.ts";'],
    ["sandbox/a/b.ts", 'import type { Store } from "../../store/store.ts";'],
    ["store/a.ts", 'const x = await import("../graph/round.ts");'],
    ["graph/nodes/a.ts", 'import {\n  composeServices,\n} from "../../config/compose.ts";'],
    ["config/load.ts", 'import { stages } from "../graph/events.ts";'],
    ["graph/a.ts", 'import { DatabaseSync } from "node:sqlite";'],
    ["bot/cli/a.ts", 'import { Client } from "discord.js";'],
    ["graph/nodes/a.ts", 'import { ChatOpenAI } from "@langchain/openai";'],
    ["graph/a.ts", 'export * from "isolated-vm";'],
    ["graph/a.ts", "\n".repeat(400)],
  ])("finds the fault in %s: %s", (path, source) => {
    expect(faultsOf(path, source)).toHaveLength(1);
  });

  it.each([
    ["bot/main.ts", 'import { composeServices } from "../config/compose.ts";'],
    ["config/compose.ts", 'import { openStore } from "../store/open.ts";'],
    ["graph/models/create.ts", 'import("@langchain/openai")'],
    ["graph/round.ts", 'import { StateGraph } from "@langchain/langgraph";'],
  ])("lets %s have %s", (path, source) => {
    expect(importsOf(source)).toHaveLength(1);
    expect(faultsOf(path, source)).toEqual([]);
  });
});
