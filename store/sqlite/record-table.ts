/** A table of records: JSON parsed by its schema on the way in and out, beside the columns that are searched by. */
import { z } from "zod";
import { StoreError } from "../../config/errors.ts";
import type { Page } from "../store.ts";
import { type Database, type Row, textOf, type Value } from "./database.ts";
import { KnownTexts } from "./known-texts.ts";

export interface TableDefinition<T> {
  readonly name: string;
  /** What an error calls one of them. */
  readonly noun: string;
  readonly schema: z.ZodType<T>;
  readonly idOf: (record: T) => string;
  /** The columns beside `id` and `record`, from the record. */
  readonly columns: Readonly<Record<string, (record: T) => Value>>;
}

export class RecordTable<T extends object> {
  readonly #database: Database;
  readonly #definition: TableDefinition<T>;
  readonly #insert: string;
  readonly #select: string;
  readonly #known = new KnownTexts();

  constructor(database: Database, definition: TableDefinition<T>) {
    this.#database = database;
    this.#definition = definition;
    const columns = Object.keys(definition.columns);
    const places = ["?", "?", ...columns.map(() => "?")].join(", ");
    this.#insert = `INSERT INTO ${definition.name} (${["id", "record", ...columns].join(", ")}) VALUES (${places}) ON CONFLICT DO NOTHING`;
    this.#select = `SELECT record FROM ${definition.name} WHERE id = ?`;
  }

  /** False if one with that id is there already. */
  insert(record: T): boolean {
    const { idOf } = this.#definition;
    return (
      this.#database.run(
        this.#insert,
        idOf(record),
        this.#write(this.#definition.schema.parse(record)),
        ...this.#columns(record),
      ) === 1
    );
  }

  get(id: string): T | null {
    const row = this.#database.get(this.#select, id);
    return row === undefined ? null : this.read(row);
  }

  /** Read, change and write in one transaction; throws `store.not-found`. A record that comes back as it was is not written. */
  update(id: string, change: (record: T) => T): T {
    return this.#database.atomically(() => {
      const before = this.get(id);
      if (before === null) {
        throw new StoreError("store.not-found", `There is no ${this.#definition.noun} ${id} in the store.`);
      }
      const after = change(before);
      if (after !== before) this.#replace(id, before, after);
      return after;
    });
  }

  /** The records of a query that selects the column `record`. */
  select(sql: string, ...parameters: Value[]): T[] {
    return this.#database.all(sql, ...parameters).map((row) => this.read(row));
  }

  /** A row's record; throws `store.corrupt` if it does not fit its schema. */
  read(row: Row): T {
    const json = textOf(row, "record");
    const { schema, noun } = this.#definition;
    // What fitted the schema to the letter is what the schema gives.
    if (this.#known.has(json)) return JSON.parse(json) as T;
    const record = parseRecord(schema, json, noun);
    if (JSON.stringify(record) === json) this.#known.add(json);
    return record;
  }

  /** A column that is set is written to its indexes anew, so only those that change are. */
  #replace(id: string, before: T, after: T): void {
    const changed = Object.entries(this.#definition.columns)
      .map(([name, columnOf]) => ({ name, old: columnOf(before), value: columnOf(after) }))
      .filter(({ old, value }) => old !== value);
    const names = ["record", ...changed.map(({ name }) => name)];
    this.#database.run(
      `UPDATE ${this.#definition.name} SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`,
      this.#write(this.#checked(before, after)),
      ...changed.map(({ value }) => value),
      id,
    );
  }

  #columns(record: T): Value[] {
    return Object.values(this.#definition.columns).map((column) => column(record));
  }

  /** A record that could not be read back must not get in. What of it was in before is not looked at anew. */
  #checked(before: T, after: T): T {
    const { schema } = this.#definition;
    const whole = (): T => this.#definition.schema.parse(after);
    const old = new Map<string, unknown>(Object.entries(before));
    const fields: [string, unknown][] = Object.entries(after);
    const keys = new Set([...old.keys(), ...fields.map(([key]) => key)]);
    // Fields that are to fit each other, or that the schema does not know, are its own affair.
    if (!(schema instanceof z.ZodObject) || schema.def.checks !== undefined) return whole();
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
    const values = new Map(fields);
    const changed: [string, unknown][] = [];
    for (const key of keys) {
      const field = shape[key];
      if (field === undefined) return whole();
      const value = values.get(key);
      if (value === old.get(key)) continue;
      const parsed = z.parse(field, value);
      if (parsed !== undefined) changed.push([key, parsed]);
    }
    return { ...after, ...Object.fromEntries(changed) };
  }

  #write(parsed: T): string {
    const json = JSON.stringify(parsed);
    this.#known.add(json);
    return json;
  }
}

/** A stored JSON text as a record; throws `store.corrupt`. */
export function parseRecord<T>(schema: z.ZodType<T>, text: string, noun: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new StoreError("store.corrupt", `A stored ${noun} is not readable.`, { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new StoreError(
    "store.corrupt",
    `A stored ${noun} does not fit its schema at ${issue?.path.join(".") ?? "its root"}.`,
    { cause: parsed.error },
  );
}

/** A page of at most `limit` out of `limit + 1` fetched; `cursorOf` names where the next one begins. */
export function pageOf<F, T>(
  fetched: readonly F[],
  limit: number,
  recordOf: (item: F) => T,
  cursorOf: (item: F) => string,
): Page<T> {
  const kept = fetched.slice(0, limit);
  const last = kept.at(-1);
  const next = fetched.length > limit && last !== undefined ? cursorOf(last) : null;
  return { items: kept.map(recordOf), next };
}
