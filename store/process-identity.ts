/**
 * Who a process is, so that another process of the same machine can tell that it is dead: its id, when it started (ids
 * are given out again) and the machine and process namespace in which that id means something.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";

const identity = z.object({
  machine: z.string(),
  pid: z.number().int().positive(),
  started: z.string(),
});
export type ProcessIdentity = z.infer<typeof identity>;

let own: ProcessIdentity | null = null;

/** Of this process. */
export function ownIdentity(): ProcessIdentity {
  own ??= { machine: machineHere(), pid: process.pid, started: startOf(process.pid) ?? "unknown" };
  return own;
}

/** An identity and a `nonce` that makes it unique, as one text. */
export function writeHolder(of: ProcessIdentity, nonce: string): string {
  return JSON.stringify({ ...of, nonce });
}

/**
 * Whether the process behind a holder's text is certainly dead. False where that can't be known: it lives on another
 * machine, or the text is not one of ours.
 */
export function isDead(holder: string): boolean {
  const parsed = identity.safeParse(parsedJson(holder));
  if (!parsed.success || parsed.data.machine !== ownIdentity().machine) return false;
  return startOf(parsed.data.pid) !== parsed.data.started;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Where process ids are comparable. On Linux that is one boot and one process namespace: containers with the same host
 * name number their processes apart.
 */
function machineHere(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** When a process started, in whatever unit the system tells; null if there is no such process or it is a zombie. */
function startOf(pid: number): string | null {
  if (process.platform === "linux") return startFromProc(pid);
  try {
    const said = execFileSync("ps", ["-o", "state=,lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    const [state = "", ...started] = said.split(/\s+/);
    return state === "" || state.startsWith("Z") ? null : started.join(" ");
  } catch {
    return null;
  }
}

function startFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses and may hold spaces and parentheses of its own.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const state = fields[0] ?? "";
    return state === "Z" || state === "X" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
