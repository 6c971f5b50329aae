/**
 * What people see of a round that is worked on, as a value: built from the store, then carried on by events. Taking an
 * event in changes nothing but the value, so the same events give the same view.
 */
import type { RoundEvent, Stage } from "../../graph/events.ts";
import { designedIn } from "../../graph/totals.ts";
import type { EnvironmentRecord, EpisodeRecord, RoundOptions, RoundRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { type TimedStage, timedStage } from "../stage-clock.ts";
import type { JobState } from "./jobs.ts";

export interface DesignView {
  readonly name: string;
  /** `mended`: it was turned away and goes back to the designer. */
  readonly verdict: "open" | "mended" | "admitted" | "rejected";
}

/** The plays of one arm that have a return. */
export interface ArmView {
  readonly plays: number;
  readonly sum: number;
}

export interface ReturnsView {
  readonly plain: ArmView;
  readonly hinted: ArmView;
}

/** A stage as far as it is known; no time is known of one that ran before this process. */
export type StageView =
  | TimedStage
  | (Pick<TimedStage, "stage" | "done" | "total"> & { readonly startedAt: null });

export interface RoundView {
  readonly roundId: string;
  readonly options: RoundOptions;
  readonly startedBy: string;
  readonly startedAt: number;
  readonly job: JobState;
  /** The stage that moved last. */
  readonly stage: Stage | null;
  /** In order of their beginning. */
  readonly stages: readonly StageView[];
  /** By environment, in order of their slots where known. */
  readonly designs: ReadonlyMap<string, DesignView>;
  readonly returns: ReadonlyMap<string, ReturnsView>;
  readonly episodes: number;
  /** Episodes without a return. */
  readonly failed: number;
  /** The latest, oldest first. */
  readonly warnings: readonly string[];
  /** When it last changed, milliseconds since 1970: what is shown of times is as of then. */
  readonly at: number;
}

const shownWarnings = 3;
const nothing: ReturnsView = { plain: { plays: 0, sum: 0 }, hinted: { plays: 0, sum: 0 } };

/** The view of a round as the store has it. */
export async function viewOfStore(
  store: Pick<Store, "environments" | "episodes">,
  round: RoundRecord,
  job: JobState,
  now: number,
): Promise<RoundView> {
  const designed = round.options.mode === "self-play" ? await designedIn(store, round.id) : [];
  const episodes = await store.episodes.ofRound(round.id);
  const bare: RoundView = {
    roundId: round.id,
    options: round.options,
    startedBy: round.startedBy,
    startedAt: round.startedAt,
    job,
    stage: null,
    stages: stagesOf(round.options, designed, episodes),
    designs: new Map(designed.map((record) => [record.id, designOf(record, round.options)])),
    returns: new Map(),
    episodes: 0,
    failed: 0,
    warnings: [],
    at: now,
  };
  return episodes.reduce(withEpisode, bare);
}

/** The view after an event of its round. */
export function viewAfter(view: RoundView, event: RoundEvent, now: number): RoundView {
  const next = { ...view, at: now };
  switch (event.type) {
    case "stage":
      return { ...next, stage: event.stage, stages: withStage(view.stages, event, now) };
    case "designed":
      return withDesign(next, event.environmentId, { name: event.name, verdict: "open" });
    case "judged": {
      const last = event.attempt >= view.options.repairs;
      const verdict = event.admitted ? "admitted" : last ? "rejected" : "mended";
      const name = view.designs.get(event.environmentId)?.name ?? event.environmentId;
      return withDesign(next, event.environmentId, { name, verdict });
    }
    case "approval-decided": {
      const design = view.designs.get(event.environmentId);
      if (design === undefined || event.status === "approved") return view;
      return withDesign(next, event.environmentId, { ...design, verdict: "rejected" });
    }
    case "episode":
      return withEpisode(next, event);
    case "warning":
      return { ...next, warnings: [...view.warnings, event.message].slice(-shownWarnings) };
    default:
      return view;
  }
}

export function viewWithJob(view: RoundView, job: JobState, now: number): RoundView {
  return { ...view, job, at: now };
}

/** Mean regret so far, over the environments that were played in both arms; null while there are none. */
export function runningRegret(
  view: RoundView,
): { readonly mean: number; readonly environments: number } | null {
  const regrets = [...view.returns.values()]
    .filter(({ plain, hinted }) => plain.plays > 0 && hinted.plays > 0)
    .map(({ plain, hinted }) => hinted.sum / hinted.plays - plain.sum / plain.plays);
  if (regrets.length === 0) return null;
  return { mean: regrets.reduce((sum, one) => sum + one, 0) / regrets.length, environments: regrets.length };
}

/** Environments by verdict. */
export function countVerdicts(view: RoundView): Readonly<Record<DesignView["verdict"], number>> {
  const counts = { open: 0, mended: 0, admitted: 0, rejected: 0 };
  for (const { verdict } of view.designs.values()) counts[verdict] += 1;
  return counts;
}

function designOf(record: EnvironmentRecord, { repairs }: RoundOptions): DesignView {
  const { name, status, gates } = record;
  if (status === "admitted" || status === "retired") return { name, verdict: "admitted" };
  if (status === "rejected") return { name, verdict: "rejected" };
  if (gates.length === 0) return { name, verdict: "open" };
  return { name, verdict: record.repairs < repairs ? "mended" : "rejected" };
}

function stagesOf(
  { mode, envs, plays }: RoundOptions,
  designed: readonly EnvironmentRecord[],
  episodes: readonly EpisodeRecord[],
): StageView[] {
  const judged = designed.filter(({ gates }) => gates.length > 0);
  const admitted = designed.filter(({ status }) => status === "admitted" || status === "retired");
  const hinted = admitted.filter(({ hintId }) => hintId !== null);
  const planned = (admitted.length + hinted.length) * plays;
  const known: [Stage, number, number][] = [
    ["design", designed.length, mode === "self-play" ? envs : 0],
    ["admit", judged.length, designed.length],
    ["hint", hinted.length, admitted.length],
    ["play", episodes.length, Math.max(planned, episodes.length)],
  ];
  return known
    .filter(([, done]) => done > 0)
    .map(([stage, done, total]) => ({ stage, done, total, startedAt: null }));
}

const goesBack: ReadonlySet<Stage> = new Set(["design", "admit"]);

function withStage(
  stages: readonly StageView[],
  event: Extract<RoundEvent, { type: "stage" }>,
  now: number,
): StageView[] {
  const before = stages.find(({ stage }) => stage === event.stage);
  // Repairs bring back a few designs only: the others stay done.
  const settled = goesBack.has(event.stage) ? Math.max(0, (before?.total ?? 0) - event.total) : 0;
  const units = { stage: event.stage, done: event.done + settled, total: event.total + settled };
  const timed = timedStage(
    before === undefined || before.startedAt === null ? undefined : before,
    units,
    now,
  );
  if (before === undefined) return [...stages, timed];
  return stages.map((one) => (one === before ? timed : one));
}

function withDesign(view: RoundView, id: string, design: DesignView): RoundView {
  return { ...view, designs: new Map(view.designs).set(id, design) };
}

function withEpisode(
  view: RoundView,
  episode: Pick<EpisodeRecord, "environmentId" | "arm" | "return">,
): RoundView {
  const { environmentId, arm } = episode;
  const counted = { ...view, episodes: view.episodes + 1 };
  if (episode.return === null) return { ...counted, failed: view.failed + 1 };
  if (arm !== "plain" && arm !== "hinted") return counted;
  const known = view.returns.get(environmentId) ?? nothing;
  const { plays, sum } = known[arm];
  const played = { ...known, [arm]: { plays: plays + 1, sum: sum + episode.return } };
  return { ...counted, returns: new Map(view.returns).set(environmentId, played) };
}
