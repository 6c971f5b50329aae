/** Walks over a syntax tree without lists of children, since fingerprints look at every node of every source. */
import type { AnyNode, Program } from "acorn";

/** Calls `visit` with each child of a node, in the order in which they were parsed. */
export function forEachChild(node: AnyNode, visit: (child: AnyNode) => void): void {
  let key: keyof AnyNode;
  for (key in node) {
    const value: unknown = node[key];
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) visit(item);
    } else if (isNode(value)) visit(value);
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** Every name that a program calls, reads or writes down, apart from where a function or class is declared. */
export function usedNames(program: Program): ReadonlySet<string> {
  const used = new Set<string>();
  const look = (node: AnyNode): void => {
    switch (node.type) {
      case "Identifier":
        used.add(node.name);
        return;
      case "Literal":
        if (typeof node.value === "string") used.add(node.value);
        return;
      case "MemberExpression":
        look(node.object);
        if (node.property.type === "Identifier") used.add(node.property.name);
        if (node.computed) look(node.property);
        return;
      case "Property":
        if (node.key.type === "Identifier") used.add(node.key.name);
        if (node.computed) look(node.key);
        look(node.value);
        return;
      case "ObjectPattern":
        // What is taken out of an object by name is no use of a method.
        for (const property of node.properties) {
          if (property.type === "Property") {
            if (property.computed) look(property.key);
            look(property.value);
          } else look(property);
        }
        return;
      case "MethodDefinition":
      case "PropertyDefinition":
        if (node.computed) look(node.key);
        if (node.value) look(node.value);
        return;
      case "FunctionDeclaration":
      case "ClassDeclaration":
        forEachChild(node, (child) => {
          if (child !== node.id) look(child);
        });
        return;
      case "LabeledStatement":
        look(node.body);
        return;
      case "BreakStatement":
      case "ContinueStatement":
      case "MetaProperty":
        return;
      default:
        forEachChild(node, look);
    }
  };
  look(program);
  return used;
}
