/** What a campaign tells those who watch: pure, from its record; each alert with the moment it came up. */
import { isOpen } from "../../graph/campaigns/warnings.ts";
import type { CampaignRecord, CampaignRound } from "../../store/campaign-records.ts";
import { percentOf } from "../cards/campaign-card.ts";
import { counted, score } from "../cards/numbers.ts";
import type { Told } from "./alert.ts";

/** An alert with the moment it came up, and how it ended if it is over. */
export interface CampaignAlert {
  readonly told: Told & { readonly since: number };
  /** In a few words; null while it lasts, and for one that never ends. */
  readonly over: string | null;
}

const quarters = [0.25, 0.5, 0.75] as const;

/** When a round was done: trained on, or, in a campaign that trains nothing, by the evaluation or the end after it. */
function doneAt(record: CampaignRecord, round: CampaignRound | undefined): number | null {
  return round?.update?.at ?? record.endedAt;
}

/** Everything that there is to tell of a campaign so far, oldest first. `now`: milliseconds since 1970. */
export function campaignAlerts(record: CampaignRecord, now: number): CampaignAlert[] {
  const { id, options, startedBy, startedAt } = record;
  const milestone = (key: string, since: number, text: string): CampaignAlert => ({
    told: { key: `campaign:${id}:${key}`, event: "campaign-milestone", text, roundId: null, since },
    over: null,
  });
  const alerts = [
    milestone(
      "started",
      startedAt,
      `Campaign ${id} was started by ${startedBy}: ${counted(options.rounds, "round")} with ${options.round.model}.`,
    ),
    ...quartersOf(record, now, milestone),
    ...bests(record, milestone),
    ...endOf(record, milestone),
    ...record.warnings.map((warning): CampaignAlert => {
      const { kind, since, until, message } = warning;
      const text = `Campaign ${id}, since round ${since}: ${message}`;
      const at = doneAt(record, record.rounds[since - 1]) ?? now;
      return {
        told: {
          key: `campaign-warning:${id}:${kind}:${since}`,
          event: "campaign-warning",
          text,
          roundId: null,
          resolves: true,
          since: at,
        },
        over: isOpen(warning) ? null : `no longer seen after round ${until}`,
      };
    }),
  ];
  return alerts.sort((a, b) => a.told.since - b.told.since);
}

type Milestone = (key: string, since: number, text: string) => CampaignAlert;

function quartersOf(record: CampaignRecord, now: number, milestone: Milestone): CampaignAlert[] {
  const { id, options, rounds } = record;
  return quarters.flatMap((quarter) => {
    const round = rounds[Math.ceil(quarter * options.rounds) - 1];
    if (round === undefined || round.summary === null || options.rounds < quarters.length + 1) return [];
    if (options.trainer !== "none" && round.update === null) return [];
    const { plainReturn, regret } = round.summary;
    const last = record.evaluations.at(-1);
    const heldOut = last === undefined ? "" : `, held-out success ${percentOf(last.success)}`;
    return [
      milestone(
        `${100 * quarter}`,
        doneAt(record, round) ?? now,
        `Campaign ${id} has done ${100 * quarter} % of its rounds: plain return ${score(plainReturn)}, regret ${score(regret)}${heldOut}.`,
      ),
    ];
  });
}

/** Evaluations that are better than all before them; the first is where it begins. */
function bests({ id, evaluations }: CampaignRecord, milestone: Milestone): CampaignAlert[] {
  let most = evaluations[0]?.success ?? 0;
  return evaluations.slice(1).flatMap(({ after, success, at }) => {
    if (success <= most) return [];
    const before = most;
    most = success;
    return [
      milestone(
        `best:${after}`,
        at,
        `Campaign ${id} has a new best after ${counted(after, "round")}: held-out success ${percentOf(success)}, before ${percentOf(before)}.`,
      ),
    ];
  });
}

function endOf(record: CampaignRecord, milestone: Milestone): CampaignAlert[] {
  const { id, status, endedAt, error, evaluations, rounds, options } = record;
  if (endedAt === null || status === "running") return [];
  const [first] = evaluations;
  const last = evaluations.at(-1);
  const learnt =
    first === undefined || last === undefined
      ? ""
      : `; held-out success ${percentOf(first.success)} at first, ${percentOf(last.success)} at the end`;
  const done = `${rounds.length} of ${counted(options.rounds, "round")}`;
  const texts = {
    finished: `Campaign ${id} is finished: ${done}${learnt}.`,
    stopped: `Campaign ${id} was stopped for good after ${done}.`,
    paused: `Campaign ${id} is paused after ${done}.`,
    failed: `Campaign ${id} failed after ${done}: ${error?.message ?? "nobody knows why."}`,
  };
  // One that goes on may end so again later, which is told anew.
  return [milestone(`${status}:${endedAt}`, endedAt, texts[status])];
}
