/** Cards of episodes: the table of a round's, and one whole transcript, turn by turn. */
import type { Transcript, Turn } from "../../graph/transcript.ts";
import type { EpisodeRecord } from "../../store/records.ts";
import { type Block, type Card, card, field, fields, table, text, verbatim } from "./card.ts";
import { duration, moment, score } from "./numbers.ts";

/** How an episode ended, in words. */
export function endOf(episode: Pick<EpisodeRecord, "terminated" | "truncated" | "failure">): string {
  if (episode.failure !== null) return episode.failure.code;
  if (episode.terminated) return "terminated";
  return episode.truncated ? "truncated" : "out of turns";
}

export function episodesCard(roundId: string, episodes: readonly EpisodeRecord[]): Card {
  if (episodes.length === 0) {
    return card(`Episodes of round ${roundId}`, { blocks: [text("There are none.")] });
  }
  const columns = [
    { title: "id", squeezeTo: 14 },
    { title: "arm", plain: true as const },
    { title: "seed", align: "right" as const },
    { title: "return", align: "right" as const },
    { title: "turns", align: "right" as const },
    { title: "end", squeezeTo: 10, plain: true as const },
  ];
  const rows = episodes.map((episode) => ({
    cells: [
      episode.id,
      episode.arm,
      String(episode.seed),
      score(episode.return),
      String(episode.turns),
      endOf(episode),
    ],
  }));
  const first = episodes[0];
  return card(`Episodes of round ${roundId}`, {
    blocks: [table(columns, rows)],
    buttons:
      first === undefined ? [] : [{ label: "Read one", command: "episode", options: { id: first.id } }],
  });
}

function turnBlocks(turn: Turn, at: number, player: string): Block[] {
  const ended = turn.terminated ? ", terminated" : turn.truncated ? ", truncated" : "";
  const blocks: Block[] = [verbatim(`Turn ${at + 1}, ${player}`, turn.said === "" ? "(nothing)" : turn.said)];
  if (!turn.said.includes(turn.action)) blocks.push(verbatim(`Turn ${at + 1}, action`, turn.action));
  blocks.push(verbatim(`Turn ${at + 1}, environment: reward ${turn.reward}${ended}`, turn.observation));
  return blocks;
}

export function episodeCard(episode: EpisodeRecord, transcript: Transcript): Card {
  const blocks: Block[] = [
    fields(
      field("environment", episode.environmentId),
      field("arm", episode.arm),
      field("player", episode.player),
      episode.policyVersion === null ? null : field("policy", episode.policyVersion),
      field("seed", String(episode.seed)),
      field("return", score(episode.return)),
      field("end", endOf(episode)),
      episode.failure === null ? null : field("failure", episode.failure.detail),
      field("turns", String(episode.turns)),
      field("played", `${moment(episode.startedAt)}, ${duration(episode.endedAt - episode.startedAt)}`),
    ),
  ];
  if (transcript.system !== "") blocks.push(verbatim("System", transcript.system));
  blocks.push(verbatim("First observation", transcript.firstObservation));
  blocks.push(...transcript.turns.flatMap((turn, at) => turnBlocks(turn, at, episode.player)));
  return card(`Episode ${episode.id}`, { blocks });
}
