/** Commands as a player handles them: found by their role, filled in, read back, and drawn at random. */
import type { Random } from "../../../../config/random.ts";
import type { Command, Slot } from "../mechanics/conventions.ts";
import type { View } from "./view.ts";

/** The first command whose description contains one of the phrases and that passes the test. */
export function commandFor(
  view: View,
  phrases: readonly string[],
  test: (command: Command) => boolean = () => true,
): Command | null {
  return (
    view.commands.find((one) => phrases.some((phrase) => one.description.includes(phrase)) && test(one)) ??
    null
  );
}

/** The one slot of a command, if it is of a kind, with its name; null for commands with other slots or several. */
export function slotOf<K extends Slot["kind"]>(
  command: Command,
  kind: K,
): { readonly name: string; readonly slot: Extract<Slot, { kind: K }> } | null {
  const [only, ...others] = Object.entries(command.slots);
  if (only === undefined || others.length > 0) return null;
  const [name, slot] = only;
  return isKind(slot, kind) ? { name, slot } : null;
}

function isKind<K extends Slot["kind"]>(slot: Slot, kind: K): slot is Extract<Slot, { kind: K }> {
  return slot.kind === kind;
}

/** The command with its slots filled in; a slot without a value stays as it is. */
export function fill(command: Command, values: Readonly<Record<string, string | number>>): string {
  return command.form.replace(/<([a-z]+)>/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The slot values of an action that has a command's form; null if it has another. */
export function readAction(command: Command, action: string | null): Record<string, string> | null {
  if (action === null) return null;
  const form = command.form.split(" ");
  const words = action.trim().split(/\s+/);
  const values: Record<string, string> = {};
  for (const [index, part] of form.entries()) {
    const name = /^<([a-z]+)>$/.exec(part)?.[1];
    if (name === undefined) {
      if (words[index] !== part) return null;
    } else {
      const last = index === form.length - 1;
      const value = last ? words.slice(index).join(" ") : words[index];
      if (value === undefined || value === "") return null;
      values[name] = value;
    }
  }
  const open = form.at(-1)?.startsWith("<") ?? false;
  return open || words.length === form.length ? values : null;
}

/** How many values a number slot takes. */
export function countOf(slot: Extract<Slot, { kind: "number" }>): number {
  return Math.max(1, Math.floor((slot.to - slot.from) / slot.by) + 1);
}

function randomValue(slot: Slot, random: Random): string {
  if (slot.kind === "number") return String(slot.from + slot.by * random.below(countOf(slot)));
  if (slot.words.length === 0) return "";
  if (slot.kind === "word") return random.pick(slot.words);
  return Array.from({ length: Math.min(slot.length, 64) }, () => random.pick(slot.words)).join(" ");
}

/** Any of the legal commands, each form equally likely; `look` where no command is known. */
export function randomCommand(view: View, random: Random): string {
  if (view.commands.length === 0) return "look";
  const command = random.pick(view.commands);
  const values = Object.fromEntries(
    Object.entries(command.slots).map(([name, slot]) => [name, randomValue(slot, random)]),
  );
  return fill(command, values);
}
