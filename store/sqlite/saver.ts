/** LangGraph's checkpoints in SQLite: one row a checkpoint, one row a version of a channel, one row a pending write. */
import { randomInt } from "node:crypto";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  TASKS,
  WRITES_IDX_MAP,
  writesSortKey,
} from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { StoreError } from "../../config/errors.ts";
import { bytesOf, type Database, numberOf, type Row, textOf } from "./database.ts";

const version = z.union([z.number(), z.string()]);
const storedCheckpoint = z.looseObject({
  v: z.number(),
  id: z.string(),
  ts: z.string(),
  channel_versions: z.record(z.string(), version),
  versions_seen: z.record(z.string(), z.record(z.string(), version)),
});
const storedMetadata = z.looseObject({
  source: z.enum(["input", "loop", "update", "fork"]),
  step: z.number(),
  parents: z.record(z.string(), z.string()),
});

const fractions = 2 ** 24;

export class SqliteSaver extends BaseCheckpointSaver {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  /**
   * A version no other branch has: two branches of a thread (a fork of an old checkpoint) count on from the same number,
   * and a row of channel_versions must belong to one of them.
   */
  override getNextVersion(current: number | undefined): number {
    return Math.floor(current ?? 0) + 1 + randomInt(1, fractions) / fractions;
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const place = placeOf(config);
    if (place.thread === undefined) return undefined;
    const id = getCheckpointId(config);
    const newest = "ORDER BY id DESC LIMIT 1";
    const row = this.#database.get(
      `SELECT * FROM checkpoints WHERE thread_id = ? AND namespace = ? ${id === "" ? newest : "AND id = ?"}`,
      ...[place.thread, place.namespace, ...(id === "" ? [] : [id])],
    );
    return row === undefined ? undefined : this.#tuple(row, await this.#metadata(row));
  }

  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { before, filter, limit = Number.POSITIVE_INFINITY } = options;
    const wanted: [string, unknown][] = [
      ["thread_id = ?", config.configurable?.thread_id],
      ["namespace = ?", config.configurable?.checkpoint_ns],
      ["id = ?", getCheckpointId(config) || undefined],
      ["id < ?", before === undefined ? undefined : getCheckpointId(before) || undefined],
    ];
    const given = wanted.filter(([, value]) => value !== undefined);
    const where = given.length === 0 ? "" : `WHERE ${given.map(([condition]) => condition).join(" AND ")}`;
    const rows = this.#database.all(
      `SELECT * FROM checkpoints ${where} ORDER BY thread_id, namespace, id DESC`,
      ...given.map(([, value]) => String(value)),
    );
    let count = 0;
    for (const row of rows) {
      if (count >= limit) return;
      const metadata = await this.#metadata(row);
      if (!matches(metadata, filter)) continue;
      count += 1;
      yield await this.#tuple(row, metadata);
    }
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread, namespace } = requiredPlace(config);
    const { channel_values: values, ...rest } = checkpoint;
    const changed = Object.entries(newVersions).filter(([channel]) => Object.hasOwn(values, channel));
    const [body, about, ...channels] = await Promise.all([
      this.serde.dumpsTyped(rest),
      this.serde.dumpsTyped(metadata),
      ...changed.map(([channel]) => this.serde.dumpsTyped(values[channel])),
    ]);
    const parent = getCheckpointId(config) || null;
    this.#database.atomically(() => {
      for (const [index, [channel, channelVersion]] of changed.entries()) {
        const [type, value] = channels[index] ?? unreachable();
        this.#database.run(
          `INSERT INTO channel_versions (thread_id, namespace, channel, version, type, value) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET type = excluded.type, value = excluded.value`,
          ...[thread, namespace, channel, String(channelVersion), type, value],
        );
      }
      this.#database.run(
        `INSERT OR REPLACE INTO checkpoints
         (thread_id, namespace, id, parent_id, checkpoint_type, checkpoint, metadata_type, metadata)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[thread, namespace, checkpoint.id, parent, ...body, ...about],
      );
    });
    return configOf(thread, namespace, checkpoint.id);
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const { thread, namespace } = requiredPlace(config);
    const checkpointId = getCheckpointId(config);
    if (checkpointId === "") throw new Error("Writes need the checkpoint_id that they belong to.");
    const values = await Promise.all(writes.map(([, value]) => this.serde.dumpsTyped(value)));
    this.#database.atomically(() => {
      for (const [position, [channel]] of writes.entries()) {
        const [type, value] = values[position] ?? unreachable();
        const idx = WRITES_IDX_MAP[channel] ?? position;
        // Errors, interrupts and resumes (negative) replace what was there; a task's results are written once.
        this.#database.run(
          `INSERT OR ${idx < 0 ? "REPLACE" : "IGNORE"} INTO checkpoint_writes
           (thread_id, namespace, checkpoint_id, task_id, idx, task_path, channel, type, value)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          ...[thread, namespace, checkpointId, taskId, idx, taskPath, channel, type, value],
        );
      }
    });
  }

  override async deleteThread(threadId: string): Promise<void> {
    this.#database.atomically(() => {
      for (const table of ["checkpoints", "channel_versions", "checkpoint_writes"]) {
        this.#database.run(`DELETE FROM ${table} WHERE thread_id = ?`, threadId);
      }
    });
  }

  async #tuple(row: Row, metadata: CheckpointMetadata): Promise<CheckpointTuple> {
    const [thread, namespace, id] = [textOf(row, "thread_id"), textOf(row, "namespace"), textOf(row, "id")];
    const parent = row.parent_id === null ? undefined : textOf(row, "parent_id");
    const body = storedCheckpoint.safeParse(await this.#load(row, "checkpoint_type", "checkpoint"));
    if (!body.success) throw damaged(body.error);
    const checkpoint: Checkpoint = {
      ...body.data,
      channel_values: await this.#channelValues(thread, namespace, body.data.channel_versions),
    };
    if (checkpoint.v < 4 && parent !== undefined)
      await this.#moveSends(checkpoint, thread, namespace, parent);
    return {
      config: configOf(thread, namespace, id),
      checkpoint,
      metadata,
      pendingWrites: await this.#pendingWrites(thread, namespace, id),
      ...(parent === undefined ? {} : { parentConfig: configOf(thread, namespace, parent) }),
    };
  }

  async #channelValues(
    thread: string,
    namespace: string,
    versions: ChannelVersions,
  ): Promise<Record<string, unknown>> {
    const wanted = Object.fromEntries(
      Object.entries(versions).map(([channel, channelVersion]) => [channel, String(channelVersion)]),
    );
    const rows = this.#database.all(
      `SELECT kept.channel, kept.type, kept.value FROM json_each(?) AS wanted
       JOIN channel_versions AS kept
       ON kept.thread_id = ? AND kept.namespace = ? AND kept.channel = wanted.key AND kept.version = wanted.value`,
      ...[JSON.stringify(wanted), thread, namespace],
    );
    const values: Record<string, unknown> = {};
    for (const row of rows) values[textOf(row, "channel")] = await this.#load(row, "type", "value");
    return values;
  }

  async #pendingWrites(thread: string, namespace: string, id: string): Promise<CheckpointPendingWrite[]> {
    const rows = this.#database.all(
      "SELECT * FROM checkpoint_writes WHERE thread_id = ? AND namespace = ? AND checkpoint_id = ?",
      ...[thread, namespace, id],
    );
    const keyed = rows.map((row) => ({
      row,
      key: writesSortKey(textOf(row, "task_path"), textOf(row, "task_id"), numberOf(row, "idx")),
    }));
    keyed.sort((a, b) => compareWritesSortKeys(a.key, b.key));
    return Promise.all(
      keyed.map(
        async ({ row }): Promise<CheckpointPendingWrite> => [
          textOf(row, "task_id"),
          textOf(row, "channel"),
          await this.#load(row, "type", "value"),
        ],
      ),
    );
  }

  /** Checkpoints before format 4 left the `Send`s of a step among their parent's pending writes. */
  async #moveSends(checkpoint: Checkpoint, thread: string, namespace: string, parent: string): Promise<void> {
    const writes = await this.#pendingWrites(thread, namespace, parent);
    checkpoint.channel_values[TASKS] = writes
      .filter(([, channel]) => channel === TASKS)
      .map(([, , value]) => value);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  async #metadata(row: Row): Promise<CheckpointMetadata> {
    const parsed = storedMetadata.safeParse(await this.#load(row, "metadata_type", "metadata"));
    if (!parsed.success) throw damaged(parsed.error);
    return parsed.data;
  }

  async #load(row: Row, typeColumn: string, valueColumn: string): Promise<unknown> {
    try {
      return await this.serde.loadsTyped(textOf(row, typeColumn), bytesOf(row, valueColumn));
    } catch (cause) {
      throw damaged(cause);
    }
  }
}

interface Place {
  readonly thread: string | undefined;
  readonly namespace: string;
}

function placeOf(config: RunnableConfig): Place {
  const thread: unknown = config.configurable?.thread_id;
  const namespace: unknown = config.configurable?.checkpoint_ns;
  return {
    thread: typeof thread === "string" ? thread : undefined,
    namespace: typeof namespace === "string" ? namespace : "",
  };
}

function requiredPlace(config: RunnableConfig): { readonly thread: string; readonly namespace: string } {
  const { thread, namespace } = placeOf(config);
  if (thread === undefined) throw new Error("A checkpoint needs a thread_id in its configurable.");
  return { thread, namespace };
}

function configOf(thread: string, namespace: string, id: string): RunnableConfig {
  return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id } };
}

function matches(metadata: CheckpointMetadata, filter: CheckpointListOptions["filter"]): boolean {
  const facts: Record<string, unknown> = metadata;
  return Object.entries(filter ?? {}).every(([key, value]) => facts[key] === value);
}

function damaged(cause: unknown): StoreError {
  return new StoreError("store.corrupt", "A stored checkpoint is not readable.", { cause });
}

function unreachable(): never {
  throw new Error("a value was not serialized");
}
