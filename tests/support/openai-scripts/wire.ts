/** The wire of OpenAI's chat completions: whole answers, streamed ones, errors. */
import type { ServerResponse } from "node:http";
import { z } from "zod";

export const requestBody = z.looseObject({
  model: z.string(),
  messages: z.array(z.object({ role: z.enum(["system", "user", "assistant"]), content: z.string() })),
  seed: z.number().optional(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean() }).optional(),
});
export type RequestBody = z.infer<typeof requestBody>;

/** An error answer of OpenAI's form. */
export interface Refusal {
  readonly status: number;
  readonly message?: string;
  readonly code?: string;
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Characters of one piece of a streamed answer. */
const pieceCharacters = 40;

const thought = "I should look at what I was told before I answer.";

export interface Answer {
  readonly text: string;
  readonly thoughts: "inline" | "apart" | null;
  readonly counts: boolean;
}

export function completion(body: RequestBody, said: Answer) {
  return {
    id: "chatcmpl-scripted",
    object: "chat.completion",
    created: 0,
    model: `${body.model}-scripted`,
    choices: [
      {
        index: 0,
        finish_reason: "stop",
        message: {
          role: "assistant",
          content: contentOf(said),
          ...(said.thoughts === "apart" ? { reasoning_content: thought } : {}),
        },
      },
    ],
    ...(said.counts ? { usage: usageOf(body, said) } : {}),
  };
}

/** Streams an answer; `cut` ends the connection after its first piece. */
export function stream(response: ServerResponse, body: RequestBody, said: Answer, cut: boolean): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const about = {
    id: "chatcmpl-scripted",
    object: "chat.completion.chunk",
    created: 0,
    model: `${body.model}-scripted`,
  };
  const event = (data: object): void => {
    response.write(`data: ${JSON.stringify({ ...about, ...data })}\n\n`);
  };
  const piece = (delta: object, reason: string | null = null): void =>
    event({ choices: [{ index: 0, delta, finish_reason: reason }] });
  piece({ role: "assistant", content: "" });
  if (said.thoughts === "apart") piece({ reasoning_content: thought });
  const content = contentOf(said);
  for (let at = 0; at < content.length; at += pieceCharacters) {
    piece({ content: content.slice(at, at + pieceCharacters) });
    if (cut) {
      cutOff(response);
      return;
    }
  }
  piece({}, "stop");
  if (said.counts && body.stream_options?.include_usage === true) {
    event({ choices: [], usage: usageOf(body, said) });
  }
  response.end("data: [DONE]\n\n");
}

function contentOf({ text, thoughts }: Answer): string {
  return thoughts === "inline" ? `<think>\n${thought}\n</think>\n\n${text}` : text;
}

function usageOf(body: RequestBody, said: Answer) {
  const prompt = tokensOf(body.messages.map(({ content }) => content).join("\n"));
  const answer = tokensOf(contentOf(said));
  return { prompt_tokens: prompt, completion_tokens: answer, total_tokens: prompt + answer };
}

/** Resets the connection once what was written has left. */
export function cutOff(response: ServerResponse): void {
  response.write("\n", () => response.socket?.resetAndDestroy());
}

/** Four characters a token, so that tests can say what a call must have cost. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

export function refuse(response: ServerResponse, fault: Refusal): void {
  const { status, message = `Scripted failure ${status}.`, code = null, param = null, headers = {} } = fault;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ error: { message, type: "scripted", code, param } }));
}

export function send(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { "content-type": type });
  response.end(text);
}
