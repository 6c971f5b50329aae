/**
 * What flows between the nodes of a round: ids, counts and small numbers. Source, hints and transcripts live in the
 * store; what the nodes work with reaches them through the graph's context.
 */
import { type Runtime, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import type { EpisodeRecord, RoundOptions } from "../store/records.ts";
import { Direct } from "./direct.ts";
import type { Stage } from "./events.ts";
import { Loading } from "./loading.ts";
import { type EnvironmentMemory, memoryOf } from "./memory/memory.ts";
import { type Plan, plan } from "./plan.ts";
import type { Services } from "./services.ts";

const slots = z.array(z.number().int().nonnegative());

export const RoundState = new StateSchema({
  roundId: z.string(),
  /** Text hash of the round's plan (graph/plan.ts). */
  planId: z.string().default(""),
  /** How often rejected designs went back to the designer. */
  wave: z.number().int().default(0),
  /** Slots whose design waits for a verdict, or was rejected and may be repaired. */
  open: slots.default([]),
  /** Slots whose environment was admitted, in order. */
  playable: slots.default([]),
  /** Episodes of this round in the store. */
  episodes: z.number().int().default(0),
  /** Groups without any spread: they teach the agent nothing. */
  droppedGroups: z.number().int().default(0),
});

export type State = typeof RoundState.State;
export type Update = typeof RoundState.Update;

/** What a run of a round gives its nodes. */
export const RoundContext = z.object({
  services: z.custom<Services>(),
  options: z.custom<RoundOptions>(),
  /** Aborts when the run is to stop at once: every model call and sandbox call hears it. */
  signal: z.custom<AbortSignal>(),
  /** What a run has read of what no longer changes, and loaded, so that each node doesn't do it anew. */
  read: z.custom<Read>(),
});

/** Filled in on first use; a run starts with `{}`. */
export interface Read {
  plan?: Promise<Plan>;
  memory?: Promise<EnvironmentMemory>;
  episodes?: Promise<readonly EpisodeRecord[]>;
  loading?: Promise<Loading>;
}

/** One run of a round, as its nodes see it. */
export interface Work {
  readonly services: Services;
  readonly options: RoundOptions;
  readonly signal: AbortSignal;
  /** Whether the run is to finish what is in flight and start nothing new. */
  draining(): boolean;
  plan(): Promise<Plan>;
  /** The environment memory as it was when the round began. */
  memory(): Promise<EnvironmentMemory>;
  /** The round's episodes; only for nodes after `play`. */
  episodes(): Promise<readonly EpisodeRecord[]>;
  /** What loads environments for plays, in this node and ahead of it. */
  loading(): Promise<Loading>;
  /** Tells whoever watches that `done` of `total` units of a stage are done. */
  progress(stage: Stage, done: number, total: number): void;
}

type Context = z.infer<typeof RoundContext>;
export type RoundRuntime = Pick<Runtime<Context>, "context" | "control">;
export type RoundNode = (state: State, work: Work) => Promise<Update>;

/** A node as LangGraph calls it, for one that asks no people: it starts nothing once the run was aborted. */
export function node(run: RoundNode): Direct<State, Update, Context> {
  return new Direct(askingNode(run));
}

/** A node that may ask people and wait for them. */
export function askingNode(run: RoundNode): (state: State, runtime: RoundRuntime) => Promise<Update> {
  return async (state, runtime) => {
    if (runtime.context === undefined) throw new TypeError("a round needs its context");
    const { services, options, signal, read } = runtime.context;
    signal.throwIfAborted();
    const { store } = services;
    const readPlan = (): Promise<Plan> => {
      read.plan ??= store.texts.get(state.planId).then((text) => plan.parse(JSON.parse(text)));
      return read.plan;
    };
    return run(state, {
      services,
      options,
      signal,
      plan: readPlan,
      memory: () => {
        read.memory ??= readPlan().then(async ({ memory }) => {
          const records = await Promise.all(memory.map((id) => store.environments.get(id)));
          return memoryOf(records.filter((record) => record !== null));
        });
        return read.memory;
      },
      episodes: () => {
        read.episodes ??= store.episodes.ofRound(state.roundId);
        return read.episodes;
      },
      loading: () => {
        const { models, sandbox } = services.config;
        // Half of the places are left to whoever else plays.
        read.loading ??= services
          .sandbox()
          .then(
            (opened) =>
              new Loading(
                opened,
                Math.min(models.concurrency, (opened.stats().hosts * sandbox.livePerHost) / 2),
                options.sharedIsolates,
              ),
          );
        return read.loading;
      },
      draining: () => runtime.control?.drainRequested ?? false,
      progress: (stage, done, total) =>
        services.emit({ type: "stage", roundId: state.roundId, stage, done, total }),
    });
  };
}
