/** `hint add`: a person's hint for an environment. */
import { InputError } from "../../config/errors.ts";
import { card, verbatim } from "../cards/card.ts";
import { defineCommand } from "./command.ts";
import { environmentOf, hintOptions } from "./shared.ts";

export const hintAdd = defineCommand({
  name: "hint add",
  summary: "Write a hint for an environment: it is played as an arm of its own, hinted-human",
  details: "The newest hint counts. It is played by `env measure` and by rounds with --pool.",
  examples: ["hint add r1-1 'Halve the interval with every guess.'"],
  role: "researcher",
  options: hintOptions,
  async run({ id, text }, caller, context) {
    const services = await context.services();
    const { store, now } = services;
    const record = await environmentOf(store, id);
    const textId = await store.texts.put(text);
    const hint = {
      id: `${record.id}-h${textId.slice(0, 8)}`,
      environmentId: record.id,
      author: caller.name,
      textId,
      createdAt: now(),
    };
    if (!(await store.hints.insert(hint))) {
      throw new InputError("input.conflict", `${record.id} has this very hint already.`);
    }
    const { audit } = await import("../../graph/decisions.ts");
    await audit(services, caller.name, "hint.add", record.id, hint.id);
    return {
      card: card(`Hint for ${record.id} ${record.name}`, {
        tone: "good",
        blocks: [verbatim(`By ${caller.name}`, text)],
        buttons: [{ label: "See what it is worth", command: "env measure", options: { id: record.id } }],
      }),
      json: { id: hint.id, environmentId: record.id, author: hint.author, text },
    };
  },
});
