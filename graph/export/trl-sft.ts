/** `trl-sft`: one conversation a row, as TRL's SFTTrainer reads it: `{messages, tools}`. */
import { answersOf, functionOf, openingOf, toolColumn } from "./messages.ts";
import type { ExportOptions } from "./options.ts";
import type { Play } from "./play.ts";
import { type Row, sourceOf } from "./row.ts";

/**
 * Calls stay in the text, in the form that the lab's agent speaks. `tools` is a JSON list in a string, which TRL reads as
 * it does a list: every environment has tools of its own, and a table's columns would mix their fields.
 */
export function trlSft(play: Play, { tools }: Pick<ExportOptions, "tools">): Row[] {
  const data = {
    messages: [...openingOf(play, tools), ...answersOf(play)],
    tools: JSON.stringify(toolColumn(play, tools).map(functionOf)),
  };
  return [{ data, sources: [sourceOf(play)] }];
}
