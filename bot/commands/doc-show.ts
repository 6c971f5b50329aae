/** `doc show`: one document, whole. */
import { documentCard } from "../cards/document-card.ts";
import { defineCommand } from "./command.ts";
import { documentArgument, documentOf } from "./shared.ts";

export const docShow = defineCommand({
  name: "doc show",
  summary: "Show a document's text",
  role: "viewer",
  options: { id: documentArgument },
  async run({ id }, _caller, context) {
    const { store } = await context.services();
    const record = await documentOf(store, id);
    const content = await store.texts.get(record.textId);
    return {
      card: documentCard(record, content),
      json: { ...record, addedAt: new Date(record.addedAt).toISOString(), text: content },
    };
  },
});
