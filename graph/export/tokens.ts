/**
 * `tokens`: what was sampled, token by token, for trainers that take no text (slime's names, and the advantage):
 * `{tokens, response_length, loss_mask, rollout_log_probs, reward, advantage, status, metadata}`.
 */
import type { EpisodeRecord } from "../../store/records.ts";
import type { AnswerTokens } from "../models/answer-tokens.ts";
import type { LeftOut, Play } from "./play.ts";
import { type Row, sourceOf } from "./row.ts";

/** Tokens that follow each other in one context. What is behind the first prompt is the response. */
interface Stretch {
  readonly tokens: number[];
  readonly mask: number[];
  readonly logprobs: number[];
}

/**
 * One row a play, if each turn's prompt goes on where the turn before ended; what the environment said has mask 0 there.
 * Where a chat template rewrites what was said before, as those of thinking models do, a new row begins.
 */
export function tokenRows(play: Play): Row[] | LeftOut {
  const turns: AnswerTokens[] = [];
  for (const { tokens } of play.turns) {
    if (tokens === undefined) return "no-tokens";
    turns.push(tokens);
  }
  const stretches = stretchesOf(turns);
  const source = sourceOf(play);
  return stretches.map(({ tokens, mask, logprobs }, part) => ({
    data: {
      tokens,
      response_length: mask.length,
      loss_mask: mask,
      rollout_log_probs: logprobs,
      reward: play.episode.return,
      advantage: play.advantage ?? 0,
      status: statusOf(play.episode),
      metadata: { ...source, part, parts: stretches.length, spread: play.advantage !== null },
    },
    sources: [source],
  }));
}

function stretchesOf(turns: readonly AnswerTokens[]): Stretch[] {
  const stretches: Stretch[] = [];
  let open: Stretch | null = null;
  for (const { prompt, sampled, logprobs } of turns) {
    if (open === null || !goesOn(open.tokens, prompt)) {
      open = { tokens: [...prompt], mask: [], logprobs: [] };
      stretches.push(open);
    } else {
      for (const token of prompt.slice(open.tokens.length)) {
        open.tokens.push(token);
        open.mask.push(0);
        open.logprobs.push(0);
      }
    }
    for (const [at, token] of sampled.entries()) {
      open.tokens.push(token);
      open.mask.push(1);
      open.logprobs.push(logprobs[at] ?? 0);
    }
  }
  return stretches;
}

function goesOn(before: readonly number[], prompt: readonly number[]): boolean {
  return prompt.length >= before.length && before.every((token, at) => prompt[at] === token);
}

function statusOf({ failure, terminated }: EpisodeRecord): "completed" | "truncated" | "failed" {
  if (failure !== null) return "failed";
  return terminated ? "completed" : "truncated";
}
