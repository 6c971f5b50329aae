/** Vitals: what the kernel counts of a process, since a host that is stuck can't be asked. */
import { readFileSync } from "node:fs";

export interface Vitals {
  /** Resident memory, MB. */
  readonly rssMb: number;
  /** CPU time of all threads, milliseconds. */
  readonly cpuMs: number;
  /** Its own thread waits for something, and not for its turn on a CPU. */
  readonly asleep: boolean;
}

const unknown: Vitals = { rssMb: 0, cpuMs: 0, asleep: true };
/** Linux counts CPU time in hundredths of a second, whatever the machine. */
const clockTickMs = 10;

/** The vitals of a process; zeros where the system doesn't tell or the process is gone. */
export function vitalsOf(pid: number | undefined): Vitals {
  const fields = pid === undefined ? null : statOf(pid);
  if (fields === null) return unknown;
  return {
    rssMb: (Number(fields[21]) * pageBytes) / 1_048_576,
    cpuMs: (Number(fields[11]) + Number(fields[12])) * clockTickMs,
    asleep: fields[0] === "S",
  };
}

/** The fields of its status behind the name, which may hold anything: state first, utime, stime and rss at 11, 12, 21. */
function statOf(pid: number): readonly string[] | null {
  if (process.platform !== "linux") return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

/** The size of a page, by comparing the two ways in which this process's own memory is told. */
const pageBytes = (() => {
  const pages = Number(statOf(process.pid)?.[21] ?? 0);
  return pages > 0 ? 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages)) : 4_096;
})();
