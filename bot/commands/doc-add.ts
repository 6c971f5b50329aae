/** `doc add`: documents for the corpus, from files, folders and links. */
import { z } from "zod";
import type { DocumentRecord } from "../../store/records.ts";
import { addedCard } from "../cards/document-card.ts";
import { defineCommand } from "./command.ts";

export const docAdd = defineCommand({
  name: "doc add",
  summary: "Add documents: text, Markdown, JSONL or PDF files, folders, or links",
  examples: ["doc add notes.md papers/", "doc add https://example.org/paper.pdf"],
  role: "researcher",
  options: {
    sources: {
      kind: "path-or-link",
      summary: "files, folders or links",
      schema: z.array(z.string().min(1)).min(1),
      argument: true,
      many: true,
      placeholder: "PATH|URL",
    },
  },
  async run({ sources }, caller, context) {
    const services = await context.services();
    const { addDocuments } = await import("../../graph/corpus/documents.ts");
    const { audit } = await import("../../graph/decisions.ts");
    const added: DocumentRecord[] = [];
    const problems: string[] = [];
    let skipped = 0;
    for (const source of sources) {
      const one = await addDocuments(services, source, caller.name);
      added.push(...one.added);
      problems.push(...one.problems);
      skipped += one.skipped;
      await audit(services, caller.name, "document.add", source, `${one.added.length} added`);
    }
    return {
      card: addedCard({ added, skipped, problems }),
      json: {
        added: added.map(({ id, title, characters }) => ({ id, title, characters })),
        skipped,
        problems,
      },
    };
  },
});
