/** `hint list`: the hints of an environment, its designer's and those of people. */
import { card, text, verbatim } from "../cards/card.ts";
import { moment } from "../cards/numbers.ts";
import { defineCommand } from "./command.ts";
import { environmentArgument, environmentOf } from "./shared.ts";

export const hintList = defineCommand({
  name: "hint list",
  summary: "List the hints of an environment",
  role: "viewer",
  options: { id: environmentArgument },
  async run({ id }, _caller, context) {
    const { store } = await context.services();
    const record = await environmentOf(store, id);
    const designer = record.hintId === null ? null : await store.texts.get(record.hintId);
    const hints = await Promise.all(
      (await store.hints.ofEnvironment(id)).map(async (hint) => ({
        id: hint.id,
        author: hint.author,
        createdAt: new Date(hint.createdAt).toISOString(),
        text: await store.texts.get(hint.textId),
      })),
    );
    const blocks = [
      ...(designer === null ? [] : [verbatim("Of its designer", designer)]),
      ...hints.map((hint) => verbatim(`Of ${hint.author}, ${moment(Date.parse(hint.createdAt))}`, hint.text)),
    ];
    return {
      card: card(`Hints for ${record.id} ${record.name}`, {
        blocks: blocks.length === 0 ? [text("There are none.")] : blocks,
        buttons: [{ label: "Write one", command: "hint add", options: { id, text: "…" } }],
      }),
      json: { environmentId: id, designer, hints },
    };
  },
});
