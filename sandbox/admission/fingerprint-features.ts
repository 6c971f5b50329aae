/**
 * The features that a fingerprint is made of. Every method and every other top-level piece counts by itself, so that
 * their order does not matter; comments, names, wording and the ways to write the same thing leave no trace.
 */
import type { AnyNode, Literal, MemberExpression, Program, TemplateElement } from "acorn";
import { forEachChild, usedNames } from "./syntax-walk.ts";

/** Hashes of features with how often each is there. */
export type Bag = ReadonlyMap<number, number>;

export interface Features {
  /** Runs of node types within one method. */
  readonly structure: Bag;
  /** Numbers with the operator they stand at, patterns with their words left out, tables by their length. */
  readonly literals: Bag;
}

/** Node types in one run. Shorter runs are common to all programs, longer ones make one edit look like many. */
const runLength = 6;

/** Properties of the language itself: they tell what a program does and can't be renamed. */
const languageProperties = new Set(
  `abs at ceil charAt charCodeAt concat entries every exec fill filter find findIndex flat flatMap floor forEach
  from fromEntries get has includes indexOf isArray isInteger join keys lastIndexOf length map match matchAll max min
  padEnd padStart parse pop pow push random reduce repeat replace replaceAll reverse round set shift sign slice some
  sort splice split sqrt startsWith endsWith stringify substring test toFixed toLowerCase toUpperCase trim trunc
  unshift values add delete size clear`.split(/\s+/),
);

/** Nodes that say nothing of their own: braces, parentheses of statements, class and expression shells. */
const transparent = new Set(["BlockStatement", "ExpressionStatement", "EmptyStatement", "ChainExpression"]);

export function features(program: Program): Features {
  const structure = new Map<number, number>();
  const literals = new Map<number, number>();
  const used = usedNames(program);
  for (const unit of unitsOf(program)) {
    if (isDead(unit, used)) continue;
    const tokens: string[] = [];
    visit(unit, null, tokens, literals);
    addRuns(tokens, structure);
  }
  return { structure, literals };
}

function addRuns(tokens: readonly string[], structure: Map<number, number>): void {
  for (let start = 0; start === 0 || start + runLength <= tokens.length; start += 1) {
    let hash = hashOf(tokens[start] ?? "");
    const end = Math.min(start + runLength, tokens.length);
    for (let i = start + 1; i < end; i += 1) hash = hashOf(tokens[i] ?? "", hashOf(" ", hash));
    count(structure, hash);
  }
}

function count(bag: Map<number, number>, hash: number): void {
  bag.set(hash, (bag.get(hash) ?? 0) + 1);
}

/** FNV-1a over UTF-16 units; `from` is the hash of what stands before. */
export function hashOf(text: string, from = 0x811c_9dc5): number {
  let hash = from | 0;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
  return hash;
}

/** The pieces whose order is a matter of taste: members of classes, statements at the top level. */
function* unitsOf(program: Program): Generator<AnyNode> {
  for (const statement of program.body) {
    const declared =
      statement.type === "VariableDeclaration" ? statement.declarations.map(({ init }) => init) : [statement];
    for (const node of declared) {
      if (node === null || node === undefined) continue;
      if (node.type !== "ClassDeclaration" && node.type !== "ClassExpression") yield node;
      else yield* node.body.body;
    }
  }
}

/** What the lab itself calls. */
const contract = /^(?:constructor|reset|step|solution|tools|checkAnswer|close|tool_.*)$/;

/** Code that nothing uses is no part of the rules: it must not make a copy look new. */
function isDead(unit: AnyNode, used: ReadonlySet<string>): boolean {
  if (unit.type === "FunctionDeclaration") return !used.has(unit.id?.name ?? "");
  if (unit.type !== "MethodDefinition" || unit.key.type !== "Identifier" || unit.computed) return false;
  return !contract.test(unit.key.name) && !used.has(unit.key.name);
}

function visit(node: AnyNode, parent: AnyNode | null, tokens: string[], literals: Map<number, number>): void {
  if (node.type === "Literal") {
    tokens.push(literalKind(node));
    addLiteral(node, parent, literals);
    return;
  }
  if (node.type === "TemplateElement") {
    addTable(textOf(node), literals);
    return;
  }
  if (node.type === "ArrayExpression" && node.elements.length > 1)
    count(literals, hashOf(`list ${node.elements.length}`));
  if (!transparent.has(node.type)) tokens.push(tokenOf(node));
  if (node.type === "MemberExpression") {
    visit(node.object, node, tokens, literals);
    if (node.computed) visit(node.property, node, tokens, literals);
  } else if (
    node.type === "Property" ||
    node.type === "MethodDefinition" ||
    node.type === "PropertyDefinition"
  ) {
    if (node.computed) visit(node.key, node, tokens, literals);
    if (node.value) visit(node.value, node, tokens, literals);
  } else {
    forEachChild(node, (child) => visit(child, node, tokens, literals));
  }
  if (branches.has(node.type)) tokens.push("end");
}

/** Where a branch ends is structure too: without it, nested and following statements look alike. */
const branches: ReadonlySet<string> = new Set([
  ...["If", "For", "ForIn", "ForOf", "While", "DoWhile", "Switch", "Try"].map((name) => `${name}Statement`),
  ...["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"],
]);

function tokenOf(node: AnyNode): string {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return "Function";
    case "BinaryExpression":
    case "LogicalExpression":
    case "UnaryExpression":
    case "AssignmentExpression":
    case "UpdateExpression":
      // Strict or loose equality is a habit of writing, not a rule.
      return node.operator.replace("===", "==").replace("!==", "!=");
    case "MemberExpression":
      return isOfLanguage(node) ? `.${propertyOf(node)}` : ".";
    case "TemplateLiteral":
      return `Template${node.expressions.length}`;
    default:
      return node.type;
  }
}

/** `list.at` is the language's, `this.at` is a field of the author's. */
function isOfLanguage(node: MemberExpression): boolean {
  return node.object.type !== "ThisExpression" && languageProperties.has(propertyOf(node));
}

function propertyOf({ computed, property }: MemberExpression): string {
  return !computed && property.type === "Identifier" ? property.name : "";
}

function literalKind(node: Literal): string {
  if (node.regex) return "pattern";
  return typeof node.value === "bigint" ? "number" : typeof node.value;
}

function addLiteral(node: Literal, parent: AnyNode | null, literals: Map<number, number>): void {
  if (node.regex) {
    count(literals, hashOf(`pattern ${node.regex.pattern.replace(/\\?\p{L}+/gu, wordsOnly)}`));
  } else if (typeof node.value === "number" || typeof node.value === "bigint") {
    const value = String(node.value);
    // Zeros and ones start loops and rewards everywhere; they say nothing about the size of anything.
    if (value !== "0" && value !== "1") count(literals, hashOf(`number ${value} ${siteOf(parent)}`));
  } else if (typeof node.value === "string") {
    addTable(node.value, literals);
  }
}

/** `\d` and `\b` belong to the pattern; a word in it belongs to the theme. */
function wordsOnly(run: string): string {
  if (!run.startsWith("\\")) return "a";
  return run.length > 2 ? `${run.slice(0, 2)}a` : run;
}

/** The operator a number stands at: `< 7` and `+ 7` are different rules. */
function siteOf(parent: AnyNode | null): string {
  if (parent?.type === "BinaryExpression" || parent?.type === "AssignmentExpression")
    return parent.operator[0] ?? "";
  return parent?.type === "ArrayExpression" ? "list" : "";
}

/** Strings without a letter are tables (`#..#`, `0110`) and part of the rules; others are wording. */
function addTable(text: string, literals: Map<number, number>): void {
  if (/[^\s\p{L}.,:;!?()'"]/u.test(text) && !/\p{L}/u.test(text))
    count(literals, hashOf(`table ${text.trim()}`));
}

function textOf(node: TemplateElement): string {
  return node.value.cooked ?? node.value.raw;
}
