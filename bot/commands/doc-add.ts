/** `doc add`: documents for the corpus, from files, folders and links. */
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import type { AddedDocuments } from "../../graph/corpus/documents.ts";
import type { Services } from "../../graph/services.ts";
import type { Caller } from "../caller.ts";
import { addedCard, chooseDocumentsCard } from "../cards/document-card.ts";
import { type Answer, defineCommand } from "./command.ts";
import { type GivenFile, givenFile } from "./given-file.ts";

/**
 * Reads what a caller names or hands over and adds what is in it. From chat, links lead to the public internet alone. What
 * can't be read is a problem of its own; throws the first of them if nothing at all was read.
 */
export async function addSources(
  services: Services,
  sources: readonly (string | GivenFile)[],
  caller: Caller,
): Promise<AddedDocuments & { readonly failed: number }> {
  const { addDocuments } = await import("../../graph/corpus/documents.ts");
  const { audit } = await import("../../graph/decisions.ts");
  const read: AddedDocuments[] = [];
  const problems: string[] = [];
  let first: unknown = null;
  for (const source of sources) {
    try {
      const one = await addDocuments(services, source, caller.name, {
        publicOnly: caller.surface === "discord",
      });
      read.push(one);
      problems.push(...one.problems);
      const subject = typeof source === "string" ? source : source.name;
      await audit(services, caller.name, "document.add", subject, `${one.added.length} added`);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      first ??= error;
      problems.push(error.message);
    }
  }
  if (read.length === 0) throw first;
  return {
    added: read.flatMap(({ added }) => added),
    skipped: read.reduce((sum, { skipped }) => sum + skipped, 0),
    documentIds: [...new Set(read.flatMap(({ documentIds }) => documentIds))],
    problems,
    failed: sources.length - read.length,
  };
}

/** Nothing was given: chat asks in a form, a command line says what is missing. */
function nothingGiven(caller: Caller): Answer {
  if (caller.surface !== "discord") {
    throw new InputError("input.bad-option", "PATH|URL is missing.");
  }
  return { card: chooseDocumentsCard(), json: { added: [], skipped: 0, problems: [] } };
}

export const docAdd = defineCommand({
  name: "doc add",
  summary: "Add documents: text, Markdown, JSONL or PDF files, or links",
  examples: ["doc add notes.md papers/", "doc add https://example.org/paper.pdf"],
  role: "researcher",
  options: {
    sources: {
      kind: "path-or-link",
      summary: "files, folders or links",
      schema: z.array(z.string().min(1)).optional(),
      argument: true,
      many: true,
      placeholder: "PATH|URL",
      surfaces: ["command-line", "terminal"],
    },
    document: {
      kind: "file",
      summary: "a text, Markdown, JSONL or PDF file",
      schema: z.array(givenFile).optional(),
      many: true,
      surfaces: ["discord"],
    },
    file: {
      kind: "file",
      summary: "a text, Markdown, JSONL or PDF file; a form takes several",
      schema: z.array(givenFile).optional(),
      many: true,
      surfaces: ["discord"],
    },
    url: {
      kind: "path-or-link",
      summary: "a link to such a file, or to a page",
      schema: z.string().trim().min(1).max(2_000).optional(),
      surfaces: ["discord"],
    },
  },
  async run({ sources = [], document = [], file = [], url }, caller, context) {
    const given = [...sources, ...document, ...file, ...(url === undefined ? [] : [url])];
    if (given.length === 0) return nothingGiven(caller);
    const services = await context.services();
    const { added, skipped, problems, failed } = await addSources(services, given, caller);
    return {
      card: addedCard({ added, skipped, problems }),
      json: {
        added: added.map(({ id, title, characters }) => ({ id, title, characters })),
        skipped,
        problems,
      },
      exit: failed === 0 ? 0 : 3,
    };
  },
});
