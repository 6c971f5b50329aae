/** What a person sees who plays an environment: its beginning, each turn, and the end beside what the model does. */
import type { HumanPlay, HumanTurn } from "../../graph/human-play.ts";
import type { EnvironmentRecord, EpisodeRecord } from "../../store/records.ts";
import { type Button, type Card, card, field, fields, text } from "./card.ts";
import { armText } from "./environment-card.ts";
import { counted, score } from "./numbers.ts";

/** How to use tools, and what they are. */
export function toolsText(tools: HumanPlay["tools"]): string {
  const listed = tools.map(
    (tool) => `  ${tool.name} ${JSON.stringify(tool.parameters)}\n    ${tool.description}`,
  );
  return `Type: name {"key": "value"}, and at the end: answer TEXT.\n${listed.join("\n")}`;
}

/** The beginning of a play. */
export function firstText(
  play: Pick<HumanPlay, "environment" | "seed" | "firstObservation" | "tools" | "turnCap">,
): string {
  const title = `${play.environment.id} ${play.environment.name}, seed ${play.seed}, at most ${counted(play.turnCap, "turn")}`;
  const listed = play.tools.length === 0 ? "" : `\n\nTools. ${toolsText(play.tools)}`;
  return `${title}\n\n${play.firstObservation}${listed}`;
}

/** What one action led to. */
export function turnText(turn: HumanTurn): string {
  if (turn.failure !== null) return `The environment failed: ${turn.failure.detail}`;
  const end = turn.terminated
    ? ", the end"
    : turn.truncated
      ? ", cut off"
      : turn.over
        ? ", out of turns"
        : "";
  return `${turn.observation}\n(reward ${score(turn.reward)}${end})`;
}

/** How a person stands against the model, in one sentence; null where there is nothing to compare. */
function comparison(episode: EpisodeRecord, environment: EnvironmentRecord): string | null {
  const mean = environment.score?.plain.meanReturn ?? null;
  if (mean === null || episode.return === null) return null;
  const difference = episode.return - mean;
  if (Math.abs(difference) < 0.005) return "You did as well as the model without a hint.";
  return `You returned ${score(Math.abs(difference))} ${difference > 0 ? "more" : "less"} than the model without a hint.`;
}

/** `shared`: whether the play was seen by everybody in its channel, as the next one then is. */
export function playedCard(
  episode: EpisodeRecord,
  environment: EnvironmentRecord,
  { shared = false }: { readonly shared?: boolean } = {},
): Card {
  const said = comparison(episode, environment);
  const end = episode.failure?.detail ?? (episode.terminated ? "terminated" : "out of turns");
  const instance = { id: environment.id, seed: episode.seed };
  const buttons: Button[] = [
    {
      label: "Play the same seed again",
      command: "env play",
      options: shared ? { ...instance, shared } : instance,
    },
    { label: "Compare", command: "env compare", options: instance },
    { label: "Read it again", command: "episode", options: { id: episode.id } },
  ];
  return card(`${environment.id} ${environment.name}: return ${score(episode.return)}`, {
    tone: (episode.return ?? 0) > 0 ? "good" : "plain",
    blocks: [
      fields(
        field("you", `${score(episode.return)} in ${counted(episode.turns, "turn")}, ${end}`),
        field("hint", episode.hintId === null ? "not seen" : "seen"),
        field("model, plain", armText(environment.score?.plain ?? null)),
        field("model, hinted", armText(environment.score?.hinted ?? null)),
        field("seed", String(episode.seed)),
        field("kept as", episode.id),
      ),
      ...(said === null ? [] : [text(said)]),
    ],
    buttons:
      environment.score === null && environment.status === "admitted"
        ? [...buttons, measure(environment)]
        : buttons,
  });
}

function measure(environment: EnvironmentRecord): Button {
  return { label: "Measure the model on it", command: "env measure", options: { id: environment.id } };
}
