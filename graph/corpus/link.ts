/** An http(s) link, opened with every limit: time, size, redirects and the types that can be read. */
import { Agent, fetch, type Response } from "undici";
import { InputError } from "../../config/errors.ts";
import { type ContentType, typeOfName } from "./content.ts";
import { AddressRefused, guardedLookup, literalAddress } from "./public-address.ts";

export interface LinkLimits {
  /** For the whole exchange, the body included, milliseconds. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Which addresses may be reached, those of redirects included; all if it is not given. */
  readonly mayReach?: (address: string) => boolean;
}

export interface OpenLink {
  /** The link without user name, password and fragment: fit to be kept and shown. */
  readonly origin: string;
  readonly name: string;
  readonly type: ContentType;
  readonly charset: string | null;
  /** Ends with a `bad-document` error when a limit is passed. */
  readonly body: AsyncIterable<Uint8Array>;
}

const mostRedirects = 5;

const contentTypes: Readonly<Record<string, ContentType>> = {
  "text/html": "html",
  "application/xhtml+xml": "html",
  "application/pdf": "pdf",
  "text/plain": "text",
  "text/markdown": "markdown",
  "text/x-markdown": "markdown",
  "text/x-rst": "text",
  "application/x-ndjson": "jsonl",
  "application/jsonl": "jsonl",
  "application/jsonlines": "jsonl",
  "application/x-jsonlines": "jsonl",
};

/** Types that say nothing of the content: the name decides. */
const vague = new Set([
  "",
  "text/plain",
  "application/octet-stream",
  "binary/octet-stream",
  "application/json",
]);

/** Whether a source names a link rather than a path. */
export function isLink(source: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(source);
}

/**
 * Follows `source` and gives its body as a stream. Throws `input.bad-document`: not http(s), no answer in time, an
 * answer that is no success, a type that can't be read, more than `maxBytes`, an address that may not be reached.
 */
export async function openLink(source: string, limits: LinkLimits): Promise<OpenLink> {
  const start = parseLink(source);
  const origin = shown(start);
  const signal = AbortSignal.timeout(limits.timeoutMs);
  const response = await follow(start, origin, signal, limits);
  const url = parseLink(response.url === "" ? start.href : response.url);
  const [mime = "", ...parameters] = (response.headers.get("content-type") ?? "").split(";");
  const type = typeOf(mime.trim().toLowerCase(), url.pathname);
  const body = response.body;
  if (type === null || body === null) {
    await body?.cancel();
    const what = body === null ? "has no content" : `is ${mime.trim() || "of no stated type"}`;
    throw refuse(`${origin} ${what}; text, Markdown, HTML, JSONL and PDF can be read.`);
  }
  if (Number(response.headers.get("content-length") ?? 0) > limits.maxBytes) {
    await body.cancel();
    throw tooLarge(origin, limits.maxBytes);
  }
  const charset = parameters.map((part) => /charset\s*=\s*"?([^"\s]+)/i.exec(part)?.[1]).find(Boolean);
  return {
    origin,
    name: decodedName(url),
    type,
    charset: charset ?? null,
    body: limited(body, origin, limits),
  };
}

async function follow(
  start: URL,
  origin: string,
  signal: AbortSignal,
  limits: LinkLimits,
): Promise<Response> {
  const { mayReach, timeoutMs } = limits;
  // Every request gets a connection of its own (no pipelining, no keep-alive): each address is checked.
  const dispatcher = new Agent({
    pipelining: 0,
    ...(mayReach === undefined ? {} : { connect: { lookup: guardedLookup(mayReach) } }),
  });
  let url = start;
  for (let hops = 0; hops <= mostRedirects; hops += 1) {
    const literal = literalAddress(url);
    if (literal !== null && mayReach?.(literal) === false) throw unreachable(origin);
    let response: Response;
    try {
      response = await fetch(url, {
        redirect: "manual",
        signal,
        dispatcher,
        headers: {
          accept: "text/html, text/plain, text/markdown, application/x-ndjson, application/pdf, */*;q=0.1",
          "user-agent": "spadework",
        },
      });
    } catch (error) {
      throw unanswered(origin, error, timeoutMs);
    }
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) {
      if (response.ok) return response;
      await response.body?.cancel();
      throw refuse(`${origin} answered with status ${response.status}.`);
    }
    await response.body?.cancel();
    const next = URL.parse(location, url);
    if (next === null) throw refuse(`${origin} redirects to something that is no link.`);
    url = parseLink(next.href);
  }
  throw refuse(`${origin} redirects more than ${mostRedirects} times.`);
}

function typeOf(mime: string, path: string): ContentType | null {
  const byName = typeOfName(path);
  if (vague.has(mime) && byName !== null) return byName;
  return contentTypes[mime] ?? null;
}

async function* limited(
  body: ReadableStream<Uint8Array>,
  origin: string,
  { maxBytes, timeoutMs }: LinkLimits,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(origin, maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof InputError ? error : unanswered(origin, error, timeoutMs);
  }
}

function parseLink(source: string): URL {
  const url = URL.parse(source);
  if (url === null) throw refuse(`${source.slice(0, 200)} is not a link.`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refuse(`${url.protocol}// can't be read; give an http or https link, or a path.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw refuse(`${shown(url)} was given with a user name or password; such links are not read.`);
  }
  return url;
}

function shown(url: URL): string {
  const plain = new URL(url);
  plain.username = "";
  plain.password = "";
  plain.hash = "";
  return plain.href;
}

function decodedName(url: URL): string {
  const last = url.pathname.split("/").findLast((part) => part !== "");
  if (last === undefined) return url.hostname;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

function unreachable(origin: string): InputError {
  return refuse(`${origin} leads to an address that is not on the public internet; such links are not read.`);
}

function unanswered(origin: string, error: unknown, timeoutMs: number): InputError {
  if (error instanceof Error && error.cause instanceof AddressRefused) return unreachable(origin);
  const timedOut = error instanceof Error && error.name === "TimeoutError";
  const how = timedOut
    ? `did not answer in ${timeoutMs / 1_000} s`
    : "does not answer, or broke off its answer";
  return new InputError("input.bad-document", `${origin} ${how}.`, { cause: error });
}

function tooLarge(origin: string, maxBytes: number): InputError {
  return refuse(`${origin} is larger than ${maxBytes} bytes, the limit that documents.maxBytes sets.`);
}

function refuse(message: string): InputError {
  return new InputError("input.bad-document", message);
}
