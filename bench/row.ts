/** One measured line of the bench: what it is, what came out, and whether that reaches its goal. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The goal in words, e.g. `>= 1`, `< 100`. */
  readonly goal: string;
  readonly ok: boolean;
}
