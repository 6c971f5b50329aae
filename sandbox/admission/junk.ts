/** Actions that no player should send and some will: junk of all kinds, and legal actions bent out of shape. */
import type { EnvironmentKind, Json } from "../../config/words.ts";
import { wrapAction } from "../actions.ts";
import type { ToolDefinition } from "../sandbox.ts";
import { readCall, writeCall } from "./mining/calls.ts";

/** What no environment can take for a command: how it is answered is how junk is answered. */
const nonsense = [
  "",
  " ",
  "\n\n\t",
  "zzqx vlorp",
  "__proto__",
  "hasOwnProperty",
  "{}",
  "((((((((((",
  "[a-z]+(?:*",
  "' OR 1=1 --",
  "%s %d $& $1 \\1 \\",
  "e\u0301\u0301\u0301 \u202eabc\u202c \u200b\ufeff",
  "🧩🤖👩‍👩‍👧 ☃",
  "\u0000\u0001\u001b[31m",
];

/** What one environment or another could take for a command, and should not stumble over. */
const odd = [
  "null",
  "undefined",
  "NaN",
  "-1",
  "0",
  "3.7",
  "1e309",
  "99999999999999999999",
  "constructor",
  "toString",
  "[]",
  '{"a":{"b":[1,null]}}',
  "<b>bold</b>",
  "I am not sure what to do, could you help me?",
  "¿Qué? Привет 你好 مرحبا שלום",
];

const texts = [...nonsense, ...odd];

const longText = "x".repeat(5_000);
const longWords = "look ".repeat(1_000);
const longDigits = "9".repeat(2_000);

/** Nonsense in and out of the format of a kind: nothing in it can be meant as a command. */
export function nonsenseActions(kind: EnvironmentKind): string[] {
  if (kind === "game") {
    return [...nonsense.map((text) => `\\boxed{${text}}`), "", " ", "\\boxed{", "}", "zzqx vlorp"];
  }
  return [
    ...nonsense,
    "<tool_call>",
    "<tool_call></tool_call>",
    "<tool_call>{}</tool_call>",
    "<tool_call>[]</tool_call>",
    "<tool_call>null</tool_call>",
    '<tool_call>{"name": null}</tool_call>',
    '<tool_call>{"name": 7, "arguments": {}}</tool_call>',
    '<tool_call>{"name": "no_such_tool", "arguments": {}}</tool_call>',
    '<tool_call>{"name": "__proto__", "arguments": {}}</tool_call>',
    '<tool_call>{"name": "constructor", "arguments": {}}</tool_call>',
    '<tool_call>{"name": "x", "arguments": {"a": </tool_call>',
    "<answer>",
  ];
}

/** Junk that an environment could take for something: odd values, long texts, answers of all kinds. */
export function oddActions(kind: EnvironmentKind): string[] {
  if (kind === "game") {
    const boxed = [...odd, longText, longDigits].map((text) => `\\boxed{${text}}`);
    return [...boxed, ...odd.slice(0, 4), longWords, "\\boxed{\\boxed{look}", "boxed look"];
  }
  return [
    ...odd.slice(0, 8),
    longWords,
    ...texts.map((text) => `<answer>${text}</answer>`),
    `<answer>${longText}</answer>`,
    '<answer>{"a": [1, {"b": null}]}</answer>',
  ];
}

/** A known tool with arguments of every wrong type. */
function bentCalls({ name, parameters }: ToolDefinition): string[] {
  const { properties } = parameters;
  const named = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const all = (value: Json): string => writeCall(name, Object.fromEntries(named.map((key) => [key, value])));
  const wrong: Json[] = [null, -1, 1e300, "", "__proto__", longText, true, [], [null], { a: { b: 1 } }];
  const raw = [null, "text", 7, []].map(
    (given) => `<tool_call>${JSON.stringify({ name, arguments: given })}</tool_call>`,
  );
  return [writeCall(name, {}), writeCall(name, { unexpected: 1 }), ...raw, ...wrong.map(all)];
}

const shapesBent = 6;

/** Legal actions and tools bent out of shape: a value missing, doubled, of another type or out of any range. */
export function malformedActions(
  kind: EnvironmentKind,
  legal: readonly string[],
  tools: readonly ToolDefinition[],
): string[] {
  const byHead = new Map<string, string>();
  for (const action of legal) {
    const head =
      kind === "tool-use" ? (readCall(action)?.name ?? "answer") : (bare(action).split(/\s/)[0] ?? "");
    if (!byHead.has(head)) byHead.set(head, action);
  }
  const bent = [...byHead.values()]
    .slice(0, shapesBent)
    .flatMap((action) => (kind === "tool-use" ? bentToolUse(action) : bentCommands(bare(action))));
  return [...new Set([...bent, ...tools.slice(0, shapesBent).flatMap(bentCalls)])];
}

function bare(action: string): string {
  return action.replace(/^\\boxed\{([\s\S]*)\}$/, "$1");
}

function bentCommands(command: string): string[] {
  const words = command.split(" ");
  const head = words[0] ?? "";
  const rest = words.slice(1).join(" ");
  const numbers = ["-1", "0", "999999999", "1.5", "NaN", ""].map((value) => command.replace(/\d+/g, value));
  return [
    head,
    rest,
    `${head} __proto__`,
    `${head} constructor`,
    `${head} 🤖`,
    `${head}${rest}`,
    `${command} ${command}`,
    `${command} please`,
    command.toUpperCase(),
    `  ${command}  `,
    command.replaceAll(" ", ", "),
    command.slice(0, Math.ceil(command.length / 2)),
    words.toReversed().join(" "),
    `${head} ${"x".repeat(2_000)}`,
    ...numbers,
  ].map((text) => wrapAction("game", text));
}

function bentToolUse(action: string): string[] {
  const call = readCall(action);
  if (call === null) return [action.toUpperCase(), action.replace(/<\/\w+>$/, ""), `${action}${action}`];
  const names = Object.keys(call.given);
  const without = names.map((left) =>
    Object.fromEntries(Object.entries(call.given).filter(([name]) => name !== left)),
  );
  const changed = names.flatMap((name) =>
    [null, -1, "constructor", ["a"]].map((value) => ({ ...call.given, [name]: value })),
  );
  return [
    ...[...without, ...changed].map((given) => writeCall(call.name, given)),
    action.replace("</tool_call>", ""),
    action.replaceAll('"', "'"),
    `${action}\n${action}`,
  ];
}
