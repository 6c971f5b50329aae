/**
 * A host process as the pool sees it: it takes requests, gives a reply to each, and is watched all the while. When it
 * dies, by itself or because it outgrew or outlived its limits, every reply still owed becomes `lost`.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import type { SandboxConfig } from "../config/schema.ts";
import { LineReader, LineWriter } from "./host/lines.js";
import { type Command, innermost } from "./jail.ts";
import { closeLine, type HostFrame, hostFrame, type Request, requestLine } from "./protocol.ts";

/**
 * Why a host died. `silent`: its own thread was held up, so nobody can tell by whom. `suspects` are the environments
 * that may have done it, otherwise never empty if any call was in flight.
 */
export interface Death {
  readonly cause: "crashed" | "memory" | "deadline" | "silent" | "protocol" | "closed";
  readonly detail: string;
  readonly suspects: ReadonlySet<number>;
}

export type Reply =
  | { readonly kind: "done"; readonly payload: unknown; readonly parts: readonly unknown[] }
  | {
      readonly kind: "failed";
      readonly verdict: FailedVerdict;
      readonly detail: string;
      readonly parts: readonly unknown[];
    }
  | {
      readonly kind: "dead";
      readonly verdict: DeadVerdict;
      readonly detail: string;
      readonly parts: readonly unknown[];
    }
  | { readonly kind: "lost"; readonly death: Death; readonly parts: readonly unknown[] };

type AnswerFrame = Extract<HostFrame, { 1: "done" | "part" | "failed" | "dead" }>;
type FailedVerdict = Extract<HostFrame, [number, "failed", ...unknown[]]>[2];
type DeadVerdict = Extract<HostFrame, [number, "dead", ...unknown[]]>[2];

export interface HostOptions {
  readonly config: SandboxConfig;
  readonly command: Command;
  /** A host that tries one environment at a time and judges it by CPU time. */
  readonly alone: boolean;
  readonly log: Logger;
}

interface Pending {
  readonly owner: number;
  /** The call's own limit, milliseconds. */
  readonly limitMs: number;
  readonly sentAt: number;
  /** CPU time of the host when it was sent, milliseconds. */
  readonly cpuAt: number;
  parts: unknown[] | null;
  /** When it began to run, and what CPU time it used, milliseconds, as far as the host said so. */
  runningSince: number | null;
  usedMs: number;
  readonly resolve: (reply: Reply) => void;
}

const tickMs = 25;
/** A host that says nothing for so long while it burns CPU time is held up for good. */
const silentMs = 1_000;
/** How long beyond its limit a call may take to end, however low the hard deadline is set. */
const graceMs = 1_000;
/** Frames a host may send unasked between two ticks; one in four ticks is its habit. */
const spontaneousAtMost = 200;
/** CPU time that a host uses alone on one call at most, in limits of the call; beyond it comes the grace. */
const aloneCpuFactor = 2;
/** A call that is neither answered nor said to run for so many times its deadline was lost. */
const lostFactor = 10;
const sliceMs = 100;
/** A run hands over its text in parts of this length, so a frame is at most this and one more answer. */
const partCharacters = 262_144;

export class HostProcess {
  /** Environments placed here. */
  placed = 0;
  loads = 0;
  draining = false;
  readonly ready: Promise<boolean>;
  readonly died: Promise<Death>;
  readonly #options: HostOptions;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #writer: LineWriter;
  readonly #pending = new Map<number, Pending>();
  readonly #settleReady: (ready: boolean) => void;
  readonly #settleDied: (death: Death) => void;
  /** The host below the wrappers that jail it, once it is ready. */
  #hostPid: number | undefined;
  /** Frames it sent unasked since the last tick. */
  #spontaneous = 0;
  #lastCall = 0;
  #heardAt = performance.now();
  #cpuAtHeard = 0;
  #tickedAt = performance.now();
  #ticking: NodeJS.Timeout | null = null;
  #death: Death | null = null;
  #stderr = "";
  #rssMb = 0;

  constructor(options: HostOptions) {
    this.#options = options;
    const ready = Promise.withResolvers<boolean>();
    const died = Promise.withResolvers<Death>();
    this.ready = ready.promise;
    this.died = died.promise;
    this.#settleReady = ready.resolve;
    this.#settleDied = died.resolve;
    const { config, command, alone } = options;
    const settings = JSON.stringify({
      alone,
      memoryMb: config.memoryMb,
      textBytes: config.textBytes,
      errorCharacters: config.errorCharacters,
      stepTimeoutMs: config.stepTimeoutMs,
      loadTimeoutMs: config.loadTimeoutMs,
      warmIsolates: alone ? 1 : config.warmIsolates,
      // Alone, every step is handed over by itself: nothing that came before a failure is lost.
      sliceMs: alone ? -1 : sliceMs,
      partCharacters,
    });
    this.#child = spawn(command.file, [...command.args, settings], {
      env: { TZ: "UTC" },
      cwd: "/",
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
      // A process group of its own: Ctrl-C in the terminal asks the lab to finish what is in flight, and that needs hosts.
      detached: true,
    });
    const reader = new LineReader(
      partCharacters * 6 + config.textBytes * 16,
      (line) => this.#receive(line),
      () => this.#kill("protocol", "It sent a frame over the limit."),
    );
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => reader.push(text));
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-2_000);
    });
    this.#child.stdin.on("error", () => {});
    this.#child.on("error", (error) => this.#bury("crashed", error.message));
    this.#child.on("exit", (code, signal) => this.#bury("crashed", `It ended with ${signal ?? code}.`));
    this.#writer = new LineWriter((text) => {
      this.#child.stdin.write(text);
    });
    this.#watch();
  }

  get alive(): boolean {
    return this.#death === null;
  }

  get alone(): boolean {
    return this.#options.alone;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resident memory at the last look, MB; 0 where the system does not tell. */
  get rssMb(): number {
    return this.#rssMb;
  }

  request(request: Request, owner: number): Promise<Reply> {
    if (this.#death !== null) return Promise.resolve({ kind: "lost", death: this.#death, parts: [] });
    return new Promise((resolve) => {
      this.#lastCall += 1;
      const now = performance.now();
      if (this.#pending.size === 0) this.#heardAt = now;
      const { loadTimeoutMs, stepTimeoutMs } = this.#options.config;
      this.#pending.set(this.#lastCall, {
        owner,
        limitMs: request.name === "open" ? loadTimeoutMs : stepTimeoutMs,
        sentAt: now,
        cpuAt: this.#options.alone ? vitalsOf(this.#hostPid).cpuMs : 0,
        parts: null,
        runningSince: null,
        usedMs: 0,
        resolve,
      });
      this.#writer.push(requestLine(request, owner, this.#lastCall));
      this.#watch();
    });
  }

  close(owner: number): void {
    if (this.alive) this.#writer.push(closeLine(owner));
  }

  /** Ends the process; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#kill("closed", "The sandbox was closed.");
    if (this.#child.exitCode === null && this.#child.signalCode === null && this.pid !== undefined) {
      await new Promise((resolve) => this.#child.once("exit", resolve));
    }
  }

  #receive(line: string): void {
    this.#heardAt = performance.now();
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#kill("protocol", "It sent a frame that is no JSON.");
      return;
    }
    const parsed = hostFrame.safeParse(value);
    if (!parsed.success) {
      this.#kill("protocol", "It sent a frame of an unknown form.");
      return;
    }
    this.#take(parsed.data);
  }

  #take(frame: HostFrame): void {
    if (frame[0] === 0) {
      this.#spontaneous += 1;
      if (this.#spontaneous > spontaneousAtMost) this.#kill("protocol", "It flooded its parent with frames.");
    }
    if (frame[1] === "ready") {
      if (this.pid !== undefined) this.#hostPid = innermost(this.pid);
      this.#settleReady(true);
    } else if (frame[1] === "busy") this.#noteBusy(frame[2]);
    else if (frame[1] === "catastrophe") {
      const cause = frame[3].includes("out-of-memory") ? "memory" : "deadline";
      this.#kill(cause, frame[3], new Set([frame[2]]));
    } else this.#answer(frame);
  }

  #answer(frame: AnswerFrame): void {
    const pending = this.#pending.get(frame[0]);
    if (pending === undefined) {
      this.#kill("protocol", "It answered a call that nobody made.");
      return;
    }
    if (frame[1] === "part") {
      pending.parts ??= [];
      pending.parts.push(frame[2]);
      pending.runningSince = null;
      return;
    }
    this.#pending.delete(frame[0]);
    const parts = pending.parts ?? [];
    if (frame[1] === "done") pending.resolve({ kind: "done", payload: frame[2], parts });
    else if (frame[1] === "failed") {
      pending.resolve({ kind: "failed", verdict: frame[2], detail: frame[3], parts });
    } else if (frame[1] === "dead")
      pending.resolve({ kind: "dead", verdict: frame[2], detail: frame[3], parts });
  }

  #noteBusy(busy: readonly (readonly [number, number, number])[]): void {
    const now = performance.now();
    for (const [call, ms, usedMs] of busy) {
      const pending = this.#pending.get(call);
      if (pending === undefined) continue;
      pending.runningSince = now - ms;
      pending.usedMs = usedMs;
    }
  }

  #watch(): void {
    if (this.#ticking !== null || this.#death !== null) return;
    this.#tickedAt = performance.now();
    this.#ticking = setInterval(() => this.#tick(), tickMs);
    this.#ticking.unref();
  }

  #tick(): void {
    const now = performance.now();
    const gap = now - this.#tickedAt - tickMs;
    this.#tickedAt = now;
    this.#spontaneous = 0;
    if (this.#pending.size === 0) {
      if (this.#ticking !== null) clearInterval(this.#ticking);
      this.#ticking = null;
    }
    const vitals = vitalsOf(this.#hostPid);
    this.#rssMb = vitals.rssMb;
    if (this.#rssMb > this.#options.config.hostRssMb) {
      this.#kill("memory", `It grew beyond ${this.#options.config.hostRssMb} MB.`);
      return;
    }
    if (gap > 250) {
      // This process was held up itself, so what the host said meanwhile is still unread.
      this.#heardAt += gap;
      for (const pending of this.#pending.values()) {
        if (pending.runningSince !== null) pending.runningSince += gap;
      }
      return;
    }
    this.#checkDeadlines(now, vitals);
  }

  #checkDeadlines(now: number, { cpuMs, asleep }: Vitals): void {
    const { alone, config } = this.#options;
    const stuck = new Set<number>();
    let longest = config.hardDeadlineMs;
    for (const pending of this.#pending.values()) {
      const deadline = Math.max(config.hardDeadlineMs, pending.limitMs + graceMs);
      longest = Math.max(longest, deadline);
      // Only time on a CPU counts against it: a busy machine must not make anyone guilty.
      const usedMs = alone ? Math.max(cpuMs - pending.cpuAt, pending.usedMs) : pending.usedMs;
      const hogged = alone && usedMs > pending.limitMs * aloneCpuFactor + graceMs;
      const ranMs = pending.runningSince === null ? 0 : now - pending.runningSince;
      const long = !alone && ranMs > deadline && usedMs >= pending.limitMs;
      const lost = now - pending.sentAt > deadline * lostFactor;
      if (hogged || long || lost) stuck.add(pending.owner);
    }
    if (stuck.size > 0) this.#kill("deadline", "A call could not be stopped at its limit.", stuck);
    else if (this.#pending.size > 0) {
      this.#checkSilence(now, cpuMs, alone && !asleep ? longest * lostFactor : longest);
    }
  }

  #checkSilence(now: number, cpuMs: number, allowed: number): void {
    const silence = now - this.#heardAt;
    if (silence < tickMs * 2) this.#cpuAtHeard = cpuMs;
    const burning = !this.#options.alone && silence > silentMs && cpuMs - this.#cpuAtHeard > silentMs / 2;
    if (burning || silence > allowed) {
      this.#kill("silent", `It was silent for ${Math.round(silence)} ms.`, new Set());
    }
  }

  #kill(cause: Death["cause"], detail: string, named?: ReadonlySet<number>): void {
    if (this.#death !== null) return;
    this.#killNow();
    this.#bury(cause, detail, named);
  }

  #killNow(): void {
    this.#child.kill("SIGKILL");
    if (this.#hostPid === undefined || this.#hostPid === this.pid) return;
    try {
      process.kill(this.#hostPid, "SIGKILL");
    } catch {
      // It went with its wrapper.
    }
  }

  #bury(cause: Death["cause"], detail: string, named?: ReadonlySet<number>): void {
    if (this.#death !== null) return;
    const death = { cause, detail, suspects: named ?? this.#suspects() };
    this.#death = death;
    if (this.#ticking !== null) clearInterval(this.#ticking);
    if (cause !== "closed") {
      this.#options.log.warn(
        { cause, detail, stderr: this.#stderr, hostPid: this.#hostPid },
        "a sandbox host died",
      );
    }
    const owed = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of owed) pending.resolve({ kind: "lost", death, parts: pending.parts ?? [] });
    this.#settleReady(false);
    this.#settleDied(death);
  }

  /** Those whose calls ran at least half as long as the longest; the others are only bystanders. */
  #suspects(): Set<number> {
    const now = performance.now();
    const ages = [...this.#pending.values()].map((pending) => [pending.owner, now - pending.sentAt] as const);
    const longest = Math.max(0, ...ages.map(([, age]) => age));
    return new Set(ages.filter(([, age]) => age >= longest / 2).map(([owner]) => owner));
  }
}

const pageMb = 4_096 / 1_048_576;
const clockTickMs = 10;

interface Vitals {
  readonly rssMb: number;
  readonly cpuMs: number;
  /** Its own thread waits for something, and not for its turn on a CPU. */
  readonly asleep: boolean;
}

const unknownVitals: Vitals = { rssMb: 0, cpuMs: 0, asleep: true };

/** What the kernel counts, since a host that is stuck can't be asked; nothing where the system doesn't tell. */
function vitalsOf(pid: number | undefined): Vitals {
  if (process.platform !== "linux" || pid === undefined) return unknownVitals;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Fields count from behind the name, which may hold anything: state, then utime, stime and rss at 11, 12 and 21.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return {
      rssMb: Number(fields[21]) * pageMb,
      cpuMs: (Number(fields[11]) + Number(fields[12])) * clockTickMs,
      asleep: fields[0] === "S",
    };
  } catch {
    return unknownVitals;
  }
}
