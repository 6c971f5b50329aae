/**
 * A server of the Tinker protocol on loopback around a real small language model. It can be told to go wrong in every way
 * the protocol has, and to lose its memory but not its checkpoints, as a server that restarts does.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { z } from "zod";
import { type Path, taken } from "./requests.ts";
import { Refused, type Saved, World } from "./world.ts";

/** A request as the server saw it. */
export interface Seen {
  readonly path: Path | "healthz" | "get_server_capabilities";
  /** As it was sent. */
  readonly text: string;
  /** How many of this path came before. */
  readonly nth: number;
  readonly key: string | undefined;
}

export type Fault =
  /** Instead of the work. */
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** The connection ends before the work, or after it and before the answer. */
  | "cut-before"
  | "cut-after"
  /** No answer at all. */
  | "hang"
  /** The memory is lost before the work. */
  | "restart";

export interface TinkerServerOptions {
  readonly key?: string;
  /** Names of the base models; default `toy`. */
  readonly models?: readonly string[];
  readonly fault?: (seen: Seen) => Fault | null | undefined;
  /** Polls that come too early, for each promise; default 0. */
  readonly earlyPolls?: number;
}

export interface TinkerServer {
  readonly baseUrl: string;
  readonly seen: readonly Seen[];
  readonly world: World;
  /** Checkpoints by their path: they survive a restart. */
  readonly disk: ReadonlyMap<string, Saved>;
  setFault(fault: TinkerServerOptions["fault"]): void;
  /** How many requests of a path came. */
  count(path: Seen["path"]): number;
  close(): Promise<void>;
}

export async function startTinkerServer(options: TinkerServerOptions = {}): Promise<TinkerServer> {
  const { key, models = ["toy"], earlyPolls = 0 } = options;
  let { fault } = options;
  const seen: Seen[] = [];
  const disk = new Map<string, Saved>();
  const newWorld = (): World => new World({ models, disk, earlyPolls });
  let world = newWorld();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = pathOf(request);
    const text = await bodyOf(request);
    const header = request.headers["x-api-key"];
    const one: Seen = {
      path,
      text,
      nth: seen.filter((other) => other.path === path).length,
      key: Array.isArray(header) ? header[0] : header,
    };
    seen.push(one);
    if (key !== undefined && one.key !== key)
      return reply(response, 401, { detail: `The key ${one.key} is wrong.` });
    const wrong = fault?.(one) ?? null;
    if (wrong === "hang") return;
    if (wrong === "cut-before") {
      request.socket.destroy();
      return;
    }
    if (wrong === "restart") world = newWorld();
    if (wrong !== null && typeof wrong === "object") {
      return reply(
        response,
        wrong.status,
        wrong.body ?? { detail: `told to answer ${wrong.status}` },
        wrong.headers,
      );
    }
    const [status, body] = worked(world, path, text);
    if (wrong === "cut-after") request.socket.destroy();
    else reply(response, status, body);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => reply(response, 500, { detail: String(error) }));
  });
  const port = await listening(server);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    seen,
    get world() {
      return world;
    },
    disk,
    setFault: (next) => {
      fault = next;
    },
    count: (path) => seen.filter((one) => one.path === path).length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function worked(world: World, path: Seen["path"], text: string): [number, unknown] {
  try {
    if (path === "healthz") return [200, { status: "ok" }];
    if (path === "get_server_capabilities") {
      return [200, { supported_models: world.models.map((model_name) => ({ model_name })) }];
    }
    return [200, world.take(path, text)];
  } catch (error) {
    if (error instanceof Refused) return [error.status, error.body];
    if (error instanceof z.ZodError) return [422, { detail: z.prettifyError(error) }];
    throw error;
  }
}

function pathOf({ url = "", method }: IncomingMessage): Seen["path"] {
  const name = /^\/api\/v1\/(\w+)$/.exec(url)?.[1] ?? "";
  if (method === "GET") return z.enum(["healthz", "get_server_capabilities"]).parse(name);
  return z.enum(Object.keys(taken) as [Path, ...Path[]]).parse(name);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString("utf8");
}

function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}
