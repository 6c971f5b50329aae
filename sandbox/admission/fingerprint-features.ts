/**
 * The features that a fingerprint is made of. Every method and every other top-level piece counts by itself, so that
 * their order does not matter; comments, names, wording and the ways to write the same thing leave no trace.
 */
import type { AnyNode, Literal, MemberExpression, Program, TemplateElement } from "acorn";
import { full } from "acorn-walk";

export interface Features {
  /** Runs of node types within one method; a repeated run is a feature of its own up to a limit. */
  readonly structure: ReadonlySet<string>;
  /** Numbers with the operator they stand at, patterns with their words left out, tables by their length. */
  readonly literals: ReadonlySet<string>;
}

/** Node types in one run. Shorter runs are common to all programs, longer ones make one edit look like many. */
const runLength = 6;
const repeatsCounted = 8;

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
  const structure = new Bag();
  const literals = new Bag();
  const used = usedNames(program);
  for (const unit of unitsOf(program)) {
    if (isDead(unit, used)) continue;
    const tokens: string[] = [];
    visit(unit, null, tokens, literals);
    const last = Math.max(0, tokens.length - runLength);
    for (let i = 0; i <= last; i += 1) structure.add(tokens.slice(i, i + runLength).join(" "));
  }
  return { structure: structure.set, literals: literals.set };
}

/** A set that counts: the second `x` is the feature `x#2`, so that sizes matter and not only kinds. */
class Bag {
  readonly set = new Set<string>();
  readonly #counts = new Map<string, number>();

  add(feature: string): void {
    const count = (this.#counts.get(feature) ?? 0) + 1;
    this.#counts.set(feature, count);
    if (count <= repeatsCounted) this.set.add(count === 1 ? feature : `${feature}#${count}`);
  }
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

/** Every name that the program calls, reads or writes down, apart from where it is declared. */
function usedNames(program: Program): Set<string> {
  const used = new Set<string>();
  const declared = new Set<unknown>();
  full(program, (node: AnyNode) => {
    if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") declared.add(node.id);
  });
  full(program, (node: AnyNode) => {
    if (node.type === "MemberExpression" && node.property.type === "Identifier") used.add(node.property.name);
    if (node.type === "Identifier" && !declared.has(node)) used.add(node.name);
    if (node.type === "Property" && node.key.type === "Identifier") used.add(node.key.name);
    if (node.type === "Literal" && typeof node.value === "string") used.add(node.value);
  });
  return used;
}

/** What the lab itself calls. */
const contract = /^(?:constructor|reset|step|solution|tools|checkAnswer|close|tool_.*)$/;

/** Code that nothing uses is no part of the rules: it must not make a copy look new. */
function isDead(unit: AnyNode, used: ReadonlySet<string>): boolean {
  if (unit.type === "FunctionDeclaration") return !used.has(unit.id?.name ?? "");
  if (unit.type !== "MethodDefinition" || unit.key.type !== "Identifier" || unit.computed) return false;
  return !contract.test(unit.key.name) && !used.has(unit.key.name);
}

function visit(node: AnyNode, parent: AnyNode | null, tokens: string[], literals: Bag): void {
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
    literals.add(`list ${node.elements.length}`);
  if (!transparent.has(node.type)) tokens.push(tokenOf(node));
  for (const child of childrenOf(node)) visit(child, node, tokens, literals);
  if (isBranch(node)) tokens.push("end");
}

/** Where a branch ends is structure too: without it, nested and following statements look alike. */
function isBranch(node: AnyNode): boolean {
  return /^(If|For|ForIn|ForOf|While|DoWhile|Switch|Try)Statement$|Function/.test(node.type);
}

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

function* childrenOf(node: AnyNode): Generator<AnyNode> {
  if (node.type === "MemberExpression") {
    yield node.object;
    if (node.computed) yield node.property;
    return;
  }
  if (node.type === "Property" || node.type === "MethodDefinition" || node.type === "PropertyDefinition") {
    if (node.computed) yield node.key;
    if (node.value) yield node.value;
    return;
  }
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) yield item;
    } else if (isNode(value)) yield value;
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function addLiteral(node: Literal, parent: AnyNode | null, literals: Bag): void {
  if (node.regex) {
    literals.add(`pattern ${node.regex.pattern.replace(/\\?\p{L}+/gu, wordsOnly)}`);
  } else if (typeof node.value === "number" || typeof node.value === "bigint") {
    const value = String(node.value);
    // Zeros and ones start loops and rewards everywhere; they say nothing about the size of anything.
    if (value !== "0" && value !== "1") literals.add(`number ${value} ${siteOf(parent)}`);
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
function addTable(text: string, literals: Bag): void {
  if (/[^\s\p{L}.,:;!?()'"]/u.test(text) && !/\p{L}/u.test(text)) literals.add(`table ${text.trim()}`);
}

function textOf(node: TemplateElement): string {
  return node.value.cooked ?? node.value.raw;
}
