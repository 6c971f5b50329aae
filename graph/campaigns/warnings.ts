/**
 * Early warnings of a campaign that goes wrong, from its record alone: each says since when, and until when. They are
 * counted anew from every round each time, so that a kill changes none of them.
 */
import { z } from "zod";
import type { Config } from "../../config/schema.ts";
import type {
  CampaignRecord,
  CampaignRoundSummary,
  CampaignUpdate,
  CampaignWarning,
} from "../../store/campaign-records.ts";
import { average } from "../rewards/statistics.ts";

/** What there is to warn of. */
export const campaignWarningKinds = {
  diversity: "designs collapse onto few mechanics",
  "frontier-lost": "mean regret under the threshold for several rounds",
  "hint-below-plain": "the hint makes the agent worse",
  "too-easy": "the agent wins without a hint",
  "at-cap": "nearly every plain episode ends with the highest return",
  "pool-memorised": "ever fewer groups with any spread",
  "nothing-learnt": "the gap of the hint does not shrink, and plain return is flat",
  entropy: "the agent or the designer always chooses the same",
  "learning-rate": "updates are clipped too often",
  skipped: "rounds that could not be trained on",
} as const;
export type CampaignWarningKind = keyof typeof campaignWarningKinds;

/** Warnings that a record holds at most; the oldest that are over make room. */
const mostWarnings = 50;

/** Rounds whose mean stands for the present. */
const few = 5;
/** A fall to less than this part of the highest mean is a collapse. */
const collapsed = 0.5;
/** Means over fewer episodes than these are chance. */
const leastEpisodes = 60;
/** Fewer designs than these say little of diversity. */
const leastDesigns = 4;
/** How far the hinted arm may lie under the plain one by chance. */
const hintTolerance = 0.02;
const capShare = 0.9;
/** The share of groups with a spread that is too small to learn from, if it began higher. */
const leastSpread = 0.3;
const flat = 0.02;
/** A fall of a policy's entropy to less than this part of what it began with. */
const leastEntropy = 0.15;
const mostClipped = 0.3;

export function isOpen({ until }: Pick<CampaignWarning, "until">): boolean {
  return until === null;
}

const updateNumbers = z.object({
  clipFraction: z.number().nullable().optional(),
  agentEntropy: z.number().nullable().optional(),
  designerEntropy: z.number().nullable().optional(),
  skipped: z.string().optional(),
});
type UpdateNumbers = z.infer<typeof updateNumbers>;

/** What a trainer said of an update, as far as it is understood. */
export function numbersOf(update: CampaignUpdate | null): UpdateNumbers {
  return updateNumbers.safeParse(update?.statistics).data ?? {};
}

interface Seen extends CampaignRoundSummary, UpdateNumbers {
  readonly isDesigned: boolean;
}

/**
 * Reads a campaign's rounds once; what comes back answers with a sentence if the first `done` of them give cause. A
 * campaign has hundreds of rounds and is looked at after each, so an answer takes no longer the more there are.
 */
type Check = (rounds: readonly Seen[], watch: Config["watch"]) => (done: number) => string | null;

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const two = (value: number): string => value.toFixed(2);

/** The values of the latest `count` of `done` rounds; null unless all are known and enough was played. */
function latest(
  rounds: readonly Seen[],
  done: number,
  count: number,
  read: (round: Seen) => number | null | undefined,
): number[] | null {
  if (done < count) return null;
  const window = rounds.slice(done - count, done);
  if (window.reduce((sum, { episodes }) => sum + episodes, 0) < leastEpisodes) return null;
  const values = window.map(read);
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length < count ? null : known;
}

const gapOf = ({ plainReturn, hintedReturn }: Seen): number | null =>
  plainReturn === null || hintedReturn === null ? null : hintedReturn - plainReturn;

const spreadOf = ({ keptGroups, droppedGroups }: Seen): number | null =>
  keptGroups + droppedGroups === 0 ? null : keptGroups / (keptGroups + droppedGroups);

/** The values that are known, in order, and how many of them the first rounds have. */
class Known {
  readonly values: number[] = [];
  /** By the number of rounds. */
  readonly #counts: number[] = [0];

  constructor(rounds: readonly Seen[], read: (round: Seen) => number | null | undefined) {
    for (const round of rounds) {
      const value = read(round);
      if (value !== null && value !== undefined) this.values.push(value);
      this.#counts.push(this.values.length);
    }
  }

  /** How many of the first `done` rounds have a value. */
  among(done: number): number {
    return this.#counts[done] ?? this.values.length;
  }

  /** The latest few values of the first `done` rounds. */
  latest(done: number): number[] {
    const count = this.among(done);
    return this.values.slice(Math.max(0, count - few), count);
  }

  /** A fall of the mean of the latest few to less than a part of the mean of the first few. */
  fell(done: number, part: number): { readonly from: number; readonly to: number } | null {
    if (this.among(done) < 2 * few) return null;
    const from = average(this.values.slice(0, few));
    const to = average(this.latest(done));
    return from > 0 && to < part * from ? { from, to } : null;
  }
}

const checks: Readonly<Record<CampaignWarningKind, Check>> = {
  diversity(rounds) {
    const mechanics = new Known(rounds, (round) =>
      round.isDesigned && round.admitted >= leastDesigns ? round.mechanics : null,
    );
    /** The highest mean of a few up to each number of values. */
    const bests: number[] = [];
    for (const [i] of mechanics.values.entries()) {
      const now = i < few - 1 ? 0 : average(mechanics.values.slice(i - few + 1, i + 1));
      bests.push(Math.max(bests.at(-1) ?? 0, now));
    }
    return (done) => {
      const count = mechanics.among(done);
      if (count <= few) return null;
      const now = average(mechanics.latest(done));
      const best = bests[count - 1] ?? now;
      return now < collapsed * best
        ? `Designs collapse: ${two(now)} mechanics are in use, after ${two(best)} at best.`
        : null;
    };
  },
  "frontier-lost":
    (rounds, { frontierRegret, frontierRounds }) =>
    (done) => {
      const regrets = latest(rounds, done, frontierRounds, ({ regret }) => regret);
      return regrets?.every((regret) => regret < frontierRegret) === true
        ? `The frontier is lost: mean regret under ${two(frontierRegret)} for ${frontierRounds} rounds, now ${two(regrets.at(-1) ?? 0)}.`
        : null;
    },
  "hint-below-plain": (rounds) => (done) => {
    const gaps = latest(rounds, done, few, gapOf);
    return gaps !== null && average(gaps) < -hintTolerance
      ? `Hints do harm: hinted return is ${two(-average(gaps))} under plain return, mean of ${few} rounds.`
      : null;
  },
  "too-easy":
    (rounds, { easyReturn, frontierRounds }) =>
    (done) => {
      const returns = latest(rounds, done, frontierRounds, ({ plainReturn }) => plainReturn);
      return returns?.every((value) => value >= easyReturn) === true
        ? `It is too easy: mean plain return at least ${two(easyReturn)} for ${frontierRounds} rounds.`
        : null;
    },
  "at-cap":
    (rounds, { frontierRounds }) =>
    (done) => {
      const shares = latest(rounds, done, frontierRounds, ({ atCap }) => atCap);
      return shares?.every((share) => share >= capShare) === true
        ? `Returns are at the cap: ${percent(average(shares))} of plain episodes end with 1.`
        : null;
    },
  "pool-memorised"(rounds) {
    const spreads = new Known(rounds, spreadOf);
    return (done) => {
      const fall = spreads.fell(done, collapsed);
      return fall !== null && fall.to < leastSpread
        ? `The pool is learnt by heart: ${percent(fall.to)} of the groups have a spread, after ${percent(fall.from)} at the beginning.`
        : null;
    };
  },
  "nothing-learnt":
    (rounds, { frontierRegret }) =>
    (done) => {
      const gaps = latest(rounds, done, 2 * few, gapOf);
      const returns = latest(rounds, done, 2 * few, ({ plainReturn }) => plainReturn);
      if (gaps === null || returns === null) return null;
      const change = (values: readonly number[]): number =>
        average(values.slice(few)) - average(values.slice(0, few));
      const gap = average(gaps.slice(few));
      return gap >= frontierRegret && change(gaps) > -flat / 2 && change(returns) < flat
        ? `Nothing is learnt: for ${2 * few} rounds the gap of the hint does not shrink (${two(gap)}), and plain return is flat.`
        : null;
    },
  entropy(rounds) {
    const roles = [
      { who: "agent", known: new Known(rounds, (round) => round.agentEntropy) },
      { who: "designer", known: new Known(rounds, (round) => round.designerEntropy) },
    ];
    return (done) => {
      for (const { who, known } of roles) {
        const fall = known.fell(done, leastEntropy);
        if (fall === null) continue;
        return `The ${who} chooses ever the same: its entropy is ${two(fall.to)} nats, after ${two(fall.from)} at the beginning.`;
      }
      return null;
    };
  },
  "learning-rate"(rounds) {
    const clipped = new Known(rounds, ({ clipFraction, episodes }) =>
      episodes < leastEpisodes / few ? null : clipFraction,
    );
    return (done) => {
      const last = clipped.latest(done);
      return last.length === few && average(last) > mostClipped
        ? `The learning rate is too high: ${percent(average(last))} of the decisions were clipped in the last ${few} updates.`
        : null;
    };
  },
  skipped: (rounds) => (done) => {
    const why = rounds[done - 1]?.skipped;
    return why === undefined ? null : `The last round could not be trained on. ${why}`;
  },
};

/**
 * The warnings of a campaign, oldest first: one for each time that a check began to give cause, with the sentence of its
 * last round.
 */
export function campaignWarnings(
  { rounds, options }: Pick<CampaignRecord, "rounds" | "options">,
  watch: Config["watch"],
): CampaignWarning[] {
  const seen = rounds.flatMap(({ designs, summary, update }): Seen[] => {
    // A round counts once it was trained on, so that its numbers are all there.
    if (summary === null || (update === null && options.trainer !== "none")) return [];
    return [{ ...summary, ...numbersOf(update), isDesigned: designs }];
  });
  const warnings: CampaignWarning[] = [];
  for (const [kind, check] of Object.entries(checks)) {
    const answer = check(seen, watch);
    for (let done = 1; done <= seen.length; done += 1) {
      const message = answer(done);
      const last = warnings.at(-1);
      const open = last?.kind === kind && isOpen(last) ? last : null;
      if (open !== null) warnings.pop();
      if (message !== null) warnings.push({ kind, since: open?.since ?? done, until: null, message });
      else if (open !== null) warnings.push({ ...open, until: done });
    }
  }
  const over = warnings.filter((warning) => !isOpen(warning));
  const kept = new Set(over.sort((a, b) => (a.until ?? 0) - (b.until ?? 0)).slice(-mostWarnings));
  return warnings.filter((warning) => isOpen(warning) || kept.has(warning)).sort((a, b) => a.since - b.since);
}
