/** What an export reads, settled before it begins: the rounds and people's plays in it, in order, and how large they were. */
import { hash } from "node:crypto";
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import type { RoundRecord } from "../../store/records.ts";
import type { Page, PageRequest, Store } from "../../store/store.ts";
import { type ExportOptions, exportOptions, sortedIds } from "./options.ts";

/** A round, or a person's play, which has an id of its own in place of a round's. */
const unit = z.object({
  id: z.string(),
  /** When the round began, null for a person's play: another lab's round of the same id is another round. */
  startedAt: z.number().nullable(),
  episodes: z.number().int(),
});
export type Unit = z.infer<typeof unit>;

export const exportPlan = z.object({
  options: exportOptions,
  units: z.array(unit),
  /** Rounds that are not over, and so are not in it. */
  unfinished: z.array(z.string()),
});
export type ExportPlan = z.infer<typeof exportPlan>;

type PlanningStore = Pick<Store, "rounds" | "environments" | "episodes">;

const pageSize = 200;

/**
 * Without `options.rounds` every round that is over for good, and people's plays if their arm is asked for. Throws
 * `input.not-found` for a round that there is none of, `input.conflict` for one that is still at work.
 */
export async function planExport(store: PlanningStore, options: ExportOptions): Promise<ExportPlan> {
  const { rounds: asked, arms } = options;
  if (asked !== null) {
    const units: Unit[] = [];
    for (const id of asked) units.push(await namedUnit(store, id));
    return { options, units: units.filter(({ episodes }) => episodes > 0), unfinished: [] };
  }
  const units: Unit[] = [];
  const unfinished: string[] = [];
  if (arms.some((arm) => arm !== "human")) {
    for await (const round of all((page) => store.rounds.list(page))) {
      if (isOver(round)) units.push(await unitOf(store, round.id, round.startedAt));
      else unfinished.push(round.id);
    }
  }
  if (arms.includes("human")) {
    for (const id of await humanPlays(store)) units.push(await unitOf(store, id, null));
  }
  const order = new Map(sortedIds(units.map(({ id }) => id)).map((id, at) => [id, at]));
  return {
    options,
    units: units
      .filter(({ episodes }) => episodes > 0)
      .sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0)),
    unfinished: sortedIds(unfinished),
  };
}

/** A name that the same export of the same data has again, and no other. */
export function planName({ options, units }: ExportPlan): string {
  return `${options.format}-${hash("sha256", JSON.stringify([options, units])).slice(0, 8)}`;
}

function isOver({ status }: RoundRecord): boolean {
  return status === "finished" || status === "cancelled";
}

async function namedUnit(store: PlanningStore, id: string): Promise<Unit> {
  const round = await store.rounds.get(id);
  if (round !== null && (round.status === "running" || round.status === "waiting")) {
    throw new InputError(
      "input.conflict",
      `Round ${id} is ${round.status}: it can be exported when it is over.`,
    );
  }
  const found = await unitOf(store, id, round?.startedAt ?? null);
  if (round === null && found.episodes === 0) {
    throw new InputError("input.not-found", `There is no round "${id}".`);
  }
  return found;
}

async function unitOf(store: PlanningStore, id: string, startedAt: number | null): Promise<Unit> {
  return { id, startedAt, episodes: await store.episodes.countOfRound(id) };
}

/** The ids of people's plays: no list of them is kept beside the episodes of each environment. */
async function humanPlays(store: PlanningStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of all((page) => store.environments.list({}, page))) {
    for await (const episode of all((page) => store.episodes.ofEnvironment(id, page))) {
      if (episode.arm === "human") ids.push(episode.roundId);
    }
  }
  return ids;
}

async function* all<T>(list: (page: PageRequest) => Promise<Page<T>>): AsyncGenerator<T> {
  let after: string | undefined;
  do {
    const page = await list({ limit: pageSize, after });
    yield* page.items;
    after = page.next ?? undefined;
  } while (after !== undefined);
}
