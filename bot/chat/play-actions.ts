/**
 * The actions that an environment lists, where they are few: what a person can press instead of typing. Environments
 * state their commands in words, so this reads the usual ways of listing them and stays silent about all others.
 */
import type { Observation, ToolDefinition } from "../../sandbox/sandbox.ts";
import { shorten } from "../cards/harmless.ts";

export interface ListedAction {
  /** At most 80 characters, on one line. */
  readonly label: string;
  /** What a person would have typed. */
  readonly action: string;
}

/** With three more buttons beside them they fill three rows. */
const mostActions = 12;
const labelCharacters = 80;
const actionCharacters = 60;
const wordsOfCommand = 6;

/** A button whose text shows nothing could not be told from another. */
const showing = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Names under which `info` lists actions: `actions`, `legal_actions`, `availableCommands`, … */
const infoKey =
  /^(?:legal|available|valid|possible|allowed|admissible)?_?(?:actions|commands|moves|choices)$/i;

/** A line that begins a list: `Commands:`, `Your legal moves are: a | b`, `Choose one:`. */
const heading =
  /^\W*(?:(?:the|your|legal|available|valid|possible|allowed) )*(?:commands?|actions?|moves|choices|options|choose one)(?: are| now)?: *(.*)$/i;

/** `- look: just to look.`, `* look`, `2) open the red door`. */
const bullet = /^\s*(?:[-*•]|(\d{1,2})[.)])\s+(\S.*)$/;

/**
 * The actions listed in an observation, in `info`, or as tools that take nothing or one value of a few; in their order,
 * none twice. Empty where nothing is listed, where a list is too long for buttons, and where it can't be told from prose.
 */
export function listedActions(
  observation: string,
  info: Observation["info"],
  tools: readonly ToolDefinition[],
): readonly ListedAction[] {
  const listed = tools.length > 0 ? ofTools(tools) : (ofInfo(info) ?? ofObservation(observation));
  const seen = new Set<string>();
  return listed.filter(({ action }) => {
    const fits = showing.test(action) && action.length <= actionCharacters && !seen.has(action);
    seen.add(action);
    return fits;
  });
}

const asAction = (action: string, label: string = action): ListedAction => ({
  action,
  label: shorten(label.replaceAll(/\s+/g, " ").trim(), labelCharacters),
});

/** The single ones, then each group that still fits as a whole: half a group would look like all of it. */
function few(single: readonly ListedAction[], groups: readonly (readonly ListedAction[])[] = []) {
  if (single.length > mostActions) return [];
  const all = [...single];
  for (const group of groups) {
    if (all.length + group.length <= mostActions) all.push(...group);
  }
  return all;
}

function ofInfo(info: Observation["info"]): readonly ListedAction[] | null {
  const [, value] = Object.entries(info).find(([key, one]) => infoKey.test(key) && Array.isArray(one)) ?? [];
  if (!Array.isArray(value)) return null;
  const texts = value.filter((one) => typeof one === "string" || typeof one === "number").map(String);
  return texts.length === value.length && texts.length > 0 ? few(texts.map((text) => asAction(text))) : null;
}

function ofTools(tools: readonly ToolDefinition[]): readonly ListedAction[] {
  const single: ListedAction[] = [];
  const groups: ListedAction[][] = [];
  for (const { name, parameters } of tools) {
    const { properties } = parameters;
    const given = properties !== null && typeof properties === "object" ? Object.entries(properties) : [];
    const [only, ...more] = given;
    if (only === undefined) single.push(asAction(name));
    else if (more.length === 0) {
      const [key, schema] = only;
      groups.push(
        valuesOf(schema).map((value) =>
          asAction(`${name} ${JSON.stringify({ [key]: value })}`, `${name} ${value}`),
        ),
      );
    }
  }
  return few(single, groups);
}

/** The values of a parameter that names them: an `enum`, or whole numbers between two bounds. */
function valuesOf(schema: unknown): readonly (string | number)[] {
  if (schema === null || typeof schema !== "object") return [];
  if ("enum" in schema && Array.isArray(schema.enum)) {
    return schema.enum.filter((value) => typeof value === "string" || typeof value === "number");
  }
  if (!("minimum" in schema && "maximum" in schema && "type" in schema) || schema.type !== "integer")
    return [];
  return numbers(Number(schema.minimum), Number(schema.maximum), 1);
}

/** Empty if there are more than buttons. */
function numbers(from: number, to: number, by: number): number[] {
  const count = Math.floor((to - from) / by) + 1;
  if (!(count >= 1 && count <= mostActions)) return [];
  return Array.from({ length: count }, (_, at) => from + at * by);
}

function ofObservation(observation: string): readonly ListedAction[] {
  const lines = observation.split("\n");
  const at = lines.findLastIndex((line) => heading.test(line));
  if (at < 0) return [];
  const inline = heading.exec(lines[at] ?? "")?.[1]?.trim() ?? "";
  if (inline !== "") return few(ofLine(inline));
  const single: ListedAction[] = [];
  const groups: ListedAction[][] = [];
  for (const line of lines.slice(at + 1)) {
    const [, number, said] = bullet.exec(line) ?? [];
    if (said === undefined) break;
    if (number !== undefined) single.push(asAction(number, `${number}) ${said}`));
    else {
      const [form = "", ...description] = said.split(":");
      const plain = form.trim().replaceAll(/^[`"']|[`"'.]$/g, "");
      if (isCommand(plain)) single.push(asAction(plain));
      else groups.push(filledIn(plain, description.join(":")));
    }
  }
  return few(single, groups);
}

/** `buy, sell or wait. Format: …` → its commands; what needs a value to be filled in ends the list. */
function ofLine(line: string): readonly ListedAction[] {
  const sentence = /^(.*?)(?:\.(?:\s|$)|$)/.exec(line)?.[1] ?? "";
  const separator = ["|", ";", ","].find((one) => sentence.includes(one)) ?? "|";
  const items = sentence
    .split(separator)
    .flatMap((item) => item.split(/\b(?:or|and) (?=\S+$)/))
    .map((item) => item.trim().replaceAll(/^[`"']|[`"']$/g, ""))
    .filter((item) => item !== "");
  const blank = items.findIndex(needsValue);
  const commands = blank < 0 ? items : items.slice(0, blank);
  return commands.every(isCommand) ? commands.map((command) => asAction(command)) : [];
}

/** `go <place>`, `take N`, `press [row]`. */
function needsValue(text: string): boolean {
  return /[<>[\]{}…]/.test(text) || /\S\s+[A-Z]$/.test(text);
}

function isCommand(text: string): boolean {
  if (needsValue(text) || text.split(/\s+/).length > wordsOfCommand) return false;
  return /^[\p{L}\p{N}][\p{L}\p{N} _'+#/-]*$/u.test(text);
}

/** A command with one blank whose few values the description names: `<place> one of: attic, yard`, `<n> from 1 to 3`. */
function filledIn(form: string, description: string): ListedAction[] {
  const blanks = [...form.matchAll(/<([^<>]+)>/g)];
  const [blank, slot] = blanks[0] ?? [];
  if (blanks.length !== 1 || blank === undefined || slot === undefined) return [];
  const said = description.split(";").find((part) => part.trim().startsWith(blank)) ?? "";
  const words = /one of: (.*?)\.?$/.exec(said)?.[1];
  const range = /from (-?\d+) to (-?\d+)(?: in steps of (\d+))?/.exec(said);
  const values =
    words !== undefined
      ? words.split(",").map((word) => word.trim())
      : range === null
        ? []
        : numbers(Number(range[1]), Number(range[2]), Math.max(1, Number(range[3] ?? 1)));
  return values.map((value) => asAction(form.replace(blank, String(value))));
}
