/**
 * Progress of a round or a campaign on stderr: on a terminal a bar per stage, or one over the campaign's rounds,
 * elsewhere plain lines, at most one a second and stage.
 * Lines for people (warnings, log) go above the bars.
 */
import type { MultiBar, SingleBar } from "cli-progress";
import type { LabEvent, Listener, RoundEvent, Stage } from "../../graph/events.ts";
import { harmless, oneLine } from "../cards/harmless.ts";
import { duration } from "../cards/numbers.ts";
import { wrap } from "../cards/wrap.ts";
import { StageClock, type StageProgress } from "../stage-clock.ts";
import { CampaignProgress } from "./campaign-progress.ts";
import type { OutputStream } from "./streams.ts";

export interface ProgressOutput {
  readonly isTerminal: boolean;
  /** Characters of a line. */
  readonly width: number;
  write(text: string): void;
  /** The stream itself, for the bars. */
  readonly stream: OutputStream;
}

export interface Progress {
  readonly listen: Listener;
  /** A line for people; `text` ends with a line break. */
  say(text: string): void;
  /** Ends the display; what it shows stays. */
  stop(): void;
}

/** Plain lines: at most one in so many milliseconds for each stage, its first and last always. */
const lineEveryMs = 1_000;

/** Stages that only keep books: as plain lines they are worth one when they end, none when they begin. */
const quick: ReadonlySet<Stage> = new Set(["ground", "score", "remember", "learn", "report"]);

function times({ elapsedMs, remainingMs }: StageProgress): string {
  const left = remainingMs === null ? "" : `, about ${duration(remainingMs)} left`;
  return `${duration(elapsedMs)}${left}`;
}

/** What an event says in words; null for those that only move a bar. */
export function sentenceOf(event: RoundEvent): string | null {
  switch (event.type) {
    case "round-started": {
      const verb = event.resumed ? "goes on" : "starts";
      return `Round ${event.roundId} ${verb}: model ${event.model}, seed ${event.seed}.`;
    }
    case "warning":
      return `Warning: ${event.message}`;
    default:
      return null;
  }
}

/** Progress as plain lines. */
export function lineProgress(write: (text: string) => void, now: () => number): Progress {
  const clock = new StageClock(now);
  const shownAt = new Map<Stage, number>();
  const campaign = new CampaignProgress(now);
  let roundsAt: number | null = null;
  let roundsShown = -1;
  const listenToCampaign = (event: LabEvent): void => {
    if (event.type !== "campaign") return;
    for (const sentence of campaign.take(event)) write(`${oneLine(harmless(sentence))}\n`);
    const { done, total } = campaign.bar;
    const due = roundsAt === null || done >= total || now() - roundsAt >= lineEveryMs;
    if (!due || done === roundsShown) return;
    roundsAt = now();
    roundsShown = done;
    const { numbers } = campaign;
    write(`rounds ${campaign.count}${numbers === "" ? "" : `; ${numbers}`}\n`);
  };
  return {
    listen(event) {
      if (event.type === "campaign") return listenToCampaign(event);
      // Hundreds of rounds are no news one by one.
      if (campaign.isOn && event.type !== "warning") return;
      const sentence = sentenceOf(event);
      if (sentence !== null) write(`${oneLine(harmless(sentence))}\n`);
      if (event.type !== "stage") return;
      const progress = clock.update(event.stage, event.done, event.total);
      if (event.total === 0 || (event.done === 0 && quick.has(event.stage))) return;
      const last = shownAt.get(event.stage);
      const due = last === undefined || event.done >= event.total || now() - last >= lineEveryMs;
      if (!due) return;
      shownAt.set(event.stage, now());
      write(`${event.stage} ${event.done}/${event.total}, ${times(progress)}\n`);
    },
    say: write,
    stop: () => {},
  };
}

const stageWidth = 8;
const countWidth = 11;
const timesWidth = 26;

/** One bar as text, for a line of `width` characters. */
export function barLine(progress: StageProgress, width: number): string {
  return barOf(progress.stage, progress, times(progress), width);
}

function barOf(
  stage: string,
  { done, total }: { readonly done: number; readonly total: number },
  said: string,
  width: number,
): string {
  const size = Math.max(5, Math.min(40, width - stageWidth - countWidth - timesWidth - 4));
  const full = total === 0 ? size : Math.round((Math.min(done, total) / total) * size);
  const bar = "█".repeat(full) + "░".repeat(size - full);
  const count = `${done}/${total}`.padStart(countWidth);
  return `${stage.padEnd(stageWidth)} ${bar}${count}  ${said}`.slice(0, width);
}

/** What a terminal shows of a campaign: a bar over its rounds, and what it does now. */
const campaignLines = ["rounds", "now"] as const;
type CampaignLine = (typeof campaignLines)[number];

/** The terminal's order to clear the rest of a line. */
const clearToEnd = "\u001b[K";

/** Progress as bars on a terminal. */
async function barProgress(output: ProgressOutput, now: () => number): Promise<Progress> {
  const { default: progressBars } = await import("cli-progress");
  const clock = new StageClock(now);
  const bars = new Map<Stage | CampaignLine, SingleBar>();
  const campaign = new CampaignProgress(now);
  let multi: MultiBar | null = null;
  const shown = (stage: Stage | CampaignLine): string => {
    const width = output.width - 1;
    if (stage === "rounds") return barOf("rounds", campaign.bar, campaign.times, width);
    if (stage === "now") return [campaign.now, campaign.numbers].filter(Boolean).join("; ").slice(0, width);
    const progress = clock.all().find((one) => one.stage === stage);
    return progress === undefined ? "" : barLine(progress, width);
  };
  const open = (): MultiBar =>
    new progressBars.MultiBar({
      stream: output.stream,
      hideCursor: true,
      // The command decides what a signal does; it stops the bars itself.
      gracefulExit: false,
      forceRedraw: true,
      fps: 10,
      format: (_options, _params, payload: { readonly stage: Stage | CampaignLine }) => shown(payload.stage),
    });
  const say = (text: string): void => {
    if (multi === null) output.write(text);
    else {
      // While there are bars the terminal cuts what is too long; what stood on a line before is a bar: its rest has to go.
      const lines = text
        .split("\n")
        .map((line) => (line.length < output.width ? line : wrap(line, output.width - 1)));
      multi.log(lines.join("\n").replaceAll("\n", `${clearToEnd}\n`));
    }
  };
  const drawCampaign = (): void => {
    multi ??= open();
    const { done, total } = campaign.bar;
    for (const stage of campaignLines) {
      const bar = bars.get(stage) ?? multi.create(total, done, { stage });
      bars.set(stage, bar);
      bar.update(done);
    }
  };
  return {
    listen(event) {
      if (event.type === "campaign") {
        for (const sentence of campaign.take(event)) say(`${oneLine(harmless(sentence))}\n`);
        return drawCampaign();
      }
      if (campaign.isOn && event.type !== "warning") {
        if (event.type === "stage") campaign.stage(event);
        return drawCampaign();
      }
      const sentence = sentenceOf(event);
      if (sentence !== null) say(`${oneLine(harmless(sentence))}\n`);
      if (event.type !== "stage") return;
      clock.update(event.stage, event.done, event.total);
      if (event.total === 0) return;
      multi ??= open();
      const bar = bars.get(event.stage) ?? multi.create(event.total, event.done, { stage: event.stage });
      bars.set(event.stage, bar);
      bar.setTotal(event.total);
      bar.update(event.done);
    },
    say,
    stop() {
      // Lines that were said since the last frame would be lost with it.
      multi?.update();
      multi?.stop();
      multi = null;
      bars.clear();
    },
  };
}

/** The display that suits the output. */
export async function createProgress(output: ProgressOutput, now: () => number): Promise<Progress> {
  return output.isTerminal ? barProgress(output, now) : lineProgress(output.write, now);
}
