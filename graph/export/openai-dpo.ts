/**
 * `openai-dpo`: one pair a row in the shape of OpenAI's preference files, which Fireworks and Together take too:
 * `{input: {messages, tools, parallel_tool_calls}, preferred_output, non_preferred_output}`.
 */
import { answerAt, before, functionOf, type Message, toolColumn, withToolCalls } from "./messages.ts";
import type { ExportOptions } from "./options.ts";
import { type Pair, partingTurn } from "./pairs.ts";
import type { LeftOut, Play } from "./play.ts";
import { type Row, sourceOf } from "./row.ts";

/** Readers take one answer of the assistant on each side, so a pair is compared where its plays part. */
export function openaiDpo(pair: Pair, { tools: place }: Pick<ExportOptions, "tools">): Row[] | LeftOut {
  const { chosen, rejected } = pair;
  const at = partingTurn(pair);
  if (typeof at === "string") return at;
  const tools = toolColumn(chosen, place);
  const messagesOf = (play: Play): Message[] => {
    const messages = [...before(play, at, place), answerAt(play, at)];
    return tools.length === 0 ? messages : withToolCalls(messages);
  };
  const preferred = messagesOf(chosen);
  const data = {
    input: {
      messages: preferred.slice(0, -1),
      tools: tools.map(functionOf),
      // The agent makes one call a turn.
      parallel_tool_calls: false,
    },
    preferred_output: preferred.slice(-1),
    non_preferred_output: messagesOf(rejected).slice(-1),
  };
  return [{ data, sources: [sourceOf(chosen, "chosen"), sourceOf(rejected, "rejected")] }];
}
