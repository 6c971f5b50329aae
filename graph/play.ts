/**
 * One episode as a plain loop: reset, then model call and step in turns until the environment ends it or the turns or
 * the context run out. What an environment does wrong is data; what we do wrong leaves the play without a return.
 */
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { ProviderError } from "../config/errors.ts";
import { type KeyPart, keyedSeed } from "../config/random.ts";
import type { EnvironmentKind, Language } from "../config/words.ts";
import { actionOf } from "../sandbox/actions.ts";
import type { EnvironmentHandle, Failure, Sandbox, Step, ToolDefinition } from "../sandbox/sandbox.ts";
import type { EpisodeRecord, RoundOptions, Usage } from "../store/records.ts";
import type { Model } from "./models/model.ts";
import { agentSystem, openingMessages, withHint } from "./prompts/agent.ts";
import { refusesThisRequest } from "./refusal.ts";
import { episodeReturn } from "./rewards/returns.ts";
import type { Transcript, Turn } from "./transcript.ts";

export interface Episode {
  readonly source: string;
  readonly language: Language;
  readonly kind: EnvironmentKind;
  readonly seed: number;
  /** Null in the plain arm. */
  readonly hint: string | null;
  /** What the draws of this play are keyed by: round seed, slot, arm, play. The turn is added to it. */
  readonly key: readonly KeyPart[];
}

export interface Player {
  readonly model: Model;
  readonly sandbox: Pick<Sandbox, "open">;
  readonly limits: Pick<RoundOptions, "turnCap" | "contextTokens" | "temperature" | "maxOutputTokens">;
  readonly signal: AbortSignal;
}

export type Ending = Pick<
  EpisodeRecord,
  "return" | "terminated" | "truncated" | "turns" | "failure" | "policyVersion" | "usage"
>;

export interface Played {
  readonly transcript: Transcript;
  readonly ending: Ending;
  /** The error behind a failure of ours, so that the caller can tell an outage from a single loss. */
  readonly cause: ProviderError | null;
}

/** What a transcript shows of a step that failed: what was said is there, and nothing came back. */
const noStep: Step = { observation: "", reward: 0, terminated: false, truncated: false, info: {} };

/** Errors of a provider that one call may meet alone; the others end the round, since no further call could succeed. */
const passing = new Set(["provider.unreachable", "provider.timed-out", "provider.bad-answer"]);

/**
 * Plays one episode in an isolate of its own. Throws the signal's reason when aborted, and ProviderError where no
 * further call could succeed (a bad key, no such model, the budget used up).
 */
export async function playEpisode(episode: Episode, player: Player): Promise<Played> {
  const opened = await player.sandbox.open(episode.source, {
    language: episode.language,
    signal: player.signal,
  });
  if (!opened.ok) return unplayed(opened.failure, player.signal);
  const handle = opened.value;
  try {
    return await playOpened(episode, handle, player);
  } finally {
    await handle.close();
  }
}

async function playOpened(episode: Episode, handle: EnvironmentHandle, player: Player): Promise<Played> {
  const { model, limits, signal } = player;
  const first = await handle.reset(episode.seed);
  if (!first.ok) return unplayed(first.failure, signal);
  let tools: readonly ToolDefinition[] | null = null;
  if (episode.kind === "tool-use") {
    const listed = await handle.tools();
    if (!listed.ok) return unplayed(listed.failure, signal);
    tools = listed.value;
  }

  const system = agentSystem(tools);
  const firstObservation = withHint(first.value.observation, episode.hint);
  const messages: BaseMessage[] = openingMessages(system, firstObservation);
  const turns: Turn[] = [];
  const total: Usage = { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };
  let contextTokens = estimatedTokens(system) + estimatedTokens(firstObservation);
  let policyVersion: string | null = null;

  const played = (failure: Ending["failure"], cause: ProviderError | null = null): Played => {
    const last = turns.at(-1);
    const terminated = failure === null && (last?.terminated ?? false);
    return {
      transcript: { system, firstObservation, turns },
      ending: {
        return: episodeReturn({ terminated, lastReward: last?.reward ?? null, failure }),
        terminated,
        truncated: failure === null && !terminated,
        turns: turns.length,
        failure,
        policyVersion,
        usage: total,
      },
      cause,
    };
  };

  while (turns.length < limits.turnCap && contextTokens < limits.contextTokens) {
    signal.throwIfAborted();
    let answer: Awaited<ReturnType<Model["call"]>>;
    try {
      answer = await model.call({
        role: "agent",
        messages,
        seed: keyedSeed(...episode.key, turns.length),
        temperature: limits.temperature,
        maxOutputTokens: Math.min(limits.maxOutputTokens, limits.contextTokens - contextTokens),
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ProviderError)) throw error;
      if (!passing.has(error.code) && !refusesThisRequest(error)) throw error;
      return played({ code: error.code, detail: error.message, ours: true }, error);
    }
    total.calls += answer.usage.calls;
    total.inputTokens += answer.usage.inputTokens;
    total.outputTokens += answer.usage.outputTokens;
    total.costUsd += answer.usage.costUsd;
    policyVersion = answer.policyVersion ?? policyVersion;

    const action = actionOf(episode.kind, answer.text);
    const stepped = await handle.step(action);
    const step = stepped.ok ? stepped.value : noStep;
    turns.push({
      said: answer.text,
      action,
      ...step,
      decisions: answer.decisions?.slice() ?? null,
      ...(answer.tokens === undefined ? {} : { tokens: answer.tokens }),
      usage: answer.usage,
      ms: answer.ms,
    });
    if (!stepped.ok) return played(failureOf(stepped.failure, signal));
    const { observation } = step;
    if (step.terminated || step.truncated) break;
    // Providers refuse an empty message of their own model.
    messages.push(new AIMessage(answer.text === "" ? "(empty answer)" : answer.text));
    messages.push(new HumanMessage(observation));
    contextTokens =
      answer.usage.inputTokens > 0
        ? answer.usage.inputTokens + answer.usage.outputTokens + estimatedTokens(observation)
        : contextTokens + estimatedTokens(answer.text) + estimatedTokens(observation);
  }
  return played(null);
}

/** An episode that ended before its first turn. */
function unplayed(failure: Failure, signal: AbortSignal): Played {
  const told = failureOf(failure, signal);
  return {
    transcript: { system: "", firstObservation: "", turns: [] },
    ending: {
      return: episodeReturn({ terminated: false, lastReward: null, failure: told }),
      terminated: false,
      truncated: false,
      turns: 0,
      failure: told,
      policyVersion: null,
      usage: { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 },
    },
    cause: null,
  };
}

/** What failed, as an episode keeps it. A sandbox that closes under a play ends the run, not the play. */
function failureOf(failure: Failure, signal: AbortSignal): NonNullable<Ending["failure"]> {
  if (failure.verdict === "closed") signal.throwIfAborted();
  const ours = failure.verdict === "sandbox-failed" || failure.verdict === "closed";
  return { code: failure.verdict, detail: failure.detail, ours };
}

/** About four characters a token: only used where a provider has not counted yet. */
function estimatedTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
