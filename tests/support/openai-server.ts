/**
 * An OpenAI-compatible server on the loopback interface that plays both roles from scripts of ours, and that waits,
 * streams, fails and hangs as a test asks.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { Design } from "./openai-scripts/design.ts";
import { type Said, Script, type Situation, situationOf } from "./openai-scripts/script.ts";
import {
  completion,
  cutOff,
  type Refusal,
  type RequestBody,
  refuse,
  requestBody,
  send,
  stream,
} from "./openai-scripts/wire.ts";

export { designs } from "./openai-scripts/script.ts";

/** What the server does with a call instead of answering it well. */
export type Fault =
  | Refusal
  /** Never answers. */
  | "hang"
  /** Cuts the connection before it answers. */
  | "reset"
  /** Cuts the connection in the middle of its answer. */
  | "cut"
  /** Answers with JSON that ends too early. */
  | "malformed"
  /** Answers with a page, as a proxy does. */
  | "page"
  /** Answers with JSON that holds no choice. */
  | "no-choice"
  /** Answers with this text instead of the script's. */
  | { readonly text: string };

export interface ServedCall {
  /** From 0, in the order of arrival. */
  readonly index: number;
  readonly situation: Situation;
  readonly messages: readonly Said[];
  /** The whole body as it was sent. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly authorization: string | null;
  /** When it arrived, milliseconds of `performance.now()`. */
  readonly at: number;
  /** Whether the client went away before it had its answer. */
  abandoned: boolean;
}

export interface OpenAiServerOptions {
  /** Time before every answer, milliseconds. Default 0. */
  readonly delayMs?: number;
  /** The only key that is let in; any by default. */
  readonly key?: string;
  /** Designs in the order in which they are dealt; by default good ones of the kind that is asked for. */
  readonly designs?: readonly Design[];
  /** Where thoughts stand: in the text, apart from it, or nowhere. Default nowhere. */
  readonly thoughts?: "inline" | "apart";
  /** Refuses calls that don't ask for a stream. */
  readonly streamsOnly?: boolean;
  /** Whether answers tell their usage. Default true. */
  readonly counts?: boolean;
  /** What to do wrong with a call; null answers it well. */
  readonly fault?: (call: ServedCall) => Fault | null;
}

export interface OpenAiServer {
  /** For OPENAI_BASE_URL. */
  readonly baseUrl: string;
  /** Every call so far. */
  readonly calls: readonly ServedCall[];
  /** Calls that wait for their answer, now and at most so far. */
  readonly inFlight: () => number;
  readonly mostInFlight: () => number;
  /** From now on; null answers everything well. */
  setFault(fault: ((call: ServedCall) => Fault | null) | null): void;
  setDelay(ms: number): void;
  /** Cuts every connection and stops. */
  close(): Promise<void>;
}

/** Starts a server on a free port. Close it when done. */
export async function startOpenAiServer(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const script = new Script(options.designs ?? null);
  const calls: ServedCall[] = [];
  let fault = options.fault ?? null;
  let delayMs = options.delayMs ?? 0;
  let inFlight = 0;
  let mostInFlight = 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    if (request.method !== "POST" || !/\/chat\/completions(\?|$)/.test(request.url ?? "")) {
      refuse(response, { status: 404, message: `There is no ${request.url ?? ""}.` });
      return;
    }
    const body = requestBody.parse(JSON.parse(text));
    const call: ServedCall = {
      index: calls.length,
      situation: situationOf(body.messages),
      messages: body.messages,
      body,
      authorization: request.headers.authorization ?? null,
      at: performance.now(),
      abandoned: false,
    };
    calls.push(call);
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    response.once("close", () => {
      inFlight -= 1;
      call.abandoned = !response.writableFinished;
    });
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    answer(call, body, response);
  }

  function answer(call: ServedCall, body: RequestBody, response: ServerResponse): void {
    const wrong = refusalOf(call, body, options) ?? fault?.(call) ?? null;
    const text = (): string =>
      typeof wrong === "object" && wrong !== null && "text" in wrong
        ? wrong.text
        : script.answer(body.messages, body.seed ?? 0);
    const said = () => ({ text: text(), thoughts: options.thoughts ?? null, counts: options.counts ?? true });
    const whole = (): string => JSON.stringify(completion(body, said()));
    if (typeof wrong === "object" && wrong !== null && "status" in wrong) refuse(response, wrong);
    else if (wrong === "reset") response.socket?.resetAndDestroy();
    else if (wrong === "page") send(response, "text/html", "<html><body>Bad gateway</body></html>");
    else if (wrong === "no-choice") send(response, "application/json", JSON.stringify({ object: "list" }));
    else if (wrong === "malformed") send(response, "application/json", whole().slice(0, -20));
    else if (wrong !== "hang" && body.stream === true) stream(response, body, said(), wrong === "cut");
    else if (wrong === "cut") {
      response.writeHead(200, { "content-type": "application/json", "content-length": 100_000 });
      cutOff(response);
    } else if (wrong !== "hang") send(response, "application/json", whole());
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      refuse(response, { status: 400, message: String(error) });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = z
    .custom<AddressInfo>((it) => typeof it === "object" && it !== null)
    .parse(server.address());

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    inFlight: () => inFlight,
    mostInFlight: () => mostInFlight,
    setFault(next) {
      fault = next;
    },
    setDelay(ms) {
      delayMs = ms;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What the server itself refuses, whatever the test asks for. */
function refusalOf(
  call: ServedCall,
  body: RequestBody,
  { key, streamsOnly }: OpenAiServerOptions,
): Fault | null {
  if (key !== undefined && call.authorization !== `Bearer ${key}`) {
    const given = call.authorization?.replace("Bearer ", "") ?? "none";
    // Providers do say the key back.
    return { status: 401, code: "invalid_api_key", message: `Incorrect API key provided: ${given}.` };
  }
  if (streamsOnly === true && body.stream !== true) {
    return { status: 400, param: "stream", message: "This server only streams." };
  }
  return null;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(z.instanceof(Buffer).parse(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
