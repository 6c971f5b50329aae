/** HTTP: from a request to its route and back, with faults, limits, and a log of everything that was asked. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Buckets, Standing } from "./buckets.ts";
import { type Call, type Core, note, type Reply, type Route, type Upload } from "./core.ts";
import type { Fault, Faults } from "./faults.ts";
import { Refusal, refusals } from "./refusal.ts";

/** One request as it was answered. */
export interface LoggedRequest {
  readonly method: string;
  /** Without `/api/v10`, parts decoded. */
  readonly path: string;
  readonly body: unknown;
  /** Names of the files that came with it. */
  readonly files: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The answer; 0 when the connection was torn. */
  readonly status: number;
  /** Discord's code of a refusal. */
  readonly code: number | null;
}

export interface HttpOptions {
  readonly token: string;
  readonly routes: readonly Route[];
  readonly faults: Faults;
  /** Null when nothing is limited. */
  readonly buckets: Buckets | null;
  readonly core: () => Core;
  readonly log: (request: LoggedRequest) => void;
}

/** How a connection ends without an answer. */
type Torn = "reset" | "ended";

interface Answer extends Reply {
  readonly headers?: Readonly<Record<string, string>>;
  readonly code?: number;
}

export function createHttp(options: HttpOptions): Server {
  const routes = options.routes.map((route) => ({ route, pattern: route.pattern.split("/") }));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://localhost");
    const method = request.method ?? "GET";
    const bytes = await bytesOf(request);
    const parts = url.pathname.split("/").map(decodeURIComponent);
    if (parts[1] === "cdn") return serveFile(method, parts.join("/"), response);
    if (parts[1] !== "api" || parts[2] !== "v10") parts.splice(1, 0, "api", "v10");
    const path = `/${parts.slice(3).join("/")}`;
    const { body, uploads } = await read(request, bytes);
    const answer = await answerTo(request, {
      method,
      path,
      params: {},
      query: url.searchParams,
      body,
      uploads,
    });
    options.log({
      method,
      path,
      body,
      files: uploads.map(({ name }) => name),
      at: Date.now(),
      status: typeof answer === "string" ? 0 : answer.status,
      code: typeof answer === "string" ? null : (answer.code ?? null),
    });
    if (typeof answer === "string") tear(response, answer);
    else send(response, answer);
    options.core().changed();
  }

  async function answerTo(request: IncomingMessage, call: Call): Promise<Answer | Torn> {
    const fault = options.faults.take(call.method, call.path);
    const standing = options.buckets?.count(call.method, call.path) ?? null;
    const early = fault === null ? null : await before(fault);
    if (typeof early === "string") return early;
    const limited = early ?? (standing === null || standing.retryAfter === null ? null : limit(standing));
    const answer = limited ?? { ...carryOut(request, call), ...headersOf(standing) };
    if (fault !== null && "drop" in fault) return fault.quietly === true ? "ended" : "reset";
    if (fault !== null && "delayMs" in fault && fault.when === "after")
      await sleep(fault.delayMs, undefined, { ref: false });
    return answer;
  }

  function carryOut(request: IncomingMessage, call: Call): Answer {
    const core = options.core();
    try {
      const found = find(call);
      if (found === null) {
        core.problem(`${call.method} ${call.path}: no such route on this server`);
        throw refusals.unknownRoute();
      }
      if (found.route.open !== true && request.headers.authorization !== `Bot ${options.token}`) {
        throw refusals.unauthorized();
      }
      refuseNonIds(core, call, found.params);
      return found.route.handle(core, { ...call, params: found.params });
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, body: error.body(), code: error.code };
      core.problem(`${call.method} ${call.path}: the test server failed: ${String(error)}`);
      return { status: 500, body: { message: "500: Internal Server Error", code: 0 } };
    }
  }

  function find(call: Call): { route: Route; params: Record<string, string> } | null {
    const parts = call.path.split("/");
    for (const { route, pattern } of routes) {
      if (route.method !== call.method || pattern.length !== parts.length) continue;
      const params: Record<string, string> = {};
      const fits = pattern.every((part, index) => {
        if (!part.startsWith(":")) return part === parts[index];
        params[part.slice(1)] = parts[index] ?? "";
        return true;
      });
      if (fits) return { route, params };
    }
    return null;
  }

  async function serveFile(method: string, path: string, response: ServerResponse): Promise<void> {
    const fault = options.faults.take(method, path);
    const early = fault === null ? null : await before(fault);
    const file = options.core().cdn.at(path);
    if (typeof early === "string") tear(response, early);
    else if (early !== null) send(response, early);
    else if (file === null) {
      response.writeHead(404, { "content-type": "text/plain" }).end("This content is no longer available.");
    } else {
      response.writeHead(200, { "content-type": file.contentType, "content-length": file.bytes.byteLength });
      response.end(method === "HEAD" ? undefined : file.bytes);
    }
  }

  return createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A client that went away in the middle of its request did nothing wrong.
      if (!request.complete) return;
      options.core().problem(`${request.method} ${request.url}: ${String(error)}`);
      if (!response.headersSent)
        send(response, { status: 400, body: { message: String(error), code: 50109 } });
    });
  });
}

/** Throws Invalid Form Body when a part of the path that is an id is none, as when it holds `undefined`. */
function refuseNonIds(core: Core, call: Call, params: Readonly<Record<string, string>>): void {
  const faults = Object.entries(params)
    .filter(([name, value]) => name !== "token" && !/^(\d{17,19}|@me|@original)$/.test(value))
    .map(([name, value]) => `the ${name} ${value} is no id`);
  if (faults.length === 0) return;
  note(core, call, faults);
  throw refusals.invalidForm(faults);
}

function tear(response: ServerResponse, how: Torn): void {
  if (how === "reset") response.socket?.resetAndDestroy();
  else response.socket?.destroy();
}

/** What a fault does before the request is carried out: its answer, how the connection is torn, or null to go on. */
async function before(fault: Fault): Promise<Answer | Torn | null> {
  if ("drop" in fault) return fault.drop === "after" ? null : fault.quietly === true ? "ended" : "reset";
  if ("delayMs" in fault) {
    if (fault.when !== "after") await sleep(fault.delayMs, undefined, { ref: false });
    return null;
  }
  if ("rateLimitMs" in fault) {
    const scope = fault.scope ?? "user";
    const seconds = fault.rateLimitMs / 1000;
    return tooMany(seconds, scope, {
      "x-ratelimit-limit": "5",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset-after": seconds.toFixed(3),
      "x-ratelimit-bucket": "planned",
    });
  }
  const body =
    "code" in fault ? { message: fault.message, code: fault.code } : { message: `${fault.status}`, code: 0 };
  return { status: fault.status, body, code: body.code };
}

function limit(standing: Standing): Answer {
  return tooMany(standing.retryAfter ?? 0, standing.scope, headersOf(standing).headers);
}

function tooMany(seconds: number, scope: string, headers: Readonly<Record<string, string>>): Answer {
  const isGlobal = scope === "global";
  return {
    status: 429,
    code: 0,
    body: { message: "You are being rate limited.", retry_after: seconds, global: isGlobal },
    headers: {
      ...headers,
      "retry-after": String(Math.ceil(seconds)),
      "x-ratelimit-scope": scope,
      ...(isGlobal ? { "x-ratelimit-global": "true" } : {}),
    },
  };
}

function headersOf(standing: Standing | null): { headers: Readonly<Record<string, string>> } {
  if (standing === null) return { headers: {} };
  return {
    headers: {
      "x-ratelimit-limit": String(standing.limit),
      "x-ratelimit-remaining": String(standing.remaining),
      "x-ratelimit-reset-after": standing.resetAfter.toFixed(3),
      "x-ratelimit-bucket": standing.bucket,
    },
  };
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  if (status === 204 || body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  response.writeHead(status, { ...headers, "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function bytesOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(z.instanceof(Buffer).parse(chunk));
  return Buffer.concat(chunks);
}

async function read(
  request: IncomingMessage,
  bytes: Buffer<ArrayBuffer>,
): Promise<{ body: unknown; uploads: Upload[] }> {
  const type = request.headers["content-type"] ?? "";
  if (bytes.byteLength === 0) return { body: undefined, uploads: [] };
  if (!type.startsWith("multipart/form-data"))
    return { body: JSON.parse(bytes.toString("utf8")), uploads: [] };
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  const uploads: Upload[] = [];
  let body: unknown = {};
  for (const [key, value] of form.entries()) {
    const index = /^files\[(\d+)\]$/.exec(key)?.[1];
    if (typeof value === "string") {
      if (key === "payload_json") body = JSON.parse(value);
    } else if (index !== undefined) {
      uploads.push({
        index,
        name: value.name,
        bytes: new Uint8Array(await value.arrayBuffer()),
        contentType: value.type || "application/octet-stream",
      });
    }
  }
  return { body, uploads };
}
