/** Documents added to the corpus: from a file, a folder or a link, split into pieces and kept once each. */
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { InputError, SpadeworkError } from "../../config/errors.ts";
import type { Config } from "../../config/schema.ts";
import type { DocumentRecord, TextId } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { type ContentType, isPdf, typeOfName } from "./content.ts";
import { convert } from "./convert.ts";
import { UndecodableError } from "./decode.ts";
import { type FoundFile, findFiles } from "./files.ts";
import { readJsonl } from "./jsonl.ts";
import { isLink, openLink } from "./link.ts";
import { isPublicAddress } from "./public-address.ts";
import { hasText, splitText, tidyText } from "./split.ts";

export interface CorpusServices {
  readonly store: Pick<Store, "documents" | "texts">;
  readonly config: Pick<Config, "documents">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface AddedDocuments {
  readonly added: readonly DocumentRecord[];
  /** Pieces that the corpus has already. */
  readonly skipped: number;
  /** Every piece that was read, added now or there already, in order: what a round can be grounded on. */
  readonly documentIds: readonly string[];
  /** What could not be read or was read in a special way, a sentence each; at most 100, the rest counted. */
  readonly problems: readonly string[];
}

/** A file that a person handed over, e.g. attached to a message. */
export interface HandedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface AddOptions {
  /** Links that lead to an address of a private network, or to this machine, are refused. */
  readonly publicOnly?: boolean;
}

/** How long a link may take, its whole content included. */
const linkTimeoutMs = 30_000;
const mostProblems = 100;
const titleCharacters = 120;

interface Raw {
  readonly title: string;
  readonly origin: string;
  readonly text: string;
}

type Note = (problem: string) => void;

/**
 * Reads `source` (a path, a folder, an http or https link, or a file) and adds what is in it. `by` is who asked. A
 * document of more than `documents.pieceCharacters` becomes several. The id of a document is `d` and the first 12 hex
 * digits of its text's hash, so the same text is never there twice. Throws `input.no-such-file` and
 * `input.bad-document` if nothing at all could be read; otherwise what could not is in `problems`.
 */
export async function addDocuments(
  services: CorpusServices,
  source: string | HandedFile,
  by: string,
  options: AddOptions = {},
): Promise<AddedDocuments> {
  const problems: string[] = [];
  const added: DocumentRecord[] = [];
  const documentIds = new Set<string>();
  let read = 0;
  let skipped = 0;
  let unnamed = 0;
  const note: Note = (problem) => {
    if (problems.length < mostProblems) problems.push(problem);
    else unnamed += 1;
  };
  const documents =
    typeof source !== "string"
      ? fromHanded(services, source, note)
      : isLink(source)
        ? fromLink(services, source, options, note)
        : fromPath(services, source, note);
  try {
    for await (const raw of documents) {
      read += 1;
      for (const outcome of await keep(services, raw, by)) {
        if ("problem" in outcome) {
          note(outcome.problem);
          continue;
        }
        documentIds.add(outcome.record.id);
        if (outcome.isNew) added.push(outcome.record);
        else skipped += 1;
      }
    }
  } catch (error) {
    // A source that breaks off half-way has given what it gave: say both.
    if (read === 0 || !(error instanceof InputError)) throw error;
    note(`${error.message} What came before was read.`);
  }
  if (read === 0) throw nothingRead(typeof source === "string" ? source : source.name, problems);
  if (unnamed > 0) problems.push(`And ${unnamed} more.`);
  return { added, skipped, documentIds: [...documentIds], problems };
}

/** The id of the document with this text. */
export function documentId(textId: TextId): string {
  return `d${textId.slice(0, 12)}`;
}

type Kept = { readonly record: DocumentRecord; readonly isNew: boolean } | { readonly problem: string };

/** For each piece its record, or what is wrong with it. */
async function keep({ store, config, now }: CorpusServices, raw: Raw, by: string): Promise<Kept[]> {
  const pieces = splitText(raw.text, config.documents.pieceCharacters);
  const outcomes: Kept[] = [];
  for (const [part, piece] of pieces.entries()) {
    // The text first: a record must never name a text that a crash kept from being written.
    const textId = await store.texts.put(piece);
    const record: DocumentRecord = {
      id: documentId(textId),
      title: raw.title,
      origin: raw.origin,
      part,
      parts: pieces.length,
      textId,
      characters: piece.length,
      addedBy: by,
      addedAt: now(),
    };
    if (await store.documents.insert(record)) outcomes.push({ record, isNew: true });
    else outcomes.push(await duplicateOf(store, record));
  }
  return outcomes;
}

async function duplicateOf(store: CorpusServices["store"], record: DocumentRecord): Promise<Kept> {
  const present = await store.documents.get(record.id);
  if (present === null || present.textId === record.textId)
    return { record: present ?? record, isNew: false };
  return {
    problem: `${record.origin}: a piece has the same id ${record.id} as another document and was left out.`,
  };
}

async function* fromPath(services: CorpusServices, path: string, note: Note): AsyncGenerator<Raw> {
  const found = await findFiles(path);
  for (const file of found.files) {
    try {
      yield* fromFile(services, file, note);
    } catch (error) {
      if (!found.folder || !(error instanceof InputError)) throw error;
      note(error.message);
    }
  }
  const [first] = found.passedOver;
  if (first === undefined) return;
  const count = found.passedOver.length;
  note(
    count === 1
      ? `1 file of another type was passed over: ${first}.`
      : `${count} files of other types were passed over, e.g. ${first}.`,
  );
}

async function* fromHanded(
  { config }: CorpusServices,
  { name, bytes }: HandedFile,
  note: Note,
): AsyncGenerator<Raw> {
  refuseLarge(name, bytes.length, config.documents.maxBytes);
  const type = typeOfName(name);
  try {
    if (type === "jsonl") yield* fromJsonl(inOnePiece(bytes), name, name, note);
    else yield await fromBytes(bytes, type ?? "text", null, { origin: name, name }, note);
  } catch (error) {
    throw readable(error, name);
  }
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function refuseLarge(name: string, size: number, maxBytes: number): void {
  if (size <= maxBytes) return;
  throw new InputError(
    "input.bad-document",
    `${name} has ${size} bytes, more than the ${maxBytes} that documents.maxBytes allows.`,
  );
}

async function* fromFile({ config }: CorpusServices, file: FoundFile, note: Note): AsyncGenerator<Raw> {
  refuseLarge(file.path, file.size, config.documents.maxBytes);
  const name = basename(file.path);
  const type = typeOfName(name);
  try {
    if (type === "jsonl") yield* fromJsonl(createReadStream(file.path), file.path, name, note);
    else {
      yield await fromBytes(
        await readFile(file.path),
        type ?? "text",
        null,
        { origin: file.path, name },
        note,
      );
    }
  } catch (error) {
    throw readable(error, file.path);
  }
}

async function* fromLink(
  { config }: CorpusServices,
  source: string,
  { publicOnly = false }: AddOptions,
  note: Note,
): AsyncGenerator<Raw> {
  const link = await openLink(source, {
    timeoutMs: linkTimeoutMs,
    maxBytes: config.documents.maxBytes,
    ...(publicOnly ? { mayReach: isPublicAddress } : {}),
  });
  try {
    if (link.type === "jsonl") yield* fromJsonl(link.body, link.origin, link.name, note);
    else yield await fromBytes(await whole(link.body), link.type, link.charset, link, note);
  } catch (error) {
    throw readable(error, link.origin);
  }
}

async function* fromJsonl(
  bytes: AsyncIterable<Uint8Array>,
  origin: string,
  name: string,
  note: Note,
): AsyncGenerator<Raw> {
  for await (const entry of readJsonl(bytes)) {
    if ("problem" in entry) {
      note(`${origin}, line ${entry.line}: ${entry.problem}.`);
      continue;
    }
    const text = tidyText(entry.text);
    if (hasText(text)) yield { title: titled(entry.title, `${name} line ${entry.line}`), origin, text };
    else note(`${origin}, line ${entry.line}: there is no text in it.`);
  }
}

async function fromBytes(
  bytes: Uint8Array,
  type: Exclude<ContentType, "jsonl">,
  charset: string | null,
  { origin, name }: { readonly origin: string; readonly name: string },
  note: Note,
): Promise<Raw> {
  const document = await convert(bytes, isPdf(bytes) ? "pdf" : type, charset);
  if (document.note !== null) note(`${origin}: ${document.note}.`);
  return { title: titled(document.title, name), origin, text: document.text };
}

async function whole(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function titled(title: string | null, fallback: string): string {
  const line = tidyText(title ?? "")
    .replace(/\s+/g, " ")
    .trim();
  return (line === "" ? fallback : line).slice(0, titleCharacters).toWellFormed();
}

/** What reading threw, as an error for a person. */
function readable(error: unknown, origin: string): unknown {
  if (error instanceof SpadeworkError) return error;
  if (error instanceof UndecodableError) {
    return new InputError("input.bad-document", `${origin} can't be read: ${error.message}.`, {
      cause: error,
    });
  }
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code !== "string" || !/^E[A-Z]+$/.test(code)) return error;
  return new InputError("input.no-such-file", `${origin} can't be read (${code}).`, { cause: error });
}

function nothingRead(source: string, problems: readonly string[]): InputError {
  const why = problems.length === 0 ? "there is no document in it." : problems.slice(0, 3).join(" ");
  return new InputError("input.bad-document", `Nothing could be read from ${source}: ${why}`);
}
