/** A conversation that grows is read as one that is shown for the first time, though old messages are read once. */
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { expect, test } from "vitest";
import { textOf } from "../../graph/models/answer-text.ts";
import { agentAnswer } from "../../graph/models/embedded/agent/act.ts";
import { readView } from "../../graph/models/embedded/agent/view.ts";
import { readConversation } from "../../graph/models/embedded/conversation.ts";
import { oncePer, PerMessage } from "../../graph/models/embedded/per-message.ts";
import { initialWeights } from "../../graph/models/embedded/weights.ts";
import { agentSystem } from "../../graph/prompts/agent.ts";
import { tool } from "../support/embedded-next.ts";

const rules = `Commands:
- guess <number>: name a value; <number> from 1 to 64.
Grade: 5 of 16. Turns: 9.
Range: 1 to 64`;

/** Messages with the same words as others, none of which was read before. */
function copyOf(messages: readonly BaseMessage[]): BaseMessage[] {
  return messages.map((message) => {
    const text = textOf(message);
    if (message.type === "system") return new SystemMessage(text);
    return message.type === "ai" ? new AIMessage(text) : new HumanMessage(text);
  });
}

test("each turn of a growing conversation is answered as if it were read for the first time", () => {
  const weights = initialWeights().agent;
  const messages: BaseMessage[] = [new SystemMessage(agentSystem(null)), new HumanMessage(rules)];
  for (let turn = 0; turn < 6; turn += 1) {
    const answer = agentAnswer({ messages, seed: turn, weights });
    expect(agentAnswer({ messages: copyOf(messages), seed: turn, weights })).toEqual(answer);
    expect(readView(readConversation(messages))).toEqual(readView(readConversation(copyOf(messages))));
    messages.push(new AIMessage(answer.text), new HumanMessage(`Turn ${turn + 1} of 9.\nResult: too low.`));
  }
  expect(readConversation(messages).exchanges).toHaveLength(6);
});

test("a message that was changed, or stands in another conversation, is read anew", () => {
  const first = new HumanMessage(rules);
  const answer = new AIMessage("Plan: bisect.\n\\boxed{guess 32}");
  const heard = new HumanMessage("Result: too low.");
  const game = readConversation([new SystemMessage(agentSystem(null)), first, answer, heard]);
  expect(game.beginning.kind).toBe("game");
  expect(game.exchanges[0]?.action).toBe("guess 32");

  const tools = [tool("look_up", "name")];
  const task = readConversation([new SystemMessage(agentSystem(tools)), first, answer, heard]);
  expect(task.beginning).toMatchObject({ kind: "tool-use", rules, tools });
  expect(task.exchanges[0]?.action).toBe("Plan: bisect.\n\\boxed{guess 32}");

  heard.content = "Result: too high.";
  first.content = `${rules}\nPlace: attic`;
  const changed = readConversation([new SystemMessage(agentSystem(null)), first, answer, heard]);
  expect(changed.beginning.rules).toContain("attic");
  expect(readView(changed).moments[1]?.state.get("Result")).toBe("too high.");
});

test("work is done once for an object, and again for another text", () => {
  let done = 0;
  const length = oncePer(({ text }: { readonly text: string }) => {
    done += 1;
    return text.length;
  });
  const one = { text: "one" };
  expect([length(one), length(one), length({ text: "three" })]).toEqual([3, 3, 5]);
  expect(done).toBe(2);

  const kept = new PerMessage<string>();
  const message = new HumanMessage("a");
  const shout = (text: string): string => {
    done += 1;
    return `${text.toUpperCase()}${done}`;
  };
  expect(kept.of(message, "a", shout)).toBe("A3");
  expect(kept.of(message, "a", shout)).toBe("A3");
  expect(kept.of(message, "b", shout)).toBe("B4");
  expect(textOf(new HumanMessage({ content: [{ type: "text", text: "in parts" }] }))).toBe("in parts");
});
