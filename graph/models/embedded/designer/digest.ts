/** What the memory's digest tells the designer: regret to seek, what is new, and what was too easy or too hard. */

/** One line of the digest. */
interface TagLine {
  readonly plays: number;
  readonly winRate: number;
  /** Null while unknown. */
  readonly regret: number | null;
}

export type Digest = ReadonlyMap<string, TagLine>;

const lineForm =
  /^(.+?): plays ([\d.]+), win rate (unknown|-?[\d.]+), regret (unknown|-?[\d.]+), stderr (?:unknown|-?[\d.]+), age \d+$/gm;

/** Reads the digest's lines (graph/memory/digest.ts writes them); lines of another form are passed over. */
export function readDigest(text: string): Digest {
  const digest = new Map<string, TagLine>();
  for (const [, tag = "", plays, winRate, regret] of text.matchAll(lineForm)) {
    digest.set(tag, {
      plays: Number(plays),
      winRate: winRate === "unknown" ? 0.5 : Number(winRate),
      regret: regret === "unknown" ? null : Number(regret),
    });
  }
  return digest;
}

/** Plays after which a tag counts as half known. */
const halfKnown = 24;

interface Knowledge {
  readonly regret: number;
  /** 1 = never played. */
  readonly novelty: number;
  /** 0 to 1: how far the win rate is above 0.85, or below 0.15 with no regret to show for it. */
  readonly easy: number;
  readonly hard: number;
}

function knowledgeOf(
  lines: readonly { readonly line: TagLine; readonly weight: number }[],
  mean: number,
): Knowledge {
  let plays = 0;
  let regret = 0;
  let winRate = 0;
  for (const { line, weight } of lines) {
    plays += weight * line.plays;
    regret += weight * line.plays * (line.regret ?? mean);
    winRate += weight * line.plays * line.winRate;
  }
  if (plays <= 0) return { regret: mean, novelty: 1, easy: 0, hard: 0 };
  regret /= plays;
  winRate /= plays;
  // A low win rate alone is no fault: where a hint helps much, there is something to learn.
  const hopeless = Math.max(0, 1 - Math.max(0, regret) / 0.2);
  return {
    regret,
    novelty: halfKnown / (halfKnown + plays),
    easy: clamp((winRate - 0.85) / 0.15),
    hard: clamp((0.15 - winRate) / 0.15) * hopeless,
  };
}

/** Logits added to the mechanics: + 6 regret + 1.5 novelty − 1.5 easy. */
export function mechanicBias(digest: Digest, names: readonly string[]): number[] {
  const mean = meanRegret(digest, names);
  return names.map((name) => {
    const line = digest.get(name);
    const known = knowledgeOf(line === undefined ? [] : [{ line, weight: 1 }], mean);
    return 6 * known.regret + 1.5 * known.novelty - 1.5 * known.easy;
  });
}

/** Logits added to the sizes of a mechanic: + 10 regret + 0.5 novelty − 3 easy − 3 hard; neighbours at half weight. */
export function sizeBias(digest: Digest, mechanic: string, sizes: readonly number[]): number[] {
  const tag = (size: number) => `${mechanic}/size-${size}`;
  const mean = meanRegret(digest, [mechanic]);
  return sizes.map((size) => {
    const lines = [
      [size, 1],
      [size - 1, 0.5],
      [size + 1, 0.5],
    ] as const;
    const found = lines.flatMap(([near, weight]) => {
      const line = digest.get(tag(near));
      return line === undefined ? [] : [{ line, weight }];
    });
    const known = knowledgeOf(found, mean);
    return 10 * known.regret + 0.5 * known.novelty - 3 * known.easy - 3 * known.hard;
  });
}

/** What is taken for the regret of something unknown: the mean over what is known, by plays. */
function meanRegret(digest: Digest, names: readonly string[]): number {
  let plays = 0;
  let sum = 0;
  for (const name of names) {
    const line = digest.get(name);
    if (line === undefined || line.regret === null) continue;
    plays += line.plays;
    sum += line.plays * line.regret;
  }
  return plays > 0 ? sum / plays : 0;
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
