/**
 * A host process as the pool sees it: it takes requests, gives a reply to each, and is watched all the while. When it
 * dies, by itself or because it outgrew or outlived its limits, every reply still owed becomes `lost`.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Logger } from "pino";
import type { SandboxConfig } from "../config/schema.ts";
import { LineReader, LineWriter } from "./host/lines.js";
import { type Command, innermost } from "./jail.ts";
import { closeLine, frameOf, type HostFrame, type Request, requestLine } from "./protocol.ts";
import { Watchdog, type Watched } from "./watchdog.ts";

/**
 * Why a host died. `silent`: its own thread was held up, so nobody can tell by whom. `suspects` are the environments
 * that may have done it, otherwise never empty if any call was in flight.
 */
export interface Death {
  readonly cause: "crashed" | "memory" | "deadline" | "silent" | "protocol" | "closed";
  readonly detail: string;
  readonly suspects: ReadonlySet<number>;
}

/** What a request came to. `parts` are those of a run that came before. */
export type Reply = { readonly parts: readonly unknown[] } & (
  | { readonly kind: "done"; readonly payload: unknown }
  | { readonly kind: "failed"; readonly verdict: FailedVerdict; readonly detail: string }
  | { readonly kind: "dead"; readonly verdict: DeadVerdict; readonly detail: string }
  | { readonly kind: "lost"; readonly death: Death }
);

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

interface Pending extends Watched {
  parts: unknown[] | null;
  readonly settle: (reply: Reply) => void;
}

const none: readonly unknown[] = [];
const sliceMs = 100;
/** A run hands over its text in parts of this length, so a frame is at most this and one more answer. */
const partCharacters = 262_144;

export class HostProcess {
  /** Environments placed here at the moment, and all that ever were. */
  placed = 0;
  loads = 0;
  readonly alone: boolean;
  readonly ready: Promise<boolean>;
  readonly died: Promise<Death>;
  readonly #config: SandboxConfig;
  readonly #log: Logger;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #writer: LineWriter;
  readonly #watchdog: Watchdog;
  readonly #pending = new Map<number, Pending>();
  readonly #settleReady: (ready: boolean) => void;
  readonly #settleDied: (death: Death) => void;
  #lastCall = 0;
  #death: Death | null = null;
  #stderr = "";

  constructor({ config, command, alone, log }: HostOptions) {
    this.alone = alone;
    this.#config = config;
    this.#log = log;
    const ready = Promise.withResolvers<boolean>();
    const died = Promise.withResolvers<Death>();
    this.ready = ready.promise;
    this.died = died.promise;
    this.#settleReady = ready.resolve;
    this.#settleDied = died.resolve;
    this.#watchdog = new Watchdog(config, alone, this.#pending, (cause, detail, suspects) =>
      this.#kill(cause, detail, suspects),
    );
    this.#child = spawn(command.file, [...command.args, JSON.stringify(settingsOf(config, alone))], {
      env: { TZ: "UTC" },
      cwd: "/",
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    this.#writer = new LineWriter((text) => {
      this.#child.stdin.write(text);
    });
    this.#listen();
  }

  get alive(): boolean {
    return this.#death === null;
  }

  /** Resident memory at the last look, MB; 0 where the system does not tell. */
  get rssMb(): number {
    return this.#watchdog.rssMb;
  }

  request(request: Request, owner: number): Promise<Reply> {
    return new Promise((resolve) => this.ask(request, owner, resolve));
  }

  /** The same without a promise; `settle` is called once. */
  ask(request: Request, owner: number, settle: (reply: Reply) => void): void {
    if (this.#death !== null) {
      settle({ kind: "lost", death: this.#death, parts: none });
      return;
    }
    this.#lastCall += 1;
    const { loadTimeoutMs, stepTimeoutMs } = this.#config;
    const now = performance.now();
    this.#pending.set(this.#lastCall, {
      owner,
      limitMs: request.name === "open" ? loadTimeoutMs : stepTimeoutMs,
      sentAt: now,
      cpuAt: this.#watchdog.begin(now),
      runningSince: null,
      usedMs: 0,
      parts: null,
      settle,
    });
    this.#writer.push(requestLine(request, owner, this.#lastCall));
  }

  close(owner: number): void {
    if (this.alive) this.#writer.push(closeLine(owner));
  }

  /** Ends the process; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#kill("closed", "The sandbox was closed.");
    const { exitCode, signalCode, pid } = this.#child;
    if (exitCode === null && signalCode === null && pid !== undefined) {
      await new Promise((resolve) => this.#child.once("exit", resolve));
    }
  }

  #listen(): void {
    const reader = new LineReader(
      partCharacters * 6 + this.#config.textBytes * 16,
      (line) => this.#receive(line),
      () => this.#kill("protocol", "It sent a frame over the limit."),
    );
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => reader.push(text));
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-2_000);
    });
    // A host that is gone is told of by its exit.
    this.#child.stdin.on("error", () => {});
    this.#child.on("error", (error) => this.#bury("crashed", error.message));
    this.#child.on("exit", (code, signal) => this.#bury("crashed", `It ended with ${signal ?? code}.`));
  }

  #receive(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#kill("protocol", "It sent a frame that is no JSON.");
      return;
    }
    const frame = frameOf(value);
    if (frame === null) this.#kill("protocol", "It sent a frame of an unknown form.");
    else this.#take(frame);
  }

  #take(frame: HostFrame): void {
    this.#watchdog.heard(frame[0] !== 0);
    if (frame[1] === "ready") {
      if (this.#child.pid !== undefined) this.#watchdog.pid = innermost(this.#child.pid);
      this.#settleReady(true);
    } else if (frame[1] === "busy") this.#noteBusy(frame[2]);
    else if (frame[1] === "catastrophe") {
      const cause = frame[3].includes("out-of-memory") ? "memory" : "deadline";
      this.#kill(cause, frame[3], frame[2] === 0 ? undefined : new Set([frame[2]]));
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
      this.#beginNext(pending);
      return;
    }
    this.#pending.delete(frame[0]);
    const parts = pending.parts ?? none;
    if (frame[1] === "done") pending.settle({ kind: "done", payload: frame[2], parts });
    else if (frame[1] === "failed") {
      pending.settle({ kind: "failed", verdict: frame[2], detail: frame[3], parts });
    } else if (frame[1] === "dead") {
      pending.settle({ kind: "dead", verdict: frame[2], detail: frame[3], parts });
    }
  }

  /** What comes after a part is a call of its own: however long a run goes on, only each call has a limit. */
  #beginNext(pending: Pending): void {
    pending.sentAt = performance.now();
    pending.cpuAt = this.#watchdog.begin(pending.sentAt);
    pending.runningSince = null;
    pending.usedMs = 0;
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

  #kill(cause: Death["cause"], detail: string, suspects?: ReadonlySet<number>): void {
    if (this.#death !== null) return;
    this.#child.kill("SIGKILL");
    const hostPid = this.#watchdog.pid;
    if (hostPid !== undefined && hostPid !== this.#child.pid) {
      try {
        process.kill(hostPid, "SIGKILL");
      } catch {
        // It went with its wrapper.
      }
    }
    this.#bury(cause, detail, suspects);
  }

  #bury(cause: Death["cause"], detail: string, suspects?: ReadonlySet<number>): void {
    if (this.#death !== null) return;
    const death = { cause, detail, suspects: suspects ?? this.#oldest() };
    this.#death = death;
    this.#watchdog.stop();
    if (cause !== "closed") {
      // One that never came up is told of by whoever wanted it.
      const level = this.#watchdog.pid === undefined ? "debug" : "warn";
      const facts = { cause, detail, stderr: this.#stderr, hostPid: this.#watchdog.pid };
      this.#log[level](facts, "a sandbox host died");
    }
    const owed = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of owed) pending.settle({ kind: "lost", death, parts: pending.parts ?? none });
    this.#settleReady(false);
    this.#settleDied(death);
  }

  /** Those whose calls are at least half as old as the oldest; the others are only bystanders. */
  #oldest(): Set<number> {
    const now = performance.now();
    const ages = [...this.#pending.values()].map((pending) => [pending.owner, now - pending.sentAt] as const);
    const longest = Math.max(0, ...ages.map(([, age]) => age));
    return new Set(ages.filter(([, age]) => age >= longest / 2).map(([owner]) => owner));
  }
}

/** What a host is told of the configuration; see host/settings.js. */
function settingsOf(config: SandboxConfig, alone: boolean) {
  return {
    alone,
    memoryMb: config.memoryMb,
    hostRssMb: config.hostRssMb,
    textBytes: config.textBytes,
    errorCharacters: config.errorCharacters,
    stepTimeoutMs: config.stepTimeoutMs,
    loadTimeoutMs: config.loadTimeoutMs,
    warmIsolates: alone ? 1 : config.warmIsolates,
    // Alone, every step is handed over by itself: nothing that came before a failure is lost.
    sliceMs: alone ? -1 : sliceMs,
    partCharacters,
  };
}
