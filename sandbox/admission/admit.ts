/**
 * One admission: loads a source, lets the gates play it, and puts their verdicts together. An admission holds at most
 * one place in the sandbox at a time and none while it waits for the novelty check.
 */
import { createHash } from "node:crypto";
import type { Program } from "acorn";
import { SandboxError } from "../../config/errors.ts";
import { keyedRandom, keyedSeed } from "../../config/random.ts";
import { type GateName, type GateResult, gateName } from "../../config/words.ts";
import type { EnvironmentHandle, EnvironmentShape } from "../sandbox.ts";
import type { AdmissionOptions, AdmissionReport } from "./admission.ts";
import { fingerprintOfProgram } from "./fingerprint.ts";
import { gatherInstances, judgeContract } from "./gates/contract.ts";
import { judgeDeterminism, playUsed } from "./gates/determinism.ts";
import {
  type Evidence,
  fail,
  type Judgement,
  type PlayingGate,
  pass,
  type Subject,
  unknown,
} from "./gates/gate.ts";
import { judgeInteractive } from "./gates/interactive.ts";
import { judgeNoLeak } from "./gates/no-leak.ts";
import { judgeNonTrivial } from "./gates/non-trivial.ts";
import { judgeNovelty } from "./gates/novelty.ts";
import { readSource } from "./gates/parse.ts";
import { judgeReview } from "./gates/review.ts";
import { judgeRobust, withThrown } from "./gates/robust.ts";
import { judgeSeeding } from "./gates/seeding.ts";
import { judgeTermination } from "./gates/termination.ts";
import { judgeWinnable } from "./gates/winnable.ts";
import { Overrun, Probe, ProbeRecord, sandboxError } from "./probe.ts";
import { JunkAnswers } from "./reactions.ts";
import { sentence } from "./sentences.ts";

/** Seeds on which an environment is judged. The first is fixed, the others depend on the source. */
const seedCount = 12;

/**
 * In the order in which they play: later ones use what earlier ones found out. Those of one group play at the same time,
 * so that their runs share messages; the runs of a gate still come before those of the gates after it.
 */
const playing: readonly (readonly PlayingGate[])[] = [
  [{ gate: "robust", judge: judgeRobust }],
  [{ gate: "seeding", judge: judgeSeeding }],
  [
    { gate: "winnable", judge: judgeWinnable },
    { gate: "non-trivial", judge: judgeNonTrivial },
  ],
  [{ gate: "no-leak", judge: judgeNoLeak }],
];

/** The used instance of determinism plays together with these. */
const playingLast: readonly PlayingGate[] = [
  { gate: "interactive", judge: judgeInteractive },
  { gate: "termination", judge: judgeTermination },
];

/**
 * Runs the thirteen gates on a source. The same source gets the same verdicts. Throws SandboxError if the sandbox is
 * at fault, and the signal's reason when aborted; everything else is in the report.
 */
export async function admit(source: string, options: AdmissionOptions): Promise<AdmissionReport> {
  return new Admission(source, options).run();
}

class Admission {
  readonly #source: string;
  readonly #options: AdmissionOptions;
  readonly #hash: string;
  readonly #record = new ProbeRecord();
  readonly #results = new Map<GateName, Judgement & { ms: number }>();
  readonly #evidence: Evidence = {
    instances: [],
    tools: [],
    player: null,
    junkAnswers: new JunkAnswers(),
    plays: [],
  };

  constructor(source: string, options: AdmissionOptions) {
    this.#source = source;
    this.#options = options;
    this.#hash = createHash("sha256").update(source).digest("hex");
  }

  async run(): Promise<AdmissionReport> {
    const { signal, allowUnknown = [] } = this.#options;
    signal?.throwIfAborted();
    let program: Program | null = null;
    await this.#time("parse", async () => {
      const reading = readSource(this.#source, this.#options.language);
      program = reading.program;
      return reading.judgement;
    });
    const shape = await this.#load();
    const fingerprint = program === null ? null : fingerprintOfProgram(program);
    if (this.#record.overrun === null) {
      await this.#time("novelty", () => judgeNovelty(fingerprint, this.#options.novelty));
      await this.#time("review", () =>
        judgeReview(this.#options.reviewer, this.#source, this.#firstObservation()),
      );
    }
    signal?.throwIfAborted();
    const gates = gateName.options.map((gate) => this.#result(gate));
    const mayBeUnknown = new Set(allowUnknown);
    if (this.#options.reviewer === null) mayBeUnknown.add("review");
    return {
      admitted: gates.every(
        ({ gate, verdict }) => verdict === "pass" || (verdict === "unknown" && mayBeUnknown.has(gate)),
      ),
      gates,
      shape,
      fingerprint,
      firstObservation: this.#firstObservation(),
      solutions: this.#evidence.instances.flatMap(({ seed, solution }) =>
        solution === null ? [] : [{ seed, actions: solution }],
      ),
    };
  }

  #firstObservation(): string | null {
    return this.#evidence.instances[0]?.firstObservation ?? null;
  }

  /** Opens the source; if it loads, the gates play it. */
  async #load(): Promise<EnvironmentShape | null> {
    const readable = this.#results.get("parse")?.verdict === "pass";
    if (!readable) return null;
    const started = performance.now();
    const handle = await this.#open();
    this.#addTime("parse", performance.now() - started);
    if (handle === null) return null;
    try {
      await this.#play(handle);
    } finally {
      await handle.close();
    }
    return handle.shape;
  }

  /** Null if the source does not load; the verdict of the gate that counts it is then set. */
  async #open(): Promise<EnvironmentHandle | null> {
    const { sandbox, language, signal } = this.#options;
    const opened = await sandbox.open(this.#source, {
      language,
      ...(signal === undefined ? {} : { signal }),
    });
    signal?.throwIfAborted();
    if (opened.ok) return opened.value;
    const { failure } = opened;
    switch (failure.verdict) {
      case "sandbox-failed":
      case "closed":
        throw sandboxError(failure);
      case "timed-out":
      case "out-of-memory":
      case "host-died":
        this.#record.overrun ??= `Loading the source ran over its limits: ${failure.detail}`;
        return null;
      default:
        this.#set("parse", fail(`The source does not load: ${failure.detail}`));
        return null;
    }
  }

  async #play(handle: EnvironmentHandle): Promise<void> {
    const { signal } = this.#options;
    const subject: Subject = {
      shape: handle.shape,
      probe: new Probe(handle, this.#record, signal),
      seeds: Array.from({ length: seedCount }, (_, i) => (i === 0 ? 0 : keyedSeed(this.#hash, "seed", i))),
      evidence: this.#evidence,
      random: (...parts) => keyedRandom(this.#hash, ...parts),
      freshProbe: () => this.#freshProbe(),
    };
    let problems: readonly string[] | null = null;
    await this.#time("contract", async () => {
      problems = await gatherInstances(subject);
      return judgeContract(this.#record, problems);
    });
    for (const group of playing) {
      if (this.#record.overrun === null) await this.#playTogether(group, subject);
    }
    if (this.#record.overrun === null) {
      const last = this.#playTogether(playingLast, subject);
      const used = playUsed(subject);
      // Whatever it throws is the gate's to judge.
      used.catch(() => {});
      await last;
      if (this.#record.overrun === null) {
        await this.#time("determinism", () => judgeDeterminism(subject, used));
      }
    }
    this.#set("contract", judgeContract(this.#record, problems));
    const robust = this.#results.get("robust");
    if (robust !== undefined) this.#set("robust", withThrown(robust, this.#record));
    if (this.#record.overrun === null) {
      const { episodes, steps } = this.#record;
      this.#set(
        "resources",
        pass(`No call ran over its limits in ${episodes} episodes with ${steps} steps.`),
      );
    }
  }

  async #playTogether(group: readonly PlayingGate[], subject: Subject): Promise<void> {
    const whole = await Promise.all(group.map(({ gate, judge }) => this.#time(gate, () => judge(subject))));
    // As if one gate had played after the other: after an overrun nothing is judged.
    const overrun = whole.indexOf(false);
    if (overrun < 0) return;
    for (const { gate } of group.slice(overrun + 1)) this.#set(gate, unknown(stopped));
  }

  async #freshProbe(): Promise<Probe> {
    const handle = await this.#open();
    if (handle === null) throw new Error("a fresh instance of the same source does not load");
    return new Probe(handle, this.#record, this.#options.signal);
  }

  /**
   * Runs one gate; false if a call ran over its limits. Whatever it throws leaves it `unknown`, except what no
   * environment is to blame for.
   */
  async #time(gate: GateName, judge: () => Promise<Judgement>): Promise<boolean> {
    const started = performance.now();
    let judgement: Judgement;
    let whole = true;
    try {
      judgement = await judge();
    } catch (thrown) {
      this.#options.signal?.throwIfAborted();
      if (thrown instanceof SandboxError) throw thrown;
      whole = !(thrown instanceof Overrun);
      judgement = unknown(whole ? `The gate could not be completed: ${said(thrown)}` : stopped);
    }
    this.#set(gate, judgement);
    this.#addTime(gate, performance.now() - started);
    return whole;
  }

  #set(gate: GateName, { verdict, detail }: Judgement): void {
    this.#results.set(gate, { verdict, detail: sentence(detail), ms: this.#results.get(gate)?.ms ?? 0 });
  }

  #addTime(gate: GateName, ms: number): void {
    const result = this.#results.get(gate);
    if (result !== undefined) this.#results.set(gate, { ...result, ms: result.ms + ms });
  }

  #result(gate: GateName): GateResult {
    if (gate === "resources" && this.#record.overrun !== null) {
      return { gate, verdict: "fail", detail: sentence(this.#record.overrun), ms: 0 };
    }
    const found = this.#results.get(gate);
    if (found !== undefined) return { gate, verdict: found.verdict, detail: found.detail, ms: found.ms };
    const why = this.#record.overrun === null ? "The source does not load; see parse." : stopped;
    return { gate, verdict: "unknown", detail: why, ms: 0 };
  }
}

const stopped = "Not judged, since a call ran over its limits; see resources.";

function said(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
