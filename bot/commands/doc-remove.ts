/** `doc remove`: takes a document out of the corpus. */
import { InputError } from "../../config/errors.ts";
import { card, text } from "../cards/card.ts";
import { moment } from "../cards/numbers.ts";
import { defineCommand } from "./command.ts";
import { documentArgument, documentOf } from "./shared.ts";

export const docRemove = defineCommand({
  name: "doc remove",
  summary: "Take a document out of the corpus",
  role: "researcher",
  options: { id: documentArgument },
  async run({ id }, caller, context) {
    const services = await context.services();
    const { store } = services;
    const record = await documentOf(store, id);
    if (!(await store.documents.remove(id))) {
      throw new InputError("input.not-found", `There is no document "${id}" any more.`);
    }
    const { audit } = await import("../../graph/decisions.ts");
    await audit(services, caller.name, "document.remove", id, record.title);
    return {
      card: card(`${id} ${record.title}: removed`, {
        tone: "warning",
        blocks: [
          text(
            `It was added by ${record.addedBy}, ${moment(record.addedAt)}. No later round is grounded on it.`,
          ),
        ],
      }),
      json: { id, removed: true },
    };
  },
});
