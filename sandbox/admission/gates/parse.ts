/** parse: the code parses, and holds one class with the contract. */
import type { Program } from "acorn";
import type { Language } from "../../../config/words.ts";
import { parseSource, type TopClass, topClasses } from "../source.ts";
import { fail, type Judgement, pass } from "./gate.ts";

const bases = new Set(["Env", "ToolUseBaseEnv"]);

/** What reading a source says; whether it loads is seen afterwards. */
export interface Reading {
  readonly judgement: Judgement;
  /** Null if it does not parse, or is in a language that can't be read here. */
  readonly program: Program | null;
}

/** Judges a source by reading it. Only JavaScript can be read here. */
export function readSource(source: string, language: Language): Reading {
  if (source.trim() === "") {
    return { judgement: fail("The source is empty. Write one class whose name ends in Env."), program: null };
  }
  if (language !== "javascript") return { judgement: pass("Read by the sandbox alone."), program: null };
  const parsed = parseSource(source);
  if (!parsed.ok) return { judgement: fail(parsed.problem), program: null };
  return { judgement: judgeClasses(topClasses(parsed.program)), program: parsed.program };
}

function judgeClasses(classes: readonly TopClass[]): Judgement {
  const extended = new Set(classes.map(({ base }) => base));
  const candidates = classes.filter(
    ({ name }) => name.endsWith("Env") && !bases.has(name) && !extended.has(name),
  );
  const own = classes.find(({ name }) => bases.has(name));
  if (own !== undefined) return fail(`The class ${own.name} is provided and must not be written.`);
  const [only, second] = candidates;
  // The sandbox also takes other ways to make a class; it has the last word on what it finds.
  if (only === undefined) return pass("It parses.");
  if (second !== undefined) {
    const names = candidates.map(({ name }) => name).join(", ");
    return fail(`There are ${candidates.length} classes whose names end in Env (${names}). Keep one.`);
  }
  const missing = missingMembers(only, classes);
  if (missing.length > 0) return fail(`The class ${only.name} has no ${missing.join(" and no ")}. Write it.`);
  return pass(`It parses and has one class of the contract, ${only.name}.`);
}

/** What the class lacks, its bases in the source included. Null-safe where a base is not in the source. */
function missingMembers(environment: TopClass, classes: readonly TopClass[]): string[] {
  const members = new Set<string>();
  const visited = new Set<string>();
  let current: TopClass | undefined = environment;
  let base: string | null = null;
  while (current !== undefined && !visited.has(current.name)) {
    visited.add(current.name);
    for (const member of current.members) members.add(member);
    base = current.base;
    current = classes.find(({ name }) => name === base);
  }
  if (base === "ToolUseBaseEnv") return members.has("reset") ? [] : ["reset(seed)"];
  return ["reset(seed)", "step(action)"].filter((wanted) => !members.has(wanted.replace(/\(.*/, "")));
}
