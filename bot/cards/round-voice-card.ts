/** Cards of a round's voices: a design with its reasons, several designs in short, and one episode played twice. */
import { z } from "zod";
import { failedGates } from "../../graph/gates.ts";
import type { Transcript } from "../../graph/transcript.ts";
import { lastBoxed } from "../../sandbox/actions.ts";
import type { EnvironmentRecord, EpisodeRecord } from "../../store/records.ts";
import {
  type Block,
  type Button,
  type Card,
  type CardFile,
  card,
  type Field,
  field,
  fields,
  table,
  text,
  verbatim,
} from "./card.ts";
import { endOf } from "./episode-card.ts";
import { oneLine, shorten } from "./harmless.ts";
import { counted, score } from "./numbers.ts";

export interface DesignVoice {
  readonly record: EnvironmentRecord;
  /** What the designer said beside its code; empty if nothing. */
  readonly words: string;
  /** What of the memory the designer was shown: what to learn from, and what to stay away from. */
  readonly memory: { readonly good: readonly string[]; readonly bad: readonly string[] };
  readonly documentTitle: string | null;
}

/** A longer text goes along as a file, so that a renderer can show its beginning alone. */
const longCharacters = 700;
const longLines = 14;
const sentenceCharacters = 300;
/** Two lines of a column on a telephone. */
const actionCharacters = 32;
const shownTurns = 12;
const shownExamples = 3;

/** Admitted or rejected; one that stopped in between counts as rejected. */
function verdictOf({ status }: EnvironmentRecord): "admitted" | "rejected" {
  return status === "admitted" || status === "retired" ? "admitted" : "rejected";
}

function reasonsOf({ gates, reason }: EnvironmentRecord): string[] {
  const failed = failedGates(gates).filter(({ verdict }) => verdict === "fail");
  if (failed.length === 0) return reason === null ? [] : [oneLine(reason)];
  return failed.map(({ gate, detail }) => `${gate}: ${shorten(oneLine(detail), sentenceCharacters)}`);
}

/** Files of those texts that are too long for a post. */
function filesOf(texts: Readonly<Record<string, string>>): CardFile[] {
  return Object.entries(texts)
    .filter(([, content]) => content.length > longCharacters || content.split("\n").length > longLines)
    .map(([name, content]) => ({ name, text: content }));
}

function repairsField({ repairs }: EnvironmentRecord): Field | null {
  if (repairs === 0) return null;
  return field("repairs", `it went back to its designer ${repairs === 1 ? "once" : `${repairs} times`}`);
}

function examplesField(name: string, examples: readonly string[]): Field | null {
  if (examples.length === 0) return null;
  const more = examples.length > shownExamples ? ` and ${examples.length - shownExamples} more` : "";
  return field(name, `${examples.slice(0, shownExamples).join(", ")}${more}`);
}

/** One design: what it is, why it is so, and what admission said. */
export function designCard({ record, words, memory, documentTitle }: DesignVoice): Card {
  const verdict = verdictOf(record);
  const reasons = verdict === "rejected" ? reasonsOf(record) : [];
  const blocks: Block[] = [
    fields(
      record.skill === null ? null : field("skill", record.skill),
      field("kind", [record.kind, record.difficulty].filter((one) => one !== null).join(", ")),
      record.documentId === null ? null : field("document", documentTitle ?? record.documentId),
      examplesField("learnt from", memory.good),
      examplesField("stays away from", memory.bad),
      repairsField(record),
    ),
  ];
  if (words !== "") blocks.push(verbatim("Its designer says", words));
  if (reasons.length > 0) blocks.push(text(reasons.join("\n")));
  const observation = verdict === "admitted" ? record.firstObservation : "";
  if (observation !== "") blocks.push(verbatim("First observation", observation));
  return card(`${record.id} ${record.name}: ${verdict}`, {
    tone: verdict === "admitted" ? "good" : "warning",
    blocks,
    files: filesOf({ [`${record.id}-designer.txt`]: words, [`${record.id}-observation.txt`]: observation }),
    buttons: looks(record),
  });
}

function looks(record: EnvironmentRecord): Button[] {
  const options = { id: record.id };
  const look: Button = { label: "Look at it", command: "env show", options };
  if (verdictOf(record) === "rejected") return [look];
  return [look, { label: "Play it yourself", command: "env play", options }];
}

/** Several designs in one post, a field each. */
export function designsCard(designs: readonly DesignVoice[]): Card {
  const admitted = designs.filter(({ record }) => verdictOf(record) === "admitted").length;
  const ids = [designs[0]?.record.id, designs.at(-1)?.record.id].join(" to ");
  return card(`Designs ${ids}: ${admitted} admitted, ${designs.length - admitted} rejected`, {
    tone: admitted > 0 ? "good" : "warning",
    blocks: [
      fields(
        ...designs.map(({ record, words }) => {
          const { skill, difficulty, repairs } = record;
          const said = verdictOf(record) === "admitted" ? oneLine(words) : (reasonsOf(record)[0] ?? "");
          const facts = [
            verdictOf(record),
            skill,
            difficulty,
            repairs === 0 ? null : counted(repairs, "repair"),
          ];
          const line = facts.filter((one) => one !== null).join(", ");
          return field(
            `${record.id} ${record.name}`,
            said === "" ? line : `${line}. ${shorten(said, sentenceCharacters)}`,
          );
        }),
      ),
    ],
  });
}

interface PlayedEpisode {
  readonly episode: EpisodeRecord;
  readonly transcript: Transcript;
}

export interface EpisodesVoice {
  readonly environment: EnvironmentRecord;
  readonly hint: string;
  readonly plain: PlayedEpisode;
  readonly hinted: PlayedEpisode;
}

const toolCall = z.object({ name: z.string(), arguments: z.record(z.string(), z.json()).default({}) });

/** An action without its wrapping: a bare command, a tool's name with its values, an answer. */
function inShort(action: string): string {
  const answer = /<answer>([\s\S]*?)<\/answer>/i.exec(action)?.[1];
  if (answer !== undefined) return `answer ${answer.trim()}`;
  const called = /<tool_call>([\s\S]*?)<\/tool_call>/i.exec(action)?.[1];
  if (called === undefined) return lastBoxed(action) ?? action;
  try {
    const { name, arguments: given } = toolCall.parse(JSON.parse(called));
    const values = Object.values(given).map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
    return [name, ...values].join(" ");
  } catch {
    return called;
  }
}

function outcome({ episode }: PlayedEpisode): string {
  return `return ${score(episode.return)} in ${counted(episode.turns, "turn")}, ${endOf(episode)}`;
}

function wholeText({ episode, transcript }: PlayedEpisode): string {
  const turns = transcript.turns.map(
    ({ said, observation, reward }, at) =>
      `--- turn ${at + 1}, ${episode.player}\n${said}\n--- environment, reward ${reward}\n${observation}`,
  );
  return [transcript.firstObservation, ...turns].join("\n");
}

/** One instance played without and with the hint, turn beside turn; the whole of both is attached. */
export function episodesVoiceCard({ environment, hint, plain, hinted }: EpisodesVoice): Card {
  const turns = Math.max(plain.transcript.turns.length, hinted.transcript.turns.length);
  const action = ({ transcript }: PlayedEpisode, at: number): string => {
    const turn = transcript.turns[at];
    if (turn === undefined) return "";
    return shorten(oneLine(inShort(turn.action === "" ? turn.said : turn.action)), actionCharacters);
  };
  const rows = Array.from({ length: Math.min(turns, shownTurns) }, (_, at) => ({
    cells: [String(at + 1), action(plain, at), action(hinted, at)],
  }));
  const columns = [
    { title: "turn", align: "right" as const },
    { title: "without the hint", squeezeTo: 16 },
    { title: "with the hint", squeezeTo: 16 },
  ];
  const blocks: Block[] = [
    fields(
      field("without the hint", outcome(plain)),
      field("with the hint", outcome(hinted)),
      field("seed", String(plain.episode.seed)),
    ),
    verbatim("The hint", hint),
    table(columns, rows),
  ];
  if (turns > shownTurns)
    blocks.push(text(`And ${counted(turns - shownTurns, "turn")} more: see the files.`));
  return card(`One instance of ${environment.id} ${environment.name}, played twice`, {
    blocks,
    files: [plain, hinted].map((played) => ({
      name: `${played.episode.environmentId}-${played.episode.arm}.txt`,
      text: wholeText(played),
    })),
    buttons: [
      { label: "Read it without", command: "episode", options: { id: plain.episode.id } },
      { label: "Read it with", command: "episode", options: { id: hinted.episode.id } },
    ],
  });
}
