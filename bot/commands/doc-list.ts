/** `doc list`: what the corpus holds. */
import { documentsCard } from "../cards/document-card.ts";
import { defineCommand } from "./command.ts";
import { collect, limitOption, shownOf } from "./shared.ts";

export const docList = defineCommand({
  name: "doc list",
  summary: "List the documents of the corpus",
  role: "viewer",
  options: { limit: limitOption },
  async run({ limit }, _caller, context) {
    const { store } = await context.services();
    const found = await collect((page) => store.documents.list(page), limit);
    const total = await store.documents.count();
    return {
      card: documentsCard(shownOf(found, limit).shown, total),
      json: {
        total,
        documents: found.items.map((record) => ({
          ...record,
          addedAt: new Date(record.addedAt).toISOString(),
        })),
      },
    };
  },
});
