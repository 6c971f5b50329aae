/**
 * The watchdog of one host: looks at its memory and its calls every 25 ms while any call is under way, and raises the
 * alarm when the host outgrew its cap, can't stop a call at its limit, or says nothing any more.
 */
import type { SandboxConfig } from "../config/schema.ts";
import { vitalsOf } from "./vitals.ts";

/** A call under way, as the watchdog sees it. */
export interface Watched {
  /** The environment. */
  readonly owner: number;
  /** The call's own limit, milliseconds. */
  readonly limitMs: number;
  /** When it was sent, or when the last part of its answer came. */
  sentAt: number;
  /** CPU time of the host at that moment, milliseconds. */
  cpuAt: number;
  /** When it began to run, and what CPU time it used, milliseconds, as far as the host said so. */
  runningSince: number | null;
  usedMs: number;
}

/** `silent`: the host's own thread is held up, so nobody can tell by whom. No suspects: whoever is in flight. */
export type Alarm = (
  cause: "memory" | "deadline" | "silent" | "protocol",
  detail: string,
  suspects?: ReadonlySet<number>,
) => void;

const tickMs = 25;
/** A host that says nothing for so long while it burns CPU time is held up for good. */
const silentMs = 1_000;
/** How long beyond its limit a call may take to end, however low the hard deadline is set. */
const graceMs = 1_000;
/** CPU time that a call may use on a busy machine, in limits of the call; see host/settings.js. */
const busyCpuFactor = 2;
/** A call that is neither answered nor seen to run for so many times its deadline was lost. */
const lostFactor = 10;
/** This process was held up itself if a tick is so late; what hosts said meanwhile is still unread. */
const lateMs = 250;
/** Frames a host may send unasked between two ticks; one in four ticks is its habit. */
const unaskedAtMost = 200;

export class Watchdog {
  /** The host, once it is known below its wrappers. */
  pid: number | undefined = undefined;
  /** Resident memory at the last look, MB; 0 where the system does not tell. */
  rssMb = 0;
  readonly #config: SandboxConfig;
  readonly #alone: boolean;
  readonly #calls: ReadonlyMap<number, Watched>;
  readonly #alarm: Alarm;
  #ticking: NodeJS.Timeout | null = null;
  #tickedAt = 0;
  #heardAt = 0;
  #cpuAtHeard = 0;
  #unasked = 0;

  /** `alone`: the host tries one environment at a time, which is judged by its CPU time only. */
  constructor(config: SandboxConfig, alone: boolean, calls: ReadonlyMap<number, Watched>, alarm: Alarm) {
    this.#config = config;
    this.#alone = alone;
    this.#calls = calls;
    this.#alarm = alarm;
  }

  /** To be called when a call is about to be sent. Gives the host's CPU time where it counts. */
  begin(now: number): number {
    if (this.#calls.size === 0) this.#heardAt = now;
    if (this.#ticking === null) {
      this.#tickedAt = now;
      this.#ticking = setInterval(() => this.#tick(), tickMs);
      this.#ticking.unref();
    }
    return this.#alone ? vitalsOf(this.pid).cpuMs : 0;
  }

  /** To be called for every frame that the host sends. */
  heard(asked: boolean): void {
    this.#heardAt = performance.now();
    if (asked) return;
    this.#unasked += 1;
    if (this.#unasked > unaskedAtMost) this.#alarm("protocol", "It flooded its parent with frames.");
  }

  stop(): void {
    if (this.#ticking !== null) clearInterval(this.#ticking);
    this.#ticking = null;
  }

  #tick(): void {
    const now = performance.now();
    const late = now - this.#tickedAt - tickMs;
    this.#tickedAt = now;
    this.#unasked = 0;
    if (this.#calls.size === 0) this.stop();
    const { rssMb, cpuMs, asleep } = vitalsOf(this.pid);
    this.rssMb = rssMb;
    if (rssMb > this.#config.hostRssMb) {
      this.#alarm("memory", `It grew beyond ${this.#config.hostRssMb} MB.`);
    } else if (late > lateMs) this.#forgive(late);
    else this.#checkCalls(now, cpuMs, asleep);
  }

  #forgive(ms: number): void {
    this.#heardAt += ms;
    for (const call of this.#calls.values()) {
      if (call.runningSince !== null) call.runningSince += ms;
    }
  }

  #checkCalls(now: number, cpuMs: number, asleep: boolean): void {
    if (this.#calls.size === 0) return;
    const stuck = new Set<number>();
    let longestMs = 0;
    for (const call of this.#calls.values()) {
      const deadlineMs = Math.max(this.#config.hardDeadlineMs, call.limitMs + graceMs);
      longestMs = Math.max(longestMs, deadlineMs);
      if (this.#isStuck(call, deadlineMs, now, cpuMs)) stuck.add(call.owner);
    }
    if (stuck.size > 0) this.#alarm("deadline", "A call could not be stopped at its limit.", stuck);
    else this.#checkSilence(now, cpuMs, this.#alone && !asleep ? longestMs * lostFactor : longestMs);
  }

  /** Only time on a CPU counts against a call: a busy machine must not make anyone guilty. */
  #isStuck(call: Watched, deadlineMs: number, now: number, cpuMs: number): boolean {
    if (now - call.sentAt > deadlineMs * lostFactor) return true;
    if (this.#alone) {
      const usedMs = Math.max(cpuMs - call.cpuAt, call.usedMs);
      return usedMs > call.limitMs * busyCpuFactor + graceMs;
    }
    if (call.runningSince === null) return false;
    return now - call.runningSince > deadlineMs && call.usedMs >= call.limitMs * busyCpuFactor;
  }

  #checkSilence(now: number, cpuMs: number, allowedMs: number): void {
    const silence = now - this.#heardAt;
    if (silence < tickMs * 2) this.#cpuAtHeard = cpuMs;
    const burning = !this.#alone && silence > silentMs && cpuMs - this.#cpuAtHeard > silentMs / 2;
    if (burning || silence > allowedMs) {
      this.#alarm("silent", `It was silent for ${Math.round(silence)} ms.`, new Set());
    }
  }
}
