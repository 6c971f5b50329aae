/** What a file or a link holds, by type, turned into plain text with a title. */
import { compile } from "html-to-text";
import { decodeText, UndecodableError } from "./decode.ts";
import { hasText, tidyText } from "./split.ts";

export type ContentType = "text" | "markdown" | "jsonl" | "pdf" | "html";

/** A document before it is split. */
export interface PlainDocument {
  /** Null if the content names none. */
  readonly title: string | null;
  /** Tidied. */
  readonly text: string;
  readonly note: string | null;
}

const extensions: Readonly<Record<string, ContentType>> = {
  txt: "text",
  text: "text",
  rst: "text",
  md: "markdown",
  markdown: "markdown",
  jsonl: "jsonl",
  ndjson: "jsonl",
  pdf: "pdf",
  html: "html",
  htm: "html",
  xhtml: "html",
};

/** The type that a file name or the path of a link promises; null if it promises none that can be read. */
export function typeOfName(name: string): ContentType | null {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase();
  return extension === undefined ? null : (extensions[extension] ?? null);
}

/** Whether the bytes are those of a PDF, whatever the name says. */
export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 1_024)).includes("%PDF-");
}

const htmlToPlain = compile({
  wordwrap: false,
  limits: { maxDepth: 200, ellipsis: "…" },
  selectors: [
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: "a", options: { ignoreHref: true } },
    ...[
      "head",
      "title",
      "img",
      "svg",
      "nav",
      "aside",
      "form",
      "button",
      "noscript",
      "template",
      "iframe",
    ].map((selector) => ({
      selector,
      format: "skip",
    })),
    // The library's own tables take quadratic time, and align columns that a model does not need aligned.
    { selector: "tr", format: "block", options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...["td", "th"].map((selector) => ({ selector, format: "inlineSurround", options: { suffix: " " } })),
  ],
});

/**
 * The plain text of everything but JSONL. Throws UndecodableError when there is none in it: binary data, an unknown
 * encoding, a damaged or locked PDF, a scan without a text layer.
 */
export async function plainDocument(
  bytes: Uint8Array,
  type: Exclude<ContentType, "jsonl">,
  charset: string | null,
): Promise<PlainDocument> {
  const read = await readContent(bytes, type, charset);
  const text = tidyText(read.text);
  if (!hasText(text)) {
    throw new UndecodableError(
      type === "pdf"
        ? "there is no text in it (a scan has to go through OCR first)"
        : "there is no text in it",
    );
  }
  return { ...read, text };
}

async function readContent(
  bytes: Uint8Array,
  type: Exclude<ContentType, "jsonl">,
  charset: string | null,
): Promise<PlainDocument> {
  if (type === "pdf") return { title: null, text: await pdfText(bytes), note: null };
  if (type === "html") {
    const { text: html, note } = decodeText(bytes, charset ?? declaredCharset(bytes));
    const title = /<title[^>]*>([^<]*)<\/title>/i.exec(html)?.[1];
    return { title: title === undefined ? null : htmlToPlain(title), text: htmlToPlain(html), note };
  }
  const { text, note } = decodeText(bytes, charset);
  return { title: type === "markdown" ? headingOf(text) : null, text, note };
}

function headingOf(markdown: string): string | null {
  const line = /^#{1,3} +(\S.*)$/m.exec(markdown)?.[1]?.slice(0, 300);
  return line === undefined ? null : line.replace(/ #+ *$/, "").trim();
}

async function pdfText(bytes: Uint8Array): Promise<string> {
  // Loaded on first use: PDF.js is 3 MB that most commands never need.
  const { extractText, getDocumentProxy } = await import("unpdf");
  try {
    // A copy, because PDF.js takes the buffer over. Verbosity 0: it would print warnings to stdout.
    const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
    try {
      const { text } = await extractText(pdf);
      return text.join("\n\n");
    } finally {
      await pdf.destroy();
    }
  } catch (error) {
    const locked = error instanceof Error && error.name === "PasswordException";
    throw new UndecodableError(locked ? "the PDF is locked with a password" : "the PDF is damaged", {
      cause: error,
    });
  }
}

function declaredCharset(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 1_024)).toString("latin1");
  return /<meta[^>]+charset\s*=\s*["']?\s*([a-z0-9_:-]+)/i.exec(head)?.[1] ?? null;
}
