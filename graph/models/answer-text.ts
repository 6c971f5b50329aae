/** The text of a chat model's answer, with the thoughts that a provider reports apart from it put before it. */
import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";

const thought = z.union([
  z.object({ type: z.literal("thinking"), thinking: z.string() }).transform((block) => block.thinking),
  z.object({ type: z.literal("reasoning"), reasoning: z.string() }).transform((block) => block.reasoning),
]);
const separateThoughts = z.object({ reasoning_content: z.string() });

/** What was said, whole: `<think>…</think>` first where there were thoughts, as models that think in plain text do. */
export function answerText(message: BaseMessage): string {
  const thoughts = thoughtsOf(message).join("\n").trim();
  const text = textOf(message);
  return thoughts === "" ? text : `<think>\n${thoughts}\n</think>\n\n${text}`;
}

/** A message's text. LangChain's own getter takes a plain text through the content formats of every provider. */
export function textOf(message: BaseMessage): string {
  return typeof message.content === "string" ? message.content : message.text;
}

function thoughtsOf(message: BaseMessage): string[] {
  // Most answers have none, and a parse that fails costs more than all the rest.
  if (message.additional_kwargs?.reasoning_content !== undefined) {
    const separate = separateThoughts.safeParse(message.additional_kwargs);
    if (separate.success) return [separate.data.reasoning_content];
  }
  if (typeof message.content === "string") return [];
  return message.content.flatMap((block) => {
    const parsed = thought.safeParse(block);
    return parsed.success ? [parsed.data] : [];
  });
}
