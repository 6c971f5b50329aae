/** CDN: files of messages and of people's uploads, under links that can expire. */
import type { Upload } from "./core.ts";
import { snowflake } from "./snowflake.ts";
import type { Attachment } from "./world.ts";

/** A file as a person gives it. */
export interface GivenFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly contentType?: string;
  /** Its link has expired already when the bot gets it. */
  readonly expired?: boolean;
}

const types: Readonly<Record<string, string>> = {
  txt: "text/plain; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  json: "application/json; charset=utf-8",
  jsonl: "application/octet-stream",
  pdf: "application/pdf",
  png: "image/png",
  js: "application/javascript; charset=utf-8",
  py: "text/x-python; charset=utf-8",
};

export class Cdn {
  readonly #files = new Map<string, Attachment>();
  #base = "";

  listenOn(port: number): void {
    this.#base = `http://127.0.0.1:${port}`;
  }

  keep(
    channelId: string,
    upload: Omit<Upload, "index">,
    description: string | null,
    expired = false,
  ): Attachment {
    const id = snowflake();
    const name = upload.name;
    const path = `/cdn/attachments/${channelId}/${id}/${encodeURIComponent(name)}`;
    const file: Attachment = {
      id,
      name,
      bytes: upload.bytes,
      contentType: upload.contentType,
      url: `${this.#base}${path}?ex=6a000000&is=69000000&hm=00`,
      description,
      expired,
    };
    this.#files.set(id, file);
    return file;
  }

  keepGiven(channelId: string, { name, content, contentType, expired }: GivenFile): Attachment {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const type = contentType ?? types[name.split(".").pop() ?? ""] ?? "application/octet-stream";
    return this.keep(channelId, { name, bytes, contentType: type }, null, expired ?? false);
  }

  /** The file behind a path, null when its link doesn't work (any more). */
  at(path: string): Attachment | null {
    const id = path.split("/")[4];
    const file = id === undefined ? undefined : this.#files.get(id);
    return file === undefined || file.expired ? null : file;
  }
}
