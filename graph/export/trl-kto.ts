/** `trl-kto`: one labelled play a row, as TRL's KTOTrainer reads it: `{prompt, completion, label}`. */
import { answerAt, answersOf, before, openingOf } from "./messages.ts";
import type { ExportOptions } from "./options.ts";
import type { Play } from "./play.ts";
import { type Row, sourceOf } from "./row.ts";

/** A play is good from a return of `labelReturn` on; with `per: turn` each of its answers has the play's label. */
export function trlKto(play: Play, { per, labelReturn }: Pick<ExportOptions, "per" | "labelReturn">): Row[] {
  const label = (play.episode.return ?? 0) >= labelReturn;
  const sources = [sourceOf(play)];
  if (per === "episode") {
    return [{ data: { prompt: openingOf(play, "prompt"), completion: answersOf(play), label }, sources }];
  }
  return play.turns.map((_, at) => ({
    data: { prompt: before(play, at, "prompt"), completion: [answerAt(play, at)], label },
    sources,
  }));
}
