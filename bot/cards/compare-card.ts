/** How people and the model did on one environment, seed by seed: the same seed is the same instance for everybody. */
import type { EnvironmentRecord, EpisodeRecord } from "../../store/records.ts";
import { type Block, type Button, type Card, card, field, fields, type Row, table, text } from "./card.ts";
import { armText } from "./environment-card.ts";
import { counted, score } from "./numbers.ts";

/** One play of a person. */
export interface PersonPlay {
  readonly episodeId: string;
  readonly return: number | null;
  readonly turns: number;
  readonly hintSeen: boolean;
}

export interface PersonOnSeed {
  readonly player: string;
  readonly plays: number;
  readonly latest: PersonPlay;
  /** The one with the largest return; of equals, the one without the hint, then the newest. */
  readonly best: PersonPlay;
}

/** The model's plays of an arm on one seed; the mean is null where all failed for our own reasons. */
export interface ModelOnSeed {
  readonly arm: "plain" | "hinted" | "hinted-human";
  readonly plays: number;
  readonly mean: number | null;
}

export interface SeedComparison {
  readonly seed: number;
  /** Best first. */
  readonly people: readonly PersonOnSeed[];
  readonly model: readonly ModelOnSeed[];
}

const modelArms = ["plain", "hinted", "hinted-human"] as const;

function personOn(player: string, episodes: readonly EpisodeRecord[]): PersonOnSeed | null {
  const plays = episodes.map((episode) => ({
    episodeId: episode.id,
    return: episode.return,
    turns: episode.turns,
    hintSeen: episode.hintId !== null,
  }));
  const latest = plays.at(-1);
  if (latest === undefined) return null;
  const best = plays.reduce((one, other) => {
    const more = (other.return ?? -2) - (one.return ?? -2);
    return more > 0 || (more === 0 && (!other.hintSeen || one.hintSeen)) ? other : one;
  });
  return { player, plays: plays.length, latest, best };
}

function modelOn(episodes: readonly EpisodeRecord[]): ModelOnSeed[] {
  return modelArms.flatMap((arm) => {
    const own = episodes.filter((episode) => episode.arm === arm);
    if (own.length === 0) return [];
    const returns = own.flatMap((episode) => (episode.return === null ? [] : [episode.return]));
    const sum = returns.reduce((total, one) => total + one, 0);
    return [{ arm, plays: own.length, mean: returns.length === 0 ? null : sum / returns.length }];
  });
}

/**
 * The seeds that people played, or the given one whoever played it; the one that was played last first. `episodes`: all of
 * the environment, oldest first.
 */
export function compareSeeds(episodes: readonly EpisodeRecord[], seed?: number): SeedComparison[] {
  const bySeed = Map.groupBy(episodes, (episode) => episode.seed);
  const played = episodes.filter(({ arm }) => arm === "human").map((episode) => episode.seed);
  const seeds = seed === undefined ? new Set(played.reverse()) : new Set([seed]);
  return [...seeds].map((one) => {
    const own = bySeed.get(one) ?? [];
    const people = Map.groupBy(
      own.filter(({ arm }) => arm === "human"),
      ({ player }) => player,
    );
    return {
      seed: one,
      people: [...people]
        .flatMap(([player, plays]) => personOn(player, plays) ?? [])
        .sort((a, b) => (b.best.return ?? -2) - (a.best.return ?? -2)),
      model: modelOn(own),
    };
  });
}

/** Seeds that a card shows at most. */
const shownSeeds = 12;

const withHintMark = ({ return: got, hintSeen }: PersonPlay): string =>
  `${score(got)}${hintSeen ? " (hint)" : ""}`;

function rowsOf({ seed, people, model }: SeedComparison): Row[] {
  const rows = [
    ...people.map(({ player, plays, latest, best }) => [
      player,
      String(seed),
      withHintMark(latest),
      withHintMark(best),
      "",
      String(plays),
    ]),
    ...model.map(({ arm, plays, mean }) => [
      `model, ${arm}`,
      String(seed),
      "",
      "",
      score(mean),
      String(plays),
    ]),
  ];
  return rows.map((cells) => ({ cells }));
}

export function compareCard(
  environment: EnvironmentRecord,
  compared: readonly SeedComparison[],
  seed?: number,
): Card {
  const blocks: Block[] = [];
  const rows = compared.slice(0, shownSeeds).flatMap(rowsOf);
  if (rows.length > 0) {
    const number = { align: "right" } as const;
    const columns = [
      { title: "who", squeezeTo: 10 },
      { title: "seed", ...number },
      { title: "latest", ...number },
      { title: "best", ...number },
      { title: "mean", ...number },
      { title: "plays", ...number },
    ];
    blocks.push(table(columns, rows));
  }
  if (compared.length > shownSeeds) {
    blocks.push(text(`And ${counted(compared.length - shownSeeds, "more seed")}: name one to see it.`));
  }
  if (!compared.some(({ people }) => people.length > 0)) {
    const what = seed === undefined ? "it" : `seed ${seed}`;
    blocks.push(text(`Nobody has played ${what} yet.`));
  }
  const measured = environment.score;
  if (measured === null) blocks.push(text("The model has not been measured on it."));
  else {
    blocks.push(
      text("The model over all seeds:"),
      fields(field("plain", armText(measured.plain)), field("hinted", armText(measured.hinted))),
    );
  }
  const first = seed ?? compared[0]?.seed;
  const id = environment.id;
  const buttons: Button[] = [
    first === undefined
      ? { label: "Play", command: "env play", options: { id } }
      : { label: `Play seed ${first}`, command: "env play", options: { id, seed: first } },
    { label: "Show the environment", command: "env show", options: { id } },
  ];
  if (measured === null && environment.status === "admitted") {
    buttons.push({ label: "Measure the model on it", command: "env measure", options: { id } });
  }
  return card(`${id} ${environment.name}: people and the model`, { blocks, buttons });
}
