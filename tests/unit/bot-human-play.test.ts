import { describe, expect, it } from "vitest";
import { humanAction } from "../../graph/human-play.ts";

const tools = [{ name: "open_section" }, { name: "list-all" }];

describe("what a person types", () => {
  it.each([
    ["press 1 2", "\\boxed{press 1 2}"],
    ["  press 1 2 ", "\\boxed{press 1 2}"],
    ["\\boxed{press 1 2}", "\\boxed{press 1 2}"],
    ["answer 7", "\\boxed{answer 7}"],
  ])("%j is the game's %j", (typed, action) => {
    expect(humanAction("game", typed, [])).toBe(action);
  });

  it.each([
    [
      'open_section {"section": "a"}',
      '<tool_call>{"name": "open_section", "arguments": {"section": "a"}}</tool_call>',
    ],
    ["list-all", '<tool_call>{"name": "list-all", "arguments": {}}</tool_call>'],
    ["answer 42 ducks", "<answer>42 ducks</answer>"],
    ["<answer>42</answer>", "<answer>42</answer>"],
    ['<tool_call>{"name": "x"}</tool_call>', '<tool_call>{"name": "x"}</tool_call>'],
    ["unknown {}", "unknown {}"],
    ["open_section not json", "open_section not json"],
  ])("%j is the tool-use action %j", (typed, action) => {
    expect(humanAction("tool-use", typed, tools)).toBe(action);
  });
});
