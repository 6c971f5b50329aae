/**
 * The bench: runs every measurement (or those named as arguments), prints a table and writes var/bench.json. Exits with
 * 1 if a goal was missed, so that a script can tell.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import Table from "cli-table3";
import type { Row } from "./row.ts";

const benches: Readonly<Record<string, () => Promise<{ run: () => Promise<Row[]> }>>> = {
  sandbox: () => import("./sandbox.ts"),
  admission: () => import("./admission.ts"),
  round: () => import("./round.ts"),
  chat: () => import("./chat.ts"),
  export: () => import("./export.ts"),
  learning: () => import("./learning.ts"),
  "first-result": () => import("./first-result.ts"),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in benches));
if (unknown.length > 0) {
  process.stderr.write(
    `No bench named ${unknown.join(", ")}; there are ${Object.keys(benches).join(", ")}.\n`,
  );
  process.exit(2);
}

const rows: Row[] = [];
for (const [name, load] of Object.entries(benches)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  rows.push(...(await (await load()).run()));
}

const table = new Table({ head: ["", "value", "unit", "goal", "ok"], style: { head: [], border: [] } });
for (const row of rows) {
  table.push([row.name, Number(row.value.toPrecision(4)), row.unit, row.goal, row.ok ? "yes" : "NO"]);
}
process.stdout.write(`${table.toString()}\n`);
mkdirSync("var", { recursive: true });
writeFileSync("var/bench.json", `${JSON.stringify(rows, null, 2)}\n`);
process.exitCode = rows.every((row) => row.ok) ? 0 : 1;
