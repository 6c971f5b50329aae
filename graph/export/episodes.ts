/** `episodes`: whole plays as the lab keeps them, with their transcripts and where they come from. For our own readers. */
import type { EnvironmentRecord, EpisodeRecord } from "../../store/records.ts";
import { transcript } from "../transcript.ts";
import { type Row, sourceOf } from "./row.ts";

/** `raw` is the stored transcript. What a hinted player saw is in it as it was. */
export function episodeRow(episode: EpisodeRecord, environment: EnvironmentRecord, raw: string): Row {
  const { id, name, kind, language, skill, difficulty, documentId, sourceId } = environment;
  const source = sourceOf({ episode, hint: episode.hintId === null ? "none" : "kept" });
  const data = {
    ...episode,
    promptHoldsHint: source.promptHoldsHint,
    environment: { id, name, kind, language, skill, difficulty, documentId, sourceId },
    transcript: transcript.loose().parse(JSON.parse(raw)),
  };
  return { data, sources: [source] };
}
