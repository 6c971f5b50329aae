/** `env source`: the code of an environment. */
import { InputError } from "../../config/errors.ts";
import { card, verbatim } from "../cards/card.ts";
import { defineCommand } from "./command.ts";
import { environmentArgument, environmentOf } from "./shared.ts";

const extensions = { javascript: "js", python: "py" } as const;

export const envSource = defineCommand({
  name: "env source",
  summary: "Print an environment's source",
  examples: ["env source r1-1 > vault.js"],
  role: "viewer",
  options: { id: environmentArgument },
  async run({ id }, _caller, context) {
    const { store } = await context.services();
    const record = await environmentOf(store, id);
    if (record.sourceId === null) {
      throw new InputError("input.not-found", `${record.id} has no source: its designer wrote none.`);
    }
    const source = await store.texts.get(record.sourceId);
    const name = `${record.name}.${extensions[record.language]}`;
    return {
      card: card(`${record.id} ${record.name}`, {
        blocks: [verbatim("", source, record.language)],
        files: [{ name, text: source }],
      }),
      json: { id: record.id, name: record.name, language: record.language, source },
      raw: source,
    };
  },
});
