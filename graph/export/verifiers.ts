/** `verifiers`: an evaluation as the verifiers library saves it, one play a line of `results.jsonl`, and `metadata.json`. */
import { answersOf, type Message, openingOf, toolColumn, withToolCalls } from "./messages.ts";
import type { ExportOptions } from "./options.ts";
import type { Play } from "./play.ts";
import { type Row, sourceOf } from "./row.ts";
import type { Tally } from "./tally.ts";

/** `exampleId` is the same for all plays of one instance under one prompt, and a whole number from 0. */
export function verifiersRow(
  play: Play,
  { tools: place }: Pick<ExportOptions, "tools">,
  exampleId: number,
): Row[] {
  const { episode } = play;
  const tools = toolColumn(play, place);
  const opening = openingOf(play, place);
  const whole: Message[] = [...opening, ...answersOf(play)];
  const messages = tools.length === 0 ? whole : withToolCalls([...opening, ...answersOf(play)]);
  const source = sourceOf(play);
  const generationMs = play.turns.reduce((sum, { ms }) => sum + ms, 0);
  const data = {
    example_id: exampleId,
    prompt: messages.slice(0, opening.length),
    completion: messages.slice(opening.length),
    // Environments judge by their own code: there is no answer to compare with.
    answer: "",
    info: { ...source, skill: play.environment.skill, difficulty: play.environment.difficulty },
    reward: episode.return ?? 0,
    error: errorOf(play),
    timing: {
      start_time: episode.startedAt / 1_000,
      generation_ms: generationMs,
      scoring_ms: 0,
      total_ms: episode.endedAt - episode.startedAt,
    },
    is_completed: episode.failure === null,
    is_truncated: episode.truncated,
    stop_condition: stopOf(play),
    metrics: { turns: episode.turns },
    tool_defs: tools,
    token_usage: { input_tokens: episode.usage.inputTokens, output_tokens: episode.usage.outputTokens },
  };
  return [{ data, sources: [source] }];
}

function errorOf({ episode: { failure } }: Play): Readonly<Record<string, string>> | null {
  if (failure === null) return null;
  const whole = `${failure.code}: ${failure.detail}`;
  return { error: failure.code, error_chain_repr: whole, error_chain_str: whole };
}

function stopOf({ episode }: Play): string {
  if (episode.failure !== null) return episode.failure.code;
  return episode.terminated ? "environment_ended" : "out_of_turns_or_context";
}

/** `metadata.json`, of what was counted while the rows were written. */
export function verifiersMetadata(tally: Tally, options: ExportOptions): Readonly<Record<string, unknown>> {
  const models = Object.keys(tally.models).sort();
  return {
    env_id: "spadework",
    env_args: { rounds: options.rounds, arms: options.arms, hint: options.hint },
    model: models.join(", "),
    base_url: "",
    num_examples: tally.examples,
    rollouts_per_example: tally.examples === 0 ? 0 : Math.round(tally.rows / tally.examples),
    sampling_args: {},
    date: new Date(tally.to).toISOString(),
    time_ms: tally.playedMs,
    avg_reward: tally.rows === 0 ? 0 : tally.returns / tally.rows,
    avg_metrics: { turns: tally.rows === 0 ? 0 : tally.turns / tally.rows },
    avg_error: tally.rows === 0 ? 0 : tally.failedEpisodes / tally.rows,
    state_columns: [],
    path_to_save: "",
    tools: null,
  };
}
