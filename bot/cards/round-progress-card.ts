/** Cards of a round that is under way: its status message, the message its thread hangs on, and where to find both. */
import type { RoundStatus } from "../../config/words.ts";
import type { RoundRecord } from "../../store/records.ts";
import type { JobState } from "../chat/jobs.ts";
import { countVerdicts, type RoundView, runningRegret, type StageView } from "../chat/round-view.ts";
import { progressOf } from "../stage-clock.ts";
import {
  type Block,
  type Button,
  type Card,
  card,
  type Field,
  field,
  fields,
  type Tone,
  text,
  verbatim,
} from "./card.ts";
import { oneLine, shorten } from "./harmless.ts";
import { counted, duration, score } from "./numbers.ts";
import { purposeOf } from "./round-card.ts";

const barSize = 12;
const warningCharacters = 300;

interface Look {
  /** One word for titles. */
  readonly word: string;
  readonly tone: Tone;
  /** What people should know, or null. */
  readonly sentence: string | null;
  /** Whether it can still be cancelled. */
  readonly live: boolean;
}

const ended: Readonly<Record<RoundStatus, Look>> = {
  finished: { word: "finished", tone: "good", sentence: "Its result stands below.", live: false },
  cancelled: { word: "cancelled", tone: "warning", sentence: "Nothing more is played.", live: false },
  failed: { word: "failed", tone: "bad", sentence: "What stopped it stands below.", live: false },
  waiting: { word: "waiting", tone: "warning", sentence: null, live: true },
  running: { word: "running", tone: "plain", sentence: null, live: true },
};

function queueSentence(ahead: number): string {
  if (ahead === 0) return "It waits for its turn: it is the next one.";
  return `It waits for its turn: ${counted(ahead, "round comes", "rounds come")} before it.`;
}

function lookOf(job: JobState): Look {
  switch (job.type) {
    case "queued":
      return { word: "queued", tone: "plain", sentence: queueSentence(job.ahead), live: true };
    case "running":
      return ended.running;
    case "waiting":
      return { ...ended.waiting, sentence: "It waits for people to decide about its environments." };
    case "elsewhere":
      return { ...ended.running, sentence: "Another process of the lab works on it." };
    case "stopped": {
      const sentence = "The lab was stopped. It goes on with this round when it is started again.";
      return { word: "interrupted", tone: "warning", sentence, live: true };
    }
    case "broken":
      return { ...ended.failed, sentence: `${job.error.message} ${job.error.fix}` };
    case "ended":
      return ended[job.record.status];
  }
}

/** `play     ████░░░░░░░░ 20/64, 12 s, about 30 s left` */
function barLine(stage: StageView, at: number): string {
  const { done, total } = stage;
  const full = total === 0 ? barSize : Math.round((Math.min(done, total) / total) * barSize);
  const bar = `${"█".repeat(full)}${"░".repeat(barSize - full)}`;
  return `${stage.stage.padEnd(8)} ${bar} ${done}/${total}${timesOf(stage, at)}`;
}

function timesOf(stage: StageView, at: number): string {
  if (stage.startedAt === null) return "";
  const { elapsedMs, remainingMs } = progressOf(stage, at);
  const left = remainingMs === null ? "" : `, about ${duration(remainingMs)} left`;
  return `, ${duration(elapsedMs)}${left}`;
}

function designsField(view: RoundView): Field | null {
  if (view.options.mode !== "self-play" || view.designs.size === 0) return null;
  const { admitted, rejected, mended, open } = countVerdicts(view);
  const parts = [
    `${admitted} admitted`,
    `${rejected} rejected`,
    mended === 0 ? null : `${mended} to be mended`,
    open === 0 ? null : `${open} not judged yet`,
  ];
  return field("designs", parts.filter((part) => part !== null).join(", "));
}

function episodesField({ episodes, failed }: RoundView): Field | null {
  if (episodes === 0) return null;
  return field("episodes", failed === 0 ? String(episodes) : `${episodes}, ${failed} without a return`);
}

function regretField(view: RoundView): Field | null {
  const regret = runningRegret(view);
  if (regret === null) return null;
  return field(
    "regret so far",
    `${score(regret.mean)}, mean of ${counted(regret.environments, "environment")}`,
  );
}

export interface ProgressOptions {
  /** A moment as text, `relative` as one that counts by itself where the platform can. */
  readonly moment: (at: number, style?: "full" | "relative") => string;
  /** Something about the message itself, e.g. why it stands here. */
  readonly note: string | null;
}

/** The status message of a round: the same view gives the same card. */
export function roundProgressCard(view: RoundView, { moment, note }: ProgressOptions): Card {
  const look = lookOf(view.job);
  const blocks: Block[] = [];
  if (note !== null) blocks.push(text(note));
  if (look.sentence !== null) blocks.push(text(look.sentence));
  const bars = view.stages.filter(({ total }) => total > 0).map((stage) => barLine(stage, view.at));
  if (bars.length > 0) blocks.push(verbatim("", bars.join("\n")));
  blocks.push(
    fields(
      view.job.type === "running" && view.stage !== null ? field("stage", view.stage) : null,
      designsField(view),
      episodesField(view),
      regretField(view),
      field("started", `${moment(view.startedAt, "relative")} by ${view.startedBy}`),
      field("model", `${view.options.model}, seed ${view.options.seed}`),
    ),
  );
  blocks.push(
    ...view.warnings.map((warning) => text(`Warning: ${shorten(oneLine(warning), warningCharacters)}`)),
  );
  return card(`Round ${view.roundId}: ${look.word}`, {
    tone: look.tone,
    blocks,
    buttons: look.live ? [cancelButton(view.roundId)] : [],
  });
}

function cancelButton(id: string): Button {
  return { label: "Cancel", command: "cancel", options: { id }, tone: "bad" };
}

/** The message in the channel that a round's thread hangs on; at the end it says how the round ended. */
export function roundStarterCard(
  round: Pick<RoundRecord, "id" | "options" | "startedBy">,
  job: JobState,
): Card {
  const over = job.type === "ended" || job.type === "broken";
  const { word, tone } = lookOf(job);
  return card(over ? `Round ${round.id}: ${word}` : `Round ${round.id}`, {
    tone: over ? tone : "plain",
    blocks: [text(`${purposeOf(round)}, started by ${round.startedBy}`)],
  });
}

/**
 * The answer to who started or resumed a round: where it goes on. It stays as it is, so it says nothing that soon
 * changes. `link` is null while nothing stands there yet.
 */
export function roundUnderWayCard(
  round: Pick<RoundRecord, "id" | "options">,
  job: JobState,
  { link, problem }: { readonly link: string | null; readonly problem: string | null },
): Card {
  const look = lookOf(job);
  const where = link === null ? "Its progress is shown in this channel." : `Its progress: ${link}`;
  return card(`Round ${round.id}`, {
    tone: problem === null ? look.tone : "warning",
    blocks: [
      text(purposeOf(round)),
      ...(look.sentence === null ? [] : [text(look.sentence)]),
      text(problem ?? where),
    ],
    buttons: problem !== null && look.live ? [cancelButton(round.id)] : [],
  });
}

/** The message of a round that could not be worked on, and whose failure could not be stored either. */
export function roundBrokenCard(
  roundId: string,
  error: { readonly message: string; readonly fix: string },
): Card {
  return card(`Round ${roundId}: failed`, {
    tone: "bad",
    blocks: [text(`${error.message} ${error.fix}`)],
    buttons: [{ label: "Go on with it", command: "resume", options: { id: roundId } }],
  });
}
