/**
 * Records that were parsed lately, by the JSON they were parsed from. A row that holds the same JSON is the same
 * record, whoever wrote it, so nothing of another process can be missed; only parsing it once more is saved.
 */

/** Characters of JSON that a table remembers at most; its records take about twice as much memory again. */
const mostCharacters = 2_000_000;

/** Freezing costs as much as parsing, so it is done where tests run: who changes a record in place fails there. */
const showsChanges = process.env.NODE_ENV === "test";

export class KnownRecords<T> {
  /** Those that were not asked for the longest come first. */
  readonly #records = new Map<string, T>();
  #characters = 0;

  get(json: string): T | undefined {
    const record = this.#records.get(json);
    if (record === undefined) return undefined;
    this.#records.delete(json);
    this.#records.set(json, record);
    return record;
  }

  /** Remembers a record, which nobody may change from now on: those who read the same row share it. */
  add(json: string, record: T): T {
    if (json.length > mostCharacters || this.#records.has(json)) return record;
    if (showsChanges) freeze(record);
    this.#records.set(json, record);
    this.#characters += json.length;
    for (const oldest of this.#records.keys()) {
      if (this.#characters <= mostCharacters) break;
      this.#records.delete(oldest);
      this.#characters -= oldest.length;
    }
    return record;
  }
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
