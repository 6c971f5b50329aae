/** The rules of the house, as data and as one function: which folder may import which, and who may name which package. */
import { posix } from "node:path";

/** Folders that a folder may import from, itself left out. Tests and benches may import anything. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  bot: ["graph", "sandbox", "store", "config"],
  graph: ["sandbox", "store", "config"],
  sandbox: ["config"],
  store: ["config"],
  config: [],
};

/** Packages that only one folder may name. */
const ownedPackages: readonly { readonly packages: RegExp; readonly owner: string }[] = [
  { packages: /^(node:sqlite|ioredis|better-sqlite3)(\/|$)/, owner: "store/" },
  { packages: /^bullmq(\/|$)/, owner: "graph/runner/" },
  { packages: /^(discord\.js|discord-api-types|@discordjs\/.*)(\/|$)/, owner: "bot/discord/" },
  { packages: /^(isolated-vm|pyodide)(\/|$)/, owner: "sandbox/" },
  { packages: /^(langchain|openai|@langchain\/(?!core|langgraph)[a-z-]+)(\/|$)/, owner: "graph/models/" },
];

/** The composition file builds every adapter, so it may import anything, and only entry points may import it. */
const composition = "config/compose.ts";
const entryPoints = /^bot\/(main|entry|comparison\/worker)\.ts$/;

/** The longest a file may be: one idea fits on it. */
export const longestFile = 320;

/** Every specifier that a source imports, type imports and dynamic imports included. */
export function importsOf(source: string): string[] {
  const statements = source.matchAll(
    /^\s*(?:import|export)\b[^"'`;]*?\bfrom\s+"([^"]+)"|^\s*import\s+"([^"]+)"/gm,
  );
  const dynamic = source.matchAll(/\bimport\(\s*"([^"]+)"\s*\)/g);
  return [...statements, ...dynamic].map((match) => match[1] ?? match[2] ?? "");
}

/** What is wrong with a file, one sentence a fault. `path` is relative to the repository's root. */
export function faultsOf(path: string, source: string): string[] {
  const folder = path.split("/")[0] ?? "";
  const allowed = mayImport[folder];
  const faults: string[] = [];
  const lines = source.split("\n").length;
  if (lines > longestFile) faults.push(`${path} has ${lines} lines; split it at its second idea`);
  for (const specifier of importsOf(source)) {
    if (specifier.startsWith(".")) {
      const target = posix.normalize(posix.join(posix.dirname(path), specifier));
      const targetFolder = target.split("/")[0] ?? "";
      if (allowed === undefined) continue;
      if (target === composition) {
        if (!entryPoints.test(path)) faults.push(`${path} imports ${composition}; only entry points may`);
      } else if (path !== composition && targetFolder !== folder && !allowed.includes(targetFolder)) {
        faults.push(
          `${path} imports ${target}; ${folder} may import ${allowed.join(", ") || "nothing else"}`,
        );
      }
    } else if (allowed !== undefined || folder === "bench") {
      const rule = ownedPackages.find((owned) => owned.packages.test(specifier));
      if (rule !== undefined && !path.startsWith(rule.owner)) {
        faults.push(`${path} names ${specifier}; only ${rule.owner} may`);
      }
    }
  }
  return faults;
}
