/** `episode`: one episode, turn by turn. */
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import { transcript } from "../../graph/transcript.ts";
import { episodeCard } from "../cards/episode-card.ts";
import { defineCommand } from "./command.ts";

export const episode = defineCommand({
  name: "episode",
  summary: "Show an episode's whole transcript, turn by turn",
  role: "viewer",
  options: {
    id: {
      kind: "episode",
      summary: "the episode's id",
      schema: z.string().trim().min(1).max(400),
      argument: true,
      placeholder: "ID",
    },
  },
  async run({ id }, _caller, context) {
    const { store } = await context.services();
    const record = await store.episodes.get(id);
    if (record === null) throw new InputError("input.not-found", `There is no episode "${id}".`);
    const whole = transcript.parse(JSON.parse(await store.texts.get(record.transcriptId)));
    return { card: episodeCard(record, whole), json: { ...record, transcript: whole } };
  },
});
