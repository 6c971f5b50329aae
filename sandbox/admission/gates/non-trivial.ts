/** non-trivial: random legal play succeeds in under 15 % of its episodes, in every style of playing at random. */
import type { PlayStyle } from "../mining/player.ts";
import { percent, quote } from "../sentences.ts";
import { fail, isSuccess, type Judgement, type Play, pass, type Subject, unknown } from "./gate.ts";
import { playRandomly } from "./random-play.ts";

const successShare = 0.15;
/** Over all styles together. */
const episodesAtLeast = 42;
/** A style that won plays on to so many, and on again while its share is too near the limit to be told from it. */
const episodesWhenWon = 64;
const episodesAtMost = 256;
const nearShare = 0.07;

export async function judgeNonTrivial(subject: Subject): Promise<Judgement> {
  const { evidence } = subject;
  const styles = evidence.player?.styles ?? [];
  if (evidence.instances.length === 0 || styles.length === 0) {
    return unknown("No episode could be started; see contract.");
  }
  const each = Math.ceil(episodesAtLeast / styles.length);
  const all: Play[] = [];
  let worst = { style: styles[0] as PlayStyle, plays: [] as Play[], share: 0 };
  for (const style of styles) {
    const plays = await playRandomly(subject, style, all.length, each);
    if (plays === null) {
      return unknown(
        "No legal action could be found in the first observation, the tools or the solutions of other seeds. State the commands in the first observation.",
      );
    }
    const decided = await playOn(subject, style, plays);
    all.push(...decided);
    const share = decided.filter(({ steps }) => isSuccess(steps)).length / decided.length;
    if (share > worst.share) worst = { style, plays: decided, share };
  }
  evidence.plays = all;
  const won = worst.plays.filter(({ steps }) => isSuccess(steps));
  const counted = `${won.length} of ${worst.plays.length} episodes (${percent(won.length, worst.plays.length)})`;
  if (worst.share < successShare) {
    return pass(`Random legal play won ${worst.share === 0 ? `none of ${all.length} episodes` : counted}.`);
  }
  const shown = won[0];
  return fail(
    `Random legal play wins ${counted}; it must be under 15 %. E.g. on seed ${shown?.instance.seed} it won in ${shown?.steps.length} turns, the last action being ${quote(shown?.actions[(shown?.steps.length ?? 1) - 1] ?? "")}. Make winning take several right decisions, more possibilities or fewer attempts.`,
  );
}

async function playOn(subject: Subject, style: PlayStyle, plays: readonly Play[]): Promise<Play[]> {
  const all = [...plays];
  for (let enough = episodesWhenWon; enough <= episodesAtMost; enough *= 2) {
    const won = all.filter(({ steps }) => isSuccess(steps)).length;
    const near = Math.abs(won / all.length - successShare) < nearShare;
    if (won === 0 || (all.length >= episodesWhenWon && !near)) break;
    const further = await playRandomly(subject, style, 1_000 + all.length, enough - all.length);
    if (further === null) break;
    all.push(...further);
  }
  return all;
}
