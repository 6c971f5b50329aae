/** A conversation with the designer as the store keeps it, and as a model is sent it. */
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { z } from "zod";
import { decision } from "../store/records.ts";
import type { TextStore } from "../store/store.ts";
import { answerTokens } from "./models/answer-tokens.ts";
import type { ModelAnswer } from "./models/model.ts";

export const said = z.object({
  by: z.enum(["system", "lab", "designer"]),
  text: z.string(),
  /** Choices of the embedded policy; null for other models and for what the lab says. */
  decisions: z.array(decision).nullable(),
  /** What was sampled, of models that report tokens. */
  tokens: answerTokens.optional(),
});
export const conversation = z.array(said);
export type Conversation = z.infer<typeof conversation>;

/** Characters of one answer that go back to the model: a runaway answer must not fill its context. */
const resentCharacters = 200_000;

/** The conversation that a list of opening messages starts. */
export function conversationOf(messages: readonly BaseMessage[]): Conversation {
  return messages.map((message) => ({
    by: message.getType() === "system" ? "system" : "lab",
    text: message.text,
    decisions: null,
  }));
}

/** The conversation with the designer's answer at its end. */
export function withAnswer(before: Conversation, answer: ModelAnswer): Conversation {
  const { text, decisions, tokens } = answer;
  const said = { by: "designer", text, decisions: decisions?.slice() ?? null } as const;
  return [...before, tokens === undefined ? said : { ...said, tokens }];
}

/** The conversation with one more message of the lab. */
export function withMessage(before: Conversation, message: HumanMessage): Conversation {
  return [...before, { by: "lab", text: message.text, decisions: null }];
}

/** What a model is sent. An empty answer is named as such, since providers refuse an empty message. */
export function messagesOf(whole: Conversation): BaseMessage[] {
  return whole.map(({ by, text }) => {
    if (by === "system") return new SystemMessage(text);
    if (by === "lab") return new HumanMessage(text);
    if (text.trim() === "") return new AIMessage("(empty answer)");
    return new AIMessage(
      text.length <= resentCharacters ? text : `${text.slice(0, resentCharacters)}\n[the rest is cut]`,
    );
  });
}

export async function readConversation(texts: TextStore, id: string): Promise<Conversation> {
  return conversation.parse(JSON.parse(await texts.get(id)));
}

export async function writeConversation(texts: TextStore, whole: Conversation): Promise<string> {
  return texts.put(JSON.stringify(whole));
}
