/**
 * Commands mined from the text of an environment that keeps no convention, written by a person or another model: what
 * it lists, what stands in quotes or in `\boxed{}`, and directions to go in.
 */
import type { Command, Slot } from "../mechanics/conventions.ts";

const maxCommands = 40;
const readCharacters = 8_000;

const listed = /\b(?:commands?|actions?|moves?|options?|verbs?)(?: are| include)?:[ \t]*([^\n]{1,400})/gi;
const bulleted = /^\s*(?:[-*•]|\d+[.)])\s*([A-Za-z][A-Za-z0-9 <>[\]{}_]{0,40}?)\s*(?:[:–—(]|$)/gm;
const quoted = /[`"“‘]([A-Za-z][A-Za-z0-9 <>[\]{}_,-]{0,48})[`"”’]|(?<=[\s(])'([A-Za-z][\w <>-]{0,40})'/g;
const boxed = /\\boxed\{([^{}\n]{1,48})\}/g;
const range = /(-?\d{1,6})\s*(?:to|-|–|and|through|\.\.+)\s*(-?\d{1,6})/;
const directions = ["north", "south", "east", "west", "up", "down", "left", "right"];
/** Words that stand for a command in a format's example. */
const standIns = new Set(["command", "action", "move", "answer", "your action", "your command", "your move"]);

/** The commands that a text seems to offer, most explicit first; empty if it offers none. Never throws. */
export function mineCommands(text: string): Command[] {
  const read = text.slice(0, readCharacters);
  const forms = new Map<string, Command>();
  const add = (candidate: string): void => {
    const command = commandOf(candidate, read);
    if (command !== null && forms.size < maxCommands && !forms.has(command.form)) {
      forms.set(command.form, command);
    }
  };
  for (const match of read.matchAll(listed)) {
    const [sentence = ""] = (match[1] ?? "").split(/\.(?:\s|$)|\\boxed/);
    for (const part of sentence.split(/,|;|\||\/|\bor\b|\band\b/)) add(part);
  }
  for (const match of read.matchAll(bulleted)) add(match[1] ?? "");
  for (const match of read.matchAll(quoted)) add(match[1] ?? match[2] ?? "");
  for (const match of read.matchAll(boxed)) {
    // An example of a form that is known already says nothing new.
    const verb = (match[1] ?? "").trim().split(" ")[0];
    if (![...forms.keys()].some((form) => form.split(" ")[0] === verb)) add(match[1] ?? "");
  }
  if (forms.size === 0) {
    const verb = /\b(go|move|walk|head) (?:<|\[|\{|north|south|up|left)/i.exec(read)?.[1]?.toLowerCase();
    for (const direction of directions) {
      if (new RegExp(`\\b${direction}\\b`, "i").test(read)) {
        add(verb === undefined ? direction : `${verb} ${direction}`);
      }
    }
  }
  return [...forms.values()];
}

/** Listed commands with the slots that their lines left open. */
export function completeSlots(commands: readonly Command[], text: string): Command[] {
  return commands.map((command) => {
    const open = [...command.form.matchAll(/<([a-z]+)>/g)]
      .map((match) => match[1] ?? "")
      .filter((name) => command.slots[name] === undefined);
    if (open.length === 0) return command;
    const found = open.map((name): [string, Slot] => [
      name,
      slotFor(name, range.test(command.description) ? command.description : text),
    ]);
    return { ...command, slots: { ...command.slots, ...Object.fromEntries(found) } };
  });
}

/** A mined form with its slots; null if it is no command but prose. */
function commandOf(candidate: string, text: string): Command | null {
  const cleaned = candidate
    .trim()
    .replace(/^[`"'“‘]+|[`"'”’.!?:]+$/g, "")
    .replace(/\s+/g, " ");
  const slots: Record<string, Slot> = {};
  let unnamed = 0;
  const form = cleaned.replace(/[<[{]\s*([^<>[\]{}]{0,24}?)\s*[>\]}]/g, (_whole, inside: string) => {
    const words = inside.split(/\s*[|/,]\s*/).filter((word) => /^\w+$/.test(word));
    unnamed += 1;
    const name = "abcdefgh".charAt(unnamed - 1) || "z";
    slots[name] = words.length > 1 ? { kind: "word", words } : slotFor(inside, text);
    return `<${name}>`;
  });
  const words = form.split(" ");
  const slotName = form.replace(/s$/, "");
  if (new RegExp(`(?<!boxed)[<[{]\\s*${literally(slotName)}\\b`).test(text)) return null;
  if (standIns.has(form.toLowerCase()) || form === "" || words.length > 5) return null;
  // Of prose, a listing has plurals and full stops; of commands, it has neither.
  if (!/^[A-Za-z<]/.test(form) || /\. |s from |s between /.test(form)) return null;
  const example = /(?:^| )(-?\d{1,6})$/.exec(form);
  if (example !== null && unnamed === 0) {
    // An example such as "guess 50" stands for the form with any number of the text's range.
    return {
      form: form.replace(/-?\d{1,6}$/, "<n>"),
      description: "",
      slots: { n: numberSlot(text, Number(example[1])) },
    };
  }
  return { form, description: "", slots };
}

function slotFor(name: string, text: string): Slot {
  if (
    /^(?:[a-z]|num|number|int|integer|index|amount|value|count|guess|digit|row|col|column|position|id)$/i.test(
      name,
    )
  ) {
    return numberSlot(text, null);
  }
  const lists = new RegExp(`${literally(name)}s?\\b[^\\n:]{0,30}:\\s*([^\\n]{1,200})`, "i").exec(text);
  const words = (lists?.[1] ?? "")
    .split(/,|;|\bor\b|\band\b/)
    .map((word) => word.trim().replace(/[.`"']/g, ""))
    .filter((word) => /^[\w-]{1,24}$/.test(word));
  if (words.length > 1) return { kind: "word", words };
  return range.test(text) ? numberSlot(text, null) : { kind: "word", words: properNouns(text) };
}

function numberSlot(text: string, example: number | null): Slot {
  const found = range.exec(text);
  const [from, to] = [Number(found?.[1] ?? 0), Number(found?.[2] ?? 9)];
  const [low, high] = from <= to ? [from, to] : [to, from];
  return {
    kind: "number",
    from: example === null ? low : Math.min(low, example),
    to: example === null ? high : Math.max(high, example),
    by: 1,
  };
}

/** Names in a text: what stands in quotes, and capitalised words inside sentences; at most 30. */
export function properNouns(text: string): string[] {
  const names = new Set<string>();
  const read = text.slice(0, readCharacters);
  for (const match of read.matchAll(/["'`“](\w{2,20})["'`”]|(?<=[a-z,;] )([A-Z]\w{1,20})/g)) {
    if (names.size < 30) names.add(match[1] ?? match[2] ?? "");
  }
  return [...names];
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
