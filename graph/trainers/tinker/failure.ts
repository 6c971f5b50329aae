/** What can go wrong with a training server, as an error whose fields graph/models/provider-failure.ts can read. */

export type FailureKind =
  /** No answer through every retry. */
  | "unreachable"
  /** A request that was not taken: a bad key, a body that does not fit. */
  | "refused"
  /** A request that was taken and came to nothing. */
  | "failed"
  /** Something that the server does not know any more: a future, a model, a session, a checkpoint. */
  | "lost"
  /** A number or a name that was used for something else. */
  | "conflict"
  /** An answer that the protocol does not allow. */
  | "bad-answer";

export interface FailureFacts {
  readonly status?: number;
  readonly headers?: Headers;
  /** As Node's connection errors have it. */
  readonly code?: string;
  readonly cause?: unknown;
  /** Whether the request was sent before, without an answer. */
  readonly resent?: boolean;
}

export class TinkerFailure extends Error {
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  readonly code: string | undefined;
  readonly resent: boolean;

  /** `message`: the server's words, or what happened; without secrets. */
  constructor(kind: FailureKind, message: string, facts: FailureFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = "TinkerFailure";
    this.kind = kind;
    this.status = facts.status;
    this.headers = facts.headers;
    this.code = facts.code;
    this.resent = facts.resent ?? false;
  }
}

/** What an answer with an error's status means for a request that is not a poll. */
export function kindOfStatus(status: number): FailureKind {
  if (status === 404 || status === 410) return "lost";
  if (status === 409) return "conflict";
  if (isPassing(status)) return "unreachable";
  return "refused";
}

/** Statuses after which the same request may succeed: 425 is a checkpoint that is still being written. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}
