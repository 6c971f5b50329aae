/** Who gives a command, and what their role lets them do. */
import { InputError } from "../config/errors.ts";

/** Each role may do what the ones before it may: look and play; rounds, hints and documents; everything. */
export const callerRoles = ["viewer", "researcher", "admin"] as const;
export type CallerRole = (typeof callerRoles)[number];

export type Surface = "command-line" | "terminal" | "discord";

export interface Caller {
  /** Unique within the surface: a user name, a Discord id. */
  readonly id: string;
  /** As people know them; goes into records and the audit log. */
  readonly name: string;
  readonly role: CallerRole;
  readonly surface: Surface;
}

export function hasRole(caller: Caller, needed: CallerRole): boolean {
  return callerRoles.indexOf(caller.role) >= callerRoles.indexOf(needed);
}

/** Throws `input.not-allowed` if the caller's role is below `needed`. */
export function requireRole(caller: Caller, needed: CallerRole, command: string): void {
  if (hasRole(caller, needed)) return;
  throw new InputError(
    "input.not-allowed",
    `${caller.name} may not use "${command}": it needs the role ${needed}, and theirs is ${caller.role}.`,
  );
}
