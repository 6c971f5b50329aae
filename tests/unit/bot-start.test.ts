import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const main = fileURLToPath(new URL("../../bot/main.ts", import.meta.url));

/** Prints the packages that a program loads, when it ends. */
const watch = `
import { registerHooks } from "node:module";
const seen = new Set();
registerHooks({ resolve(specifier, context, next) {
  const found = next(specifier, context);
  const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(found.url)?.[1];
  if (name !== undefined) seen.add(name);
  return found;
} });
process.on("exit", () => process.stderr.write(JSON.stringify([...seen])));
`;

/** Packages that cost a tenth of a second or more to load: only commands that need them may. */
const heavy = /^(@langchain\/|langsmith|isolated-vm|unpdf|html-to-text|cli-progress|openai|yaml)/;

it.each(["--help", "rounds", "env list", "status", "doc list"])("%s loads nothing heavy", (words) => {
  const dataDir = mkdtempSync(join(tmpdir(), "spadework-start-"));
  const program = [
    "--disable-warning=ExperimentalWarning",
    "--import",
    `data:text/javascript,${encodeURIComponent(watch)}`,
  ];
  const { stderr } = spawnSync(process.execPath, [...program, main, ...words.split(" "), "--data", dataDir], {
    encoding: "utf8",
    // A folder of its own: settings that lie about in a shared one would be read.
    cwd: dataDir,
  });
  rmSync(dataDir, { recursive: true });
  const loaded: unknown = JSON.parse(stderr);
  expect(loaded).toContain("commander");
  expect(loaded).not.toContainEqual(expect.stringMatching(heavy));
});
