/**
 * The errors that people see: each has a code of the catalogue, one sentence that says what happened, and what to do. Each
 * boundary has a class of its own.
 */
import { catalogue, type ErrorCode, type ExitCode } from "./error-catalogue.ts";

export { catalogue, type ErrorCode, type ExitCode };

/** Small facts that go to the log and into `--json`. Never a secret. */
export type ErrorData = Readonly<Record<string, string | number | boolean | null>>;

/**
 * The base of all errors that people see. `message` is one sentence that says what happened; `fix` says what to do.
 * The cause goes to the log and never to a person.
 */
export class SpadeworkError extends Error {
  readonly code: ErrorCode;
  readonly data: ErrorData;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; data?: ErrorData } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.data = options.data ?? {};
  }

  get fix(): string {
    return catalogue[this.code].fix;
  }

  get exit(): ExitCode {
    return catalogue[this.code].exit;
  }
}

/** What a person or a file gave us can't be used. */
export class InputError extends SpadeworkError {}
/** A model provider did not do what it should. */
export class ProviderError extends SpadeworkError {}
/** Our own sandbox failed; no environment is to blame. */
export class SandboxError extends SpadeworkError {}
/** An environment was rejected or failed. */
export class EnvironmentError extends SpadeworkError {}
/** The store can't be read or written. */
export class StoreError extends SpadeworkError {}
/** A batch can't be trained on, or a trainer did not do what it should. */
export class TrainerError extends SpadeworkError {}
/** The team's chat did not take what it was given, or refuses a person. */
export class ChatError extends SpadeworkError {}
/** A round can't go on. */
export class RoundError extends SpadeworkError {}

/** Any thrown value as an error with a code; what is not ours is `internal.bug` with the original as its cause. */
export function asSpadeworkError(thrown: unknown): SpadeworkError {
  if (thrown instanceof SpadeworkError) return thrown;
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  return new SpadeworkError("internal.bug", `Something unexpected happened: ${said.split("\n")[0]}`, {
    cause: thrown,
  });
}
