/** Completion of a typed line: commands, options, and what an option can be. */
import type { Command } from "../commands/command.ts";
import { type Completing, complete } from "../commands/complete.ts";
import { choicesOf, optionName, optionsOn } from "../commands/option.ts";
import { commandAt } from "./request.ts";
import { typed, wordsOf } from "./words.ts";

/** What the last word can become, and that word: what readline takes. */
export type Completion = readonly [candidates: string[], word: string];

/** `looking` gives what ids are completed from; it is asked for only where an id is typed. */
export async function completeLine(
  line: string,
  commands: readonly Command[],
  looking: () => Promise<Completing>,
): Promise<Completion> {
  const words = wordsOf(line);
  const last = /\s$/.test(line) && words.at(-1)?.open !== true ? undefined : words.at(-1);
  const before = words.slice(0, last === undefined ? words.length : -1).map(({ text }) => text);
  const raw = last === undefined ? "" : line.slice(last.start);
  const named = commandAt(before, commands);
  if (named === null) {
    const names = commands.map(({ name }) => `/${name}`).filter((name) => name.startsWith(line.trimStart()));
    const start = line.trimStart();
    return [names.map((name) => `${name} `), start];
  }
  const { command } = named;
  const options = optionsOn(command.options, "terminal");
  const [, name, value] = /^([a-z][a-z-]*):(.*)$/s.exec(last?.text ?? "") ?? [];
  const chosen = options.find(([key]) => optionName(key) === name);
  if (chosen !== undefined && value !== undefined) {
    const [, option] = chosen;
    const fixed = option.kind === "switch" ? ["true", "false"] : choicesOf(option);
    const values =
      fixed.length > 0
        ? fixed.filter((one) => one.toLowerCase().startsWith(value.toLowerCase()))
        : (await complete(option, value, await looking())).map((choice) => choice.value);
    return [values.map((one) => `${name}:${typed(one)} `), raw];
  }
  const set = new Set(before.map((word) => /^([a-z][a-z-]*):/.exec(word)?.[1]));
  const names = options
    .map(([key]) => optionName(key))
    .filter((one) => !set.has(one) && one.startsWith(raw))
    .map((one) => `${one}:`);
  const argument = options.find(([, option]) => option.argument === true);
  if (argument === undefined || before.length > named.length) return [names, raw];
  // The first word after a command can be what it is about, without a name.
  const values = (await complete(argument[1], raw, await looking())).map(
    (choice) => `${typed(choice.value)} `,
  );
  return [[...values, ...names], raw];
}
