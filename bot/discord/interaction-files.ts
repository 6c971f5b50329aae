/**
 * Files that people attach: fetched at once, since their links expire, and only from where Discord keeps them, since
 * anyone can send a link.
 */
import type { Attachment } from "discord.js";
import { InputError } from "../../config/errors.ts";
import type { Config } from "../../config/schema.ts";
import { GivenFile } from "../commands/given-file.ts";

const discordHosts: ReadonlySet<string> = new Set(["cdn.discordapp.com", "media.discordapp.net"]);

/** A file of 32 MB over a slow line. */
const timeoutMs = 60_000;

export type AttachedFile = Pick<Attachment, "name" | "url" | "size">;

export interface FileRules {
  /** Bytes at most. */
  readonly maxBytes: number;
  /** The REST base: where it is not Discord's own, files may come from its host too. */
  readonly api: string;
}

export const fileRulesOf = ({ documents, discord }: Config): FileRules => ({
  maxBytes: documents.maxBytes,
  api: discord.api,
});

function isTrusted(url: string, api: string): boolean {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) return false;
  if (parsed.protocol === "https:" && discordHosts.has(parsed.host)) return true;
  const base = new URL(api);
  return base.host !== "discord.com" && parsed.host === base.host && parsed.protocol === base.protocol;
}

const tooLarge = (name: string, maxBytes: number): InputError =>
  new InputError("input.bad-document", `${name} is too large; a file of at most ${maxBytes} bytes is taken.`);

/** The file's content. Throws `input.bad-document`. */
export async function download(
  { name, url, size }: AttachedFile,
  { maxBytes, api }: FileRules,
): Promise<GivenFile> {
  if (!isTrusted(url, api)) {
    throw new InputError("input.bad-document", `${name} is not kept by Discord, so it is not fetched.`);
  }
  if (size > maxBytes) throw tooLarge(name, maxBytes);
  let response: Response;
  try {
    response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    throw new InputError("input.bad-document", `${name} could not be fetched; attach it again.`, {
      cause: error,
    });
  }
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new InputError(
      "input.bad-document",
      `${name} could not be fetched (Discord answered ${response.status}); attach it again.`,
    );
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body) {
      length += chunk.length;
      // What was said about its size need not be true.
      if (length > maxBytes) throw tooLarge(name, maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError("input.bad-document", `${name} broke off; attach it again.`, { cause: error });
  }
  return new GivenFile(name, Buffer.concat(chunks));
}
