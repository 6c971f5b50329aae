/** `trl-dpo`: one pair of plays a row, as TRL's DPOTrainer reads it: `{prompt, chosen, rejected}`. */
import { answerAt, answersOf, before, openingOf } from "./messages.ts";
import type { ExportOptions } from "./options.ts";
import { type Pair, partingTurn } from "./pairs.ts";
import type { LeftOut } from "./play.ts";
import { type Row, sourceOf } from "./row.ts";

/** Whole plays after the same first observation, or with `per: turn` the first answers in which they part. */
export function trlDpo(pair: Pair, { per }: Pick<ExportOptions, "per">): Row[] | LeftOut {
  const { chosen, rejected } = pair;
  const sources = [sourceOf(chosen, "chosen"), sourceOf(rejected, "rejected")];
  if (per === "episode") {
    const data = {
      prompt: openingOf(chosen, "prompt"),
      chosen: answersOf(chosen),
      rejected: answersOf(rejected),
    };
    return [{ data, sources }];
  }
  const at = partingTurn(pair);
  if (typeof at === "string") return at;
  const data = {
    prompt: before(chosen, at, "prompt"),
    chosen: [answerAt(chosen, at)],
    rejected: [answerAt(rejected, at)],
  };
  return [{ data, sources }];
}
