/** Refusals: the errors that Discord answers requests with, by its own codes. */

export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly details: unknown;

  constructor(status: number, code: number, message: string, details?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }

  body(): unknown {
    return {
      message: this.message,
      code: this.code,
      ...(this.details === undefined ? {} : { errors: this.details }),
    };
  }
}

export const refusals = {
  unauthorized: () => new Refusal(401, 0, "401: Unauthorized"),
  unknownRoute: () => new Refusal(404, 0, "404: Not Found"),
  unknownChannel: () => new Refusal(404, 10003, "Unknown Channel"),
  unknownGuild: () => new Refusal(404, 10004, "Unknown Guild"),
  unknownMember: () => new Refusal(404, 10007, "Unknown Member"),
  unknownMessage: () => new Refusal(404, 10008, "Unknown Message"),
  unknownUser: () => new Refusal(404, 10013, "Unknown User"),
  unknownWebhook: () => new Refusal(404, 10015, "Unknown Webhook"),
  unknownInteraction: () => new Refusal(404, 10062, "Unknown interaction"),
  unknownCommand: () => new Refusal(404, 10063, "Unknown application command"),
  alreadyAcknowledged: () => new Refusal(400, 40060, "Interaction has already been acknowledged."),
  missingAccess: () => new Refusal(403, 50001, "Missing Access"),
  notAuthor: () => new Refusal(403, 50005, "Cannot edit a message authored by another user"),
  closedDms: () => new Refusal(403, 50007, "Cannot send messages to this user"),
  missingPermissions: () => new Refusal(403, 50013, "Missing Permissions"),
  expiredToken: () => new Refusal(401, 50027, "Invalid Webhook Token"),
  archivedThread: () => new Refusal(400, 50083, "Thread is archived"),
  tooLarge: () => new Refusal(413, 40005, "Request entity too large"),
  lockedThread: () => new Refusal(403, 160005, "Thread is locked"),
  threadExists: () => new Refusal(400, 160004, "A thread has already been created for this message"),
  invalidForm: (faults: readonly string[]) =>
    new Refusal(400, 50035, "Invalid Form Body", {
      _errors: faults.map((message) => ({ code: "INVALID", message })),
    }),
} as const;
