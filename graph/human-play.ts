/**
 * A person plays an environment: one session, turn by turn, under the same rules as the agent (turn cap, action format,
 * return), kept as an episode of arm `human`. Any surface can hold such a session.
 */
import { InputError, SandboxError } from "../config/errors.ts";
import type { EnvironmentKind } from "../config/words.ts";
import { wrapAction } from "../sandbox/actions.ts";
import type { EnvironmentHandle, Failure, Observation, Step, ToolDefinition } from "../sandbox/sandbox.ts";
import { type EnvironmentRecord, type EpisodeRecord, episodeId, type TextId } from "../store/records.ts";
import { withHint } from "./prompts/agent.ts";
import { episodeReturn } from "./rewards/returns.ts";
import type { Services } from "./services.ts";
import type { Transcript, Turn } from "./transcript.ts";

export interface HumanPlayOptions {
  readonly environmentId: string;
  /** What the environment is reset with; two people who give the same seed play the same instance. */
  readonly seed: number;
  /** The person's name. */
  readonly player: string;
  /** A play that has an id of its own is kept once, however often it is finished; without one it gets the next. */
  readonly id?: string;
  /** When it began, if this is a play that is taken up again; milliseconds since 1970. */
  readonly startedAt?: number;
}

/** What one action led to. */
export interface HumanTurn extends Step {
  /** Whether the play is over: ended by the environment, out of turns, or failed. */
  readonly over: boolean;
  /** Why the environment failed; null if it did not. */
  readonly failure: Failure | null;
}

export interface HumanResult {
  readonly episode: EpisodeRecord;
  /** The environment as it was then, with what the model scored in it. */
  readonly environment: EnvironmentRecord;
}

const nothing: Step = { observation: "", reward: 0, terminated: false, truncated: false, info: {} };
const noUsage = { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };

/**
 * What a person typed as the action that `step` receives. Games take bare commands. For tool use `name {"key": 1}` is
 * a call and `answer …` the answer; a whole `<tool_call>` or `<answer>` is taken as it is.
 */
export function humanAction(
  kind: EnvironmentKind,
  input: string,
  tools: readonly Pick<ToolDefinition, "name">[],
): string {
  const typed = input.trim();
  if (kind === "game") return wrapAction(kind, typed);
  const answer = /^answer\s+([\s\S]+)$/i.exec(typed)?.[1];
  if (answer !== undefined) return `<answer>${answer}</answer>`;
  const call = /^([\w.-]+)\s*(\{[\s\S]*\})?$/.exec(typed);
  if (call === null || !tools.some((tool) => tool.name === call[1])) return wrapAction(kind, typed);
  return `<tool_call>{"name": ${JSON.stringify(call[1])}, "arguments": ${call[2] ?? "{}"}}</tool_call>`;
}

/**
 * Opens a session. Throws `input.not-found` for an unknown environment, `input.conflict` for one without source, and
 * `environment.failed` if it does not load or reset.
 */
export async function startHumanPlay(services: Services, options: HumanPlayOptions): Promise<HumanPlay> {
  const { store } = services;
  const environment = await store.environments.get(options.environmentId);
  if (environment === null) {
    throw new InputError("input.not-found", `There is no environment ${options.environmentId}.`);
  }
  if (environment.sourceId === null) {
    throw new InputError("input.conflict", `${environment.id} has no source: its designer wrote none.`);
  }
  const source = await store.texts.get(environment.sourceId);
  const hint = await hintFor(services, environment);
  const sandbox = await services.sandbox();
  const opened = await sandbox.open(source, { language: environment.language });
  if (!opened.ok) throw failed(environment.id, opened.failure);
  const handle = opened.value;
  const first = await handle.reset(options.seed);
  const tools = first.ok && environment.kind === "tool-use" ? await handle.tools() : null;
  if (!first.ok || tools?.ok === false) {
    await handle.close();
    throw failed(environment.id, first.ok ? (tools?.ok === false ? tools.failure : null) : first.failure);
  }
  return new HumanPlay({
    services,
    options,
    environment,
    handle,
    hint,
    first: first.value,
    tools: tools?.ok === true ? tools.value : [],
  });
}

/** The designer's hint, or else the newest that a person wrote. */
async function hintFor({ store }: Services, environment: EnvironmentRecord): Promise<Hint | null> {
  const written = await store.hints.ofEnvironment(environment.id);
  const id = environment.hintId ?? written.at(-1)?.textId ?? null;
  return id === null ? null : { id, text: await store.texts.get(id) };
}

function failed(id: string, failure: Failure | null): InputError | SandboxError {
  const detail = failure?.detail ?? "it gave no tools";
  if (failure?.verdict === "sandbox-failed") return new SandboxError("sandbox.unavailable", detail);
  return new InputError("environment.failed", `${id} can't be played: ${detail}`);
}

interface Hint {
  readonly id: TextId;
  readonly text: string;
}

interface Opened {
  readonly services: Services;
  readonly options: HumanPlayOptions;
  readonly environment: EnvironmentRecord;
  readonly handle: EnvironmentHandle;
  readonly hint: Hint | null;
  readonly first: Observation;
  readonly tools: readonly ToolDefinition[];
}

/** One session. `finish` must be called, however it ends; it stores the episode once and gives the isolate back. */
export class HumanPlay {
  readonly environment: EnvironmentRecord;
  readonly seed: number;
  /** As the environment gave it, without a hint. */
  readonly firstObservation: string;
  readonly firstInfo: Observation["info"];
  readonly tools: readonly ToolDefinition[];
  /** Turns an episode has at most. */
  readonly turnCap: number;
  readonly #services: Services;
  readonly #options: HumanPlayOptions;
  readonly #handle: EnvironmentHandle;
  readonly #hint: Hint | null;
  readonly #turns: Turn[] = [];
  readonly #startedAt: number;
  #shownAt: number;
  /** Turns taken when the hint was shown; null if it was not. */
  #hintAfter: number | null = null;
  #over = false;
  #failure: EpisodeRecord["failure"] = null;
  #result: Promise<HumanResult> | null = null;

  constructor(opened: Opened) {
    this.environment = opened.environment;
    this.seed = opened.options.seed;
    this.firstObservation = opened.first.observation;
    this.firstInfo = opened.first.info;
    this.tools = opened.tools;
    this.turnCap = Math.min(
      opened.services.config.round.turnCap,
      opened.environment.maxTurns ?? Number.POSITIVE_INFINITY,
    );
    this.#services = opened.services;
    this.#options = opened.options;
    this.#handle = opened.handle;
    this.#hint = opened.hint;
    this.#shownAt = opened.services.now();
    this.#startedAt = opened.options.startedAt ?? this.#shownAt;
  }

  get turns(): number {
    return this.#turns.length;
  }

  /** The turns so far, as the environment answered them. */
  get taken(): readonly Turn[] {
    return this.#turns;
  }

  get hasHint(): boolean {
    return this.#hint !== null;
  }

  /** The hint, once it was revealed; null before that. */
  get hintShown(): string | null {
    return this.#hintAfter === null ? null : (this.#hint?.text ?? null);
  }

  /** Why the play can't go on: the environment failed, or the player gave up; null otherwise. */
  get failure(): EpisodeRecord["failure"] {
    return this.#failure;
  }

  get over(): boolean {
    return this.#over;
  }

  /**
   * Takes one action as a person typed it; `took` is how long they thought about it, milliseconds, if that was measured
   * elsewhere. Throws `input.conflict` once the play is over.
   */
  async act(input: string, took?: number): Promise<HumanTurn> {
    if (this.#over) throw new InputError("input.conflict", "This play is over.");
    const { kind } = this.environment;
    const action = humanAction(kind, input, this.tools);
    const ms = took ?? this.#services.now() - this.#shownAt;
    const stepped = await this.#handle.step(action);
    const step = stepped.ok ? stepped.value : nothing;
    this.#turns.push({ said: input, action, ...step, decisions: null, usage: noUsage, ms });
    if (!stepped.ok) {
      const { verdict, detail } = stepped.failure;
      this.#failure = { code: verdict, detail, ours: verdict === "sandbox-failed" || verdict === "closed" };
    }
    this.#over = !stepped.ok || step.terminated || step.truncated || this.#turns.length >= this.turnCap;
    this.#shownAt = this.#services.now();
    return { ...step, over: this.#over, failure: stepped.ok ? null : stepped.failure };
  }

  /** Shows the hint, null if there is none. The episode remembers that it was seen, and after which observation. */
  revealHint(): string | null {
    if (this.#hint === null) return null;
    this.#hintAfter ??= this.#turns.length;
    return this.#hint.text;
  }

  /** What was said and shown, the hint where it was revealed. */
  #transcript(): Transcript {
    const shown = (observation: string, after: number): string =>
      withHint(observation, after === this.#hintAfter ? (this.#hint?.text ?? null) : null);
    return {
      system: "",
      firstObservation: shown(this.firstObservation, 0),
      turns: this.#turns.map((turn, at) => ({ ...turn, observation: shown(turn.observation, at + 1) })),
    };
  }

  /** Ends the play with return 0. */
  giveUp(): void {
    if (this.#over) return;
    this.#over = true;
    this.#failure = { code: "gave-up", detail: `${this.#options.player} gave up.`, ours: false };
  }

  /** Stores the episode and closes the session; a play that is not over counts as given up. */
  finish(): Promise<HumanResult> {
    this.giveUp();
    this.#result ??= this.#store();
    return this.#result;
  }

  /** Closes the session and stores nothing. */
  async discard(): Promise<void> {
    this.#over = true;
    await this.#handle.close();
  }

  async #store(): Promise<HumanResult> {
    await this.#handle.close();
    const { store, now } = this.#services;
    const transcriptId = await store.texts.put(JSON.stringify(this.#transcript()));
    const last = this.#turns.at(-1);
    const failure = this.#failure;
    const terminated = failure === null && (last?.terminated ?? false);
    const key = {
      roundId: this.#options.id ?? (await nextPlayId(store)),
      environmentId: this.environment.id,
      arm: "human" as const,
      index: 0,
    };
    const episode: EpisodeRecord = {
      ...key,
      id: episodeId(key),
      seed: this.seed,
      player: this.#options.player,
      policyVersion: null,
      return: episodeReturn({ terminated, lastReward: last?.reward ?? null, failure }),
      terminated,
      truncated: failure === null && !terminated,
      turns: this.#turns.length,
      failure,
      hintId: this.#hintAfter === null ? null : (this.#hint?.id ?? null),
      transcriptId,
      usage: noUsage,
      startedAt: this.#startedAt,
      endedAt: now(),
    };
    const isNew = await store.episodes.insert(episode);
    const kept = isNew ? episode : ((await store.episodes.get(episode.id)) ?? episode);
    return { episode: kept, environment: this.environment };
  }
}

/** The next free id of a person's play. */
export async function nextPlayId(store: Services["store"]): Promise<string> {
  return `h${await store.nextNumber("human")}`;
}

/** The id of the episode that a play with an id of its own leaves. */
export function playEpisodeId(playId: string, environmentId: string): string {
  return episodeId({ roundId: playId, environmentId, arm: "human", index: 0 });
}
