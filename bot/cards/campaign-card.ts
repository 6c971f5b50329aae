/** Cards of campaigns: one with its numbers and warnings, how it stands or as it goes on, and the list of all. */
import { catalogue } from "../../config/errors.ts";
import { isOpen } from "../../graph/campaigns/warnings.ts";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import {
  type Block,
  type Button,
  type Card,
  card,
  type Field,
  field,
  fields,
  type Tone,
  table,
  text,
  verbatim,
} from "./card.ts";
import type { CampaignChart } from "./chart.ts";
import { oneLine, shorten } from "./harmless.ts";
import { counted, duration, grouped, moment as plainMoment, score, unknown } from "./numbers.ts";

/** How a campaign stands: its status, or that nobody works on one that should run. */
export type CampaignState = CampaignRecord["status"] | "interrupted";

const tones: Readonly<Record<CampaignState, Tone>> = {
  running: "plain",
  interrupted: "warning",
  paused: "warning",
  stopped: "warning",
  finished: "good",
  failed: "bad",
};

const barSize = 24;
const shownEvaluations = 10;
const sentenceCharacters = 300;

export function percentOf(fraction: number | null | undefined): string {
  return fraction === null || fraction === undefined ? unknown : `${(100 * fraction).toFixed(1)} %`;
}

/** Rounds that are done: played, and trained on where the campaign trains. */
export function roundsDone({ rounds, options }: CampaignRecord): number {
  return rounds.filter(
    ({ summary, update }) => summary !== null && (update !== null || options.trainer === "none"),
  ).length;
}

function bar(done: number, total: number): string {
  const full = Math.round((Math.min(done, total) / total) * barSize);
  return `${"█".repeat(full)}${"░".repeat(barSize - full)}`;
}

function barLine(record: CampaignRecord): string {
  const { wallMs, options } = record;
  const done = roundsDone(record);
  const left = done === 0 || done >= options.rounds ? null : (wallMs / done) * (options.rounds - done);
  const times = left === null ? duration(wallMs) : `${duration(wallMs)}, about ${duration(left)} left`;
  return `rounds ${bar(done, options.rounds)} ${done}/${options.rounds}, ${times}`;
}

function lastRound(record: CampaignRecord): Field | null {
  const last = record.rounds.findLast(({ summary }) => summary !== null);
  if (last?.summary === undefined || last.summary === null) return null;
  const { plainReturn, hintedReturn, regret, admitted, rejected } = last.summary;
  const parts = [
    `plain ${score(plainReturn)}`,
    `hinted ${score(hintedReturn)}`,
    `regret ${score(regret)}`,
    last.designs
      ? `${admitted} of ${counted(admitted + rejected, "design")} admitted`
      : `${counted(admitted, "environment")}`,
  ];
  return field(`round ${last.roundId}`, parts.join(", "));
}

function heldOut({ evaluations }: CampaignRecord): Field | null {
  const [first] = evaluations;
  const last = evaluations.at(-1);
  if (first === undefined || last === undefined) return null;
  if (first === last) return field("held-out success", percentOf(first.success));
  const best = evaluations.reduce((most, one) => (one.success > most.success ? one : most));
  return field(
    "held-out success",
    `${percentOf(first.success)} at first, ${percentOf(last.success)} after ${counted(last.after, "round")}; best ${percentOf(best.success)} after ${best.after}`,
  );
}

function cost({ rounds }: CampaignRecord): Field {
  const sum = (read: (round: NonNullable<(typeof rounds)[number]["summary"]>) => number): number =>
    rounds.reduce((total, { summary }) => total + (summary === null ? 0 : read(summary)), 0);
  const usd = sum(({ costUsd }) => costUsd);
  const tokens = sum((one) => one.tokens);
  const parts = [
    counted(
      sum(({ episodes }) => episodes),
      "episode",
    ),
    tokens === 0 ? null : `${grouped(tokens)} tokens`,
    usd === 0 ? null : `$${usd.toFixed(2)}`,
  ];
  return field("so far", parts.filter((part) => part !== null).join(", "));
}

function whatField({ options }: CampaignRecord): Field {
  const { round, trainer, groups, every, poolSize } = options;
  const pool =
    poolSize > 0
      ? `fixed pool of ${poolSize}`
      : round.pool.length > 0
        ? `pool of ${round.pool.length}`
        : null;
  const hinted = round.hintedPlays === undefined ? "" : ` and ${round.hintedPlays} hinted`;
  return field(
    "what",
    [
      `${counted(round.envs, "environment")} × ${round.plays} plays${hinted} a round`,
      pool ?? (every === 1 ? "new ones every round" : `new ones every ${every} rounds`),
      trainer === "none" ? "no training" : `trained by ${trainer} on ${groups} groups`,
      `model ${round.model}`,
      `seed ${round.seed}`,
    ].join(", "),
  );
}

/** Warnings that are open, as sentences; how many are over. */
function warningBlocks({ warnings }: CampaignRecord): Block[] {
  const open = warnings.filter(isOpen);
  const over = warnings.length - open.length;
  return [
    ...open.map(({ since, message }) =>
      text(`Warning since round ${since}: ${shorten(oneLine(message), sentenceCharacters)}`),
    ),
    ...(over === 0
      ? []
      : [text(`${counted(over, "earlier warning is over", "earlier warnings are over")}.`)]),
  ];
}

function evaluationsTable({ evaluations }: CampaignRecord): Block | null {
  if (evaluations.length < 2) return null;
  return table(
    [
      { title: "after", align: "right" },
      { title: "held-out success", align: "right" },
      { title: "mean return", align: "right" },
      { title: "version", squeezeTo: 10 },
    ],
    evaluations.slice(-shownEvaluations).map((one) => ({
      cells: [String(one.after), percentOf(one.success), score(one.meanReturn), one.policyVersion ?? unknown],
    })),
  );
}

const sentences: Readonly<Partial<Record<CampaignState, string>>> = {
  interrupted: "Nobody works on it at the moment: it can be taken up where it stopped.",
  paused: "It is paused. What was played and trained is kept.",
  stopped: "It was stopped for good. What was played and trained is kept.",
};

export function campaignButtons({ id }: Pick<CampaignRecord, "id">, state: CampaignState): Button[] {
  const button = (label: string, verb: string, tone?: Tone): Button => ({
    label,
    command: `campaign ${verb}`,
    options: { id },
    ...(tone === undefined ? {} : { tone }),
  });
  switch (state) {
    case "running":
      return [button("Pause", "pause"), button("Stop", "stop", "bad")];
    case "paused":
    case "failed":
    case "interrupted":
      return [button("Resume", "resume", "good"), button("Stop", "stop", "bad")];
    case "finished":
    case "stopped":
      return [{ label: "Its rounds", command: "rounds", options: { campaign: id } }];
  }
}

export interface CampaignCardOptions {
  readonly state: CampaignState;
  /** A moment as text, as one that counts by itself where the platform can. */
  readonly moment?: (at: number) => string;
  /** What it does now, in a few words. */
  readonly doing?: string | null;
  /** Something about the message itself. */
  readonly note?: string | null;
  readonly chart?: CampaignChart | null;
  /** Whether the evaluations are listed one by one. */
  readonly detailed?: boolean;
}

/** A campaign as it stands: the same record and options give the same card. */
export function campaignCard(
  record: CampaignRecord,
  {
    state,
    moment = plainMoment,
    doing = null,
    note = null,
    chart = null,
    detailed = false,
  }: CampaignCardOptions,
): Card {
  const { error } = record;
  const blocks: Block[] = [];
  if (note !== null) blocks.push(text(note));
  const sentence = sentences[state];
  if (sentence !== undefined) blocks.push(text(sentence));
  if (state === "failed" && error !== null) blocks.push(text(`${error.message} ${fixOf(error.code)}`.trim()));
  blocks.push(verbatim("", barLine(record)));
  const version = record.rounds.findLast(({ update }) => update !== null)?.update?.version ?? null;
  blocks.push(
    fields(
      doing === null ? null : field("now", doing),
      heldOut(record),
      lastRound(record),
      version === null ? null : field("policy", `version ${version}`),
      cost(record),
      field("started", `${moment(record.startedAt)} by ${record.startedBy}`),
      whatField(record),
    ),
    ...warningBlocks(record),
  );
  const evaluations = detailed ? evaluationsTable(record) : null;
  if (evaluations !== null) blocks.push(evaluations);
  const open = record.warnings.some(isOpen);
  const tone = tones[state];
  return card(`Campaign ${record.id}: ${state}`, {
    tone: tone === "plain" && open ? "warning" : tone,
    blocks,
    buttons: campaignButtons(record, state),
    ...(chart === null ? {} : { chart }),
  });
}

/** What to do about an error that a campaign keeps; empty for a code of another version. */
function fixOf(code: string): string {
  const known = Object.entries(catalogue).find(([one]) => one === code)?.[1].fix ?? "";
  return code.startsWith("round.") ? "Read the reason, mend it, and resume the campaign." : known;
}

export function campaignsCard(
  all: readonly { readonly record: CampaignRecord; readonly state: CampaignState }[],
): Card {
  if (all.length === 0) {
    return card("Campaigns", {
      blocks: [text("There are none yet.")],
      buttons: [{ label: "Start one", command: "campaign start", options: {} }],
    });
  }
  return card("Campaigns", {
    blocks: [campaignsTable(all)],
    buttons: all
      .slice(0, 3)
      .map(({ record: { id } }) => ({ label: `Look at ${id}`, command: "campaign status", options: { id } })),
  });
}

const withWarnings = (state: CampaignState, open: number): string =>
  open === 0 ? state : `${state}, ${counted(open, "warning")}`;

export function campaignsTable(
  all: readonly { readonly record: CampaignRecord; readonly state: CampaignState }[],
): Block {
  return table(
    [
      { title: "campaign" },
      { title: "status", squeezeTo: 11, plain: true },
      { title: "rounds", align: "right" },
      { title: "held-out", align: "right" },
      { title: "started", squeezeTo: 10 },
      { title: "model", squeezeTo: 8 },
      { title: "by", squeezeTo: 6 },
    ],
    all.map(({ record, state }) => ({
      cells: [
        record.id,
        withWarnings(state, record.warnings.filter(isOpen).length),
        `${roundsDone(record)}/${record.options.rounds}`,
        percentOf(record.evaluations.at(-1)?.success),
        plainMoment(record.startedAt),
        record.options.round.model,
        record.startedBy,
      ],
    })),
  );
}

/** The answer to who started or resumed a campaign in chat: where it goes on. */
export function campaignUnderWayCard(
  { id, options }: Pick<CampaignRecord, "id" | "options">,
  { link, problem }: { readonly link: string | null; readonly problem: string | null },
): Card {
  const where = link === null ? "Its progress is shown in this channel." : `Its progress: ${link}`;
  return card(`Campaign ${id}`, {
    tone: problem === null ? "plain" : "warning",
    blocks: [text(`${counted(options.rounds, "round")} with ${options.round.model}`), text(problem ?? where)],
    buttons: problem === null ? [] : campaignButtons({ id }, "running"),
  });
}
