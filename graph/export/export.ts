/**
 * Writes an export: reads the lab's episodes a round and a transcript at a time, so that memory does not grow with them, and
 * leaves behind files that depend on the data and the options alone. A run that was stopped goes on where it was.
 */
import { hash } from "node:crypto";
import { join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { InputError } from "../../config/errors.ts";
import type { Lease, Store } from "../../store/store.ts";
import { environmentOf } from "../environment-of.ts";
import { cardOf, type DataCard, readmeOf } from "./card.ts";
import {
  cardFile,
  lookAt,
  onDisk,
  type Progress,
  readmeFile,
  tidy,
  undo,
  writePlan,
  writeProgress,
  writeWhole,
} from "./directory.ts";
import type { ExportPlan, Unit } from "./plan.ts";
import { createPlayReader } from "./play.ts";
import { withoutName } from "./row.ts";
import { firstMark, type ShardOptions, ShardWriter } from "./shards.ts";
import { Counter, emptyTally, type Tally } from "./tally.ts";
import { verifiersMetadata } from "./verifiers.ts";
import { rowsOf, type Walk } from "./walk.ts";

export interface ExportServices {
  readonly store: Pick<Store, "rounds" | "environments" | "episodes" | "texts" | "documents" | "leases">;
}

/** `was-there`: the same export had been finished before. `empty`: nothing fits, and nothing was written. */
export type ExportOutcome =
  | { readonly state: "written" | "was-there"; readonly card: DataCard }
  | { readonly state: "empty"; readonly leftOut: Tally["leftOut"]; readonly unfinished: readonly string[] };

/** Bytes after which progress is kept: what a kill costs at most. */
const usualMarkBytes = 128_000_000;
/** How long others wait for the event loop at most, milliseconds. */
const holdMs = 20;
const leaseMs = 120_000;
const renewMs = 20_000;

/**
 * Throws `input.occupied` if something else lies in the directory, `input.unwritable` and `internal.output` if it can't be
 * written, `input.conflict` if another process writes the same export, and `input.interrupted` once the signal aborts.
 */
export async function exportData(
  { store }: ExportServices,
  asked: ExportPlan,
  directory: string,
  { signal, markBytes = usualMarkBytes }: { readonly signal: AbortSignal; readonly markBytes?: number },
): Promise<ExportOutcome> {
  const name = `export:${hash("sha256", resolve(directory)).slice(0, 32)}`;
  const lease = await store.leases.acquire(name, leaseMs);
  if (lease === null) {
    throw new InputError("input.conflict", "Another process is writing this export at the moment.");
  }
  try {
    const found = await lookAt(directory, asked.options);
    if (found.state === "finished") {
      await onDisk(directory, () => tidy(directory));
      return { state: "was-there", card: found.card };
    }
    const plan = found.state === "begun" ? found.plan : asked;
    if (found.state === "free") await onDisk(directory, () => writePlan(directory, plan));
    const work = new Work({ store, plan, directory, lease, signal, markBytes });
    const outcome = await onDisk(directory, () => work.run(found.state === "begun" ? found.progress : null));
    const made = found.state === "free" && found.made;
    if (outcome.state === "empty") await onDisk(directory, () => undo(directory, made));
    return outcome;
  } finally {
    await store.leases.release(lease);
  }
}

interface WorkOptions {
  readonly store: ExportServices["store"];
  readonly plan: ExportPlan;
  readonly directory: string;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  readonly markBytes: number;
}

class Work {
  readonly #options: WorkOptions;
  #yieldedAt = performance.now();
  #renewedAt = performance.now();
  #unmarked = 0;

  constructor(options: WorkOptions) {
    this.#options = options;
  }

  async run(before: Progress | null): Promise<ExportOutcome> {
    const { writer, progress } = await this.#open(before);
    const { options, units, unfinished } = this.#options.plan;
    const counter = new Counter(progress.tally);
    const walk: Walk = {
      options,
      texts: this.#options.store.texts,
      reader: createPlayReader(this.#options.store, options.hint),
      counter,
    };
    try {
      for (let at = progress.unit; at < units.length; at += 1) {
        const unit = units[at];
        if (unit === undefined) break;
        await this.#unit(unit, at, at === progress.unit ? progress.environments : 0, walk, writer);
      }
      await this.#keep(units.length, 0, writer, counter.tally);
      if (counter.tally.rows === 0) {
        return { state: "empty", leftOut: counter.tally.leftOut, unfinished };
      }
      return { state: "written", card: await this.#finish(writer, counter.tally) };
    } finally {
      await writer.close();
    }
  }

  async #open(
    before: Progress | null,
  ): Promise<{ readonly writer: ShardWriter; readonly progress: Progress }> {
    const { format, shardBytes, parquet } = this.#options.plan.options;
    const options: ShardOptions = {
      directory: this.#options.directory,
      stemOf: (number) => (format === "verifiers" ? "results" : `data-${String(number).padStart(5, "0")}`),
      convert: parquet
        ? {
            ending: ".parquet",
            write: async (from, to) => (await import("./parquet.ts")).writeParquet(format, from, to),
          }
        : null,
      shardBytes,
    };
    if (before !== null) {
      try {
        return { writer: await ShardWriter.open(options, before.mark), progress: before };
      } catch (error) {
        // Somebody took files away: everything is written anew.
        if (!(error instanceof RangeError)) throw error;
      }
    }
    const progress = { unit: 0, environments: 0, mark: firstMark, tally: emptyTally() };
    return { writer: await ShardWriter.open(options, firstMark), progress };
  }

  /** One round, or one person's play, from its environment `done` on. */
  async #unit(unit: Unit, at: number, done: number, walk: Walk, writer: ShardWriter): Promise<void> {
    const episodes = (await this.#options.store.episodes.ofRound(unit.id)).map(withoutName);
    const round = await this.#options.store.rounds.get(unit.id);
    if (episodes.length !== unit.episodes || (round?.startedAt ?? null) !== unit.startedAt) {
      throw new InputError(
        "input.occupied",
        `${unit.id} is not what it was when this export began: its files would not fit together.`,
      );
    }
    const environments = [...Map.groupBy(episodes, ({ environmentId }) => environmentId)];
    for (const [place, [environmentId, own]] of environments.entries()) {
      if (place < done) continue;
      const environment = await environmentOf(this.#options.store, environmentId);
      for await (const row of rowsOf({ round, environment, episodes: own }, walk)) {
        const line = JSON.stringify(row.data);
        this.#unmarked += line.length;
        await writer.add(line, (file, inFile) =>
          JSON.stringify({ file, line: inFile, episodes: row.sources }),
        );
        await this.#breathe();
      }
      await this.#breathe();
      const stopped = this.#options.signal.aborted;
      if (this.#unmarked < this.#options.markBytes && !stopped) continue;
      await this.#keep(at, place + 1, writer, walk.counter.tally);
      if (stopped) {
        throw new InputError(
          "input.interrupted",
          `The export stopped after ${walk.counter.tally.rows} rows; the same command goes on with it.`,
        );
      }
    }
  }

  /** Lets others of this process have their turn, and keeps the lease. */
  async #breathe(): Promise<void> {
    const now = performance.now();
    if (now - this.#yieldedAt < holdMs) return;
    await setImmediate();
    this.#yieldedAt = performance.now();
    if (now - this.#renewedAt < renewMs) return;
    this.#renewedAt = now;
    if (!(await this.#options.store.leases.renew(this.#options.lease, leaseMs))) {
      throw new InputError("input.conflict", "Another process took this export over.");
    }
  }

  async #keep(unit: number, environments: number, writer: ShardWriter, tally: Tally): Promise<void> {
    this.#unmarked = 0;
    await writeProgress(this.#options.directory, { unit, environments, mark: await writer.mark(), tally });
    await writer.forget();
  }

  /** Final names, then the card, whose presence says that all is there. */
  async #finish(writer: ShardWriter, tally: Tally): Promise<DataCard> {
    const files = await writer.finish();
    const card = await cardOf(this.#options.store, this.#options.plan, tally, files);
    const { options } = this.#options.plan;
    if (options.format === "verifiers") {
      const metadata = verifiersMetadata(tally, options);
      await writeWhole(
        join(this.#options.directory, "metadata.json"),
        `${JSON.stringify(metadata, null, 2)}\n`,
      );
    }
    await writeWhole(join(this.#options.directory, readmeFile), readmeOf(card));
    await writeWhole(join(this.#options.directory, cardFile), `${JSON.stringify(card, null, 2)}\n`);
    await tidy(this.#options.directory);
    return card;
  }
}
