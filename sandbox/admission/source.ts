/** A JavaScript source as a syntax tree, and the classes in it that could be its environment. */
import { type AnyNode, type Class, type Program, parse } from "acorn";

/** Longer sources are refused before anything looks at them: no environment needs so much, and parsing costs time. */
export const sourceCharacters = 200_000;

export type ParsedSource =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly problem: string };

/** Parses a source as a classic script, as the sandbox runs it. `problem` is a sentence without a full stop's worth of stack. */
export function parseSource(source: string): ParsedSource {
  if (source.length > sourceCharacters) {
    return {
      ok: false,
      problem: `The source has ${source.length} characters; ${sourceCharacters} are the most. Shorten it.`,
    };
  }
  try {
    return { ok: true, program: parse(source, { ecmaVersion: "latest", sourceType: "script" }) };
  } catch (thrown) {
    return { ok: false, problem: syntaxProblem(source, thrown) };
  }
}

function syntaxProblem(source: string, thrown: unknown): string {
  if (!(thrown instanceof SyntaxError)) return "The source is nested too deeply to be parsed. Flatten it.";
  const line = "loc" in thrown ? lineOf(thrown.loc) : null;
  if (line === null) return `The source does not parse: ${thrown.message}.`;
  const text = (source.split("\n")[line - 1] ?? "").trim().slice(0, 80);
  const module = /^(import|export)\b/.test(text) ? " Environments have no imports and exports." : "";
  return `The source does not parse: ${thrown.message} in the line \`${text}\`.${module}`;
}

function lineOf(place: unknown): number | null {
  if (typeof place !== "object" || place === null || !("line" in place)) return null;
  return typeof place.line === "number" ? place.line : null;
}

/** A class at the top level of a source. */
export interface TopClass {
  readonly name: string;
  /** The name it extends, null if it extends nothing or something that has no name. */
  readonly base: string | null;
  /** Names of its methods and of its instance fields. */
  readonly members: ReadonlySet<string>;
}

/** The classes at the top level, as declarations or as values of a variable. */
export function topClasses(program: Program): TopClass[] {
  const found: TopClass[] = [];
  const add = (node: Class, name: string) =>
    found.push({
      name,
      base: node.superClass?.type === "Identifier" ? node.superClass.name : null,
      members: membersOf(node),
    });
  for (const statement of program.body) {
    if (statement.type === "ClassDeclaration") add(statement, statement.id.name);
    if (statement.type !== "VariableDeclaration") continue;
    for (const { id, init } of statement.declarations) {
      if (id.type === "Identifier" && init?.type === "ClassExpression") add(init, id.name);
    }
  }
  return found;
}

function membersOf(node: Class): Set<string> {
  const names = new Set<string>();
  for (const member of node.body.body) {
    if (member.type !== "MethodDefinition" && member.type !== "PropertyDefinition") continue;
    if (member.static || member.computed) continue;
    const key: AnyNode = member.key;
    if (key.type === "Identifier") names.add(key.name);
    if (key.type === "Literal" && typeof key.value === "string") names.add(key.value);
  }
  return names;
}
