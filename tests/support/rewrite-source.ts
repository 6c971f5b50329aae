/** Rewrites of a source that change how it reads and nothing of what it does: what a copyist would try. */
import { type AnyNode, parse } from "acorn";
import { ancestor, full } from "acorn-walk";

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function apply(source: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), source);
}

function treeOf(source: string) {
  return parse(source, { ecmaVersion: "latest" });
}

const contract = new Set([
  "constructor",
  "reset",
  "step",
  "solution",
  "tools",
  "maxTurns",
  "singleInstance",
  "info",
]);
const answer = new Set(["observation", "reward", "terminated", "truncated", "expectedAnswer", "checkAnswer"]);

/** Renames every variable, method and field of the source's own. */
export function renamed(source: string): string {
  const own = new Set<string>();
  full(treeOf(source), (node: AnyNode) => {
    if (node.type === "MethodDefinition" && node.key.type === "Identifier") own.add(node.key.name);
    if (node.type === "AssignmentExpression" && node.left.type === "MemberExpression") {
      if (node.left.object.type === "ThisExpression" && node.left.property.type === "Identifier") {
        own.add(node.left.property.name);
      }
    }
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier") own.add(node.id.name);
    if (node.type === "ClassDeclaration" && node.id) own.add(node.id.name);
  });
  const kept = (name: string) => contract.has(name) || answer.has(name) || name.startsWith("tool_");
  const edits: Edit[] = [];
  ancestor(treeOf(source), {
    Identifier(node) {
      if (own.has(node.name) && !kept(node.name))
        edits.push({ start: node.start, end: node.end, text: newName(node.name) });
    },
  });
  full(treeOf(source), (node: AnyNode) => {
    const keys: AnyNode[] = [];
    if (node.type === "MemberExpression" && !node.computed && node.object.type === "ThisExpression")
      keys.push(node.property);
    if (node.type === "MethodDefinition") keys.push(node.key);
    if (node.type === "VariableDeclarator") keys.push(node.id);
    if (node.type === "ClassDeclaration" && node.id) keys.push(node.id);
    for (const key of keys) {
      if (key.type !== "Identifier" || !own.has(key.name) || kept(key.name)) continue;
      if (edits.some(({ start }) => start === key.start)) continue;
      edits.push({ start: key.start, end: key.end, text: newName(key.name) });
    }
  });
  return apply(source, edits);
}

function newName(name: string): string {
  return name.endsWith("Env") ? "MossyAtticEnv" : `zq${name.length}${[...name].reverse().join("")}`;
}

/** Tells another story: every word of every prose string becomes another one. */
export function retold(source: string): string {
  const edits: Edit[] = [];
  full(treeOf(source), (node: AnyNode) => {
    if (node.type === "Literal" && typeof node.value === "string" && / /.test(node.value)) {
      const text = node.value.replace(/\p{L}{3,}/gu, (word) =>
        word.length % 2 === 0 ? "moss" : "lichen grows",
      );
      edits.push({ start: node.start, end: node.end, text: JSON.stringify(text) });
    }
  });
  return apply(source, edits);
}

/** The methods in reverse order. */
export function reordered(source: string): string {
  const edits: Edit[] = [];
  full(treeOf(source), (node: AnyNode) => {
    if (node.type !== "ClassBody") return;
    const texts = node.body.map((member) => source.slice(member.start, member.end)).reverse();
    node.body.forEach((member, i) => {
      edits.push({ start: member.start, end: member.end, text: texts[i] ?? "" });
    });
  });
  return apply(source, edits);
}

/** A comment of its own on every line that ends a statement. */
export function commented(source: string): string {
  return source.replaceAll(";\n", "; // as it was before\n").replaceAll("{\n", "{\n/* a block */\n");
}

/** Numbers other than 0 and 1, counted from the start, replaced by others. */
export function resized(
  source: string,
  which: (index: number) => boolean,
  change: (value: number) => number,
): string {
  const edits: Edit[] = [];
  let index = 0;
  full(treeOf(source), (node: AnyNode) => {
    if (node.type !== "Literal" || typeof node.value !== "number" || node.value === 0 || node.value === 1)
      return;
    if (which(index)) edits.push({ start: node.start, end: node.end, text: String(change(node.value)) });
    index += 1;
  });
  return apply(source, edits);
}

/** How many numbers `resized` can replace. */
export function sizesIn(source: string): number {
  let count = 0;
  resized(
    source,
    () => {
      count += 1;
      return false;
    },
    (value) => value,
  );
  return count;
}
