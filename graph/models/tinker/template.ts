/** A conversation as the one text that a model is given, by the model's own chat template. */
import type { Template } from "@huggingface/jinja";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { ProviderError } from "../../../config/errors.ts";

export interface TemplateParts {
  readonly template: Template;
  /** `bos_token`, `eos_token` and their like. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Texts of the special tokens, which structure a conversation. */
  readonly special: readonly string[];
}

export interface RenderOptions {
  /** Tools as JSON Schema in the form of OpenAI's; none: the template is told of none. */
  readonly tools: readonly unknown[];
  readonly enableThinking: boolean;
}

export interface Rendered {
  readonly text: string;
  /** Whether the template itself opened a thought, so that the answer begins within it. */
  readonly opensThought: boolean;
}

export class ChatTemplate {
  readonly #parts: TemplateParts;

  constructor(parts: TemplateParts) {
    this.#parts = parts;
  }

  /** The prompt for the next answer. Throws ProviderError `provider.refused` if the template refuses the conversation. */
  render(messages: readonly BaseMessage[], { tools, enableThinking }: RenderOptions): Rendered {
    const { template, variables } = this.#parts;
    let text: string;
    try {
      text = template.render({
        ...variables,
        messages: messages.map((message) => this.#said(message)),
        ...(tools.length === 0 ? {} : { tools }),
        add_generation_prompt: true,
        enable_thinking: enableThinking,
      });
    } catch (cause) {
      const said = cause instanceof Error ? cause.message : String(cause);
      throw new ProviderError("provider.refused", `The chat template refuses the conversation: ${said}`, {
        cause,
      });
    }
    return { text, opensThought: text.trimEnd().endsWith("<think>") };
  }

  /** A message as templates know it. */
  #said(message: BaseMessage): Record<string, unknown> {
    const content = this.#asData(message.text);
    if (message instanceof ToolMessage) {
      const { name, tool_call_id } = message;
      return { role: "tool", content, tool_call_id, ...(name === undefined ? {} : { name }) };
    }
    if (!AIMessage.isInstance(message)) {
      return { role: message.type === "system" ? "system" : "user", content };
    }
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) return { role: "assistant", content };
    const tool_calls = calls.map(({ id, name, args }) => ({
      type: "function",
      ...(id === undefined ? {} : { id }),
      function: { name, arguments: args },
    }));
    return { role: "assistant", content, tool_calls };
  }

  /** What is said must not end its own message: special tokens within it are broken up. */
  #asData(text: string): string {
    let data = text;
    for (const token of this.#parts.special) {
      if (data.includes(token)) data = data.replaceAll(token, `${token.slice(0, 1)} ${token.slice(1)}`);
    }
    return data;
  }
}
