/** A person's play in a chat, between two turns: what they see, and every next step as a button. */
import type { HumanPlay } from "../../graph/human-play.ts";
import type { SessionRecord } from "../../store/chat-records.ts";
import { type Block, type Button, type Card, card, field, fields, text, verbatim } from "./card.ts";
import { oneLine, shorten } from "./harmless.ts";
import { score, unknown } from "./numbers.ts";
import { toolsText } from "./play-card.ts";

export type PlayView = Pick<
  HumanPlay,
  "environment" | "firstObservation" | "tools" | "turnCap" | "taken" | "hasHint" | "hintShown"
>;

export interface SessionCardOptions {
  /** Actions to offer as buttons. */
  readonly actions: readonly { readonly label: string; readonly action: string }[];
  /** Something to say first; null if there is nothing. */
  readonly note: string | null;
}

/** Turns that are shown in a line each, and the length of such a line. */
const shownTurns = 6;
const lineCharacters = 140;
/** Of a name in the title, which ends with what changes. */
const nameCharacters = 60;

/** The turns before the last one, a line each: what was done and what came of it. */
function history({ taken }: PlayView): Block[] {
  const before = taken.slice(-shownTurns - 1, -1);
  if (before.length === 0) return [];
  const first = taken.length - 1 - before.length;
  const lines = before.map((turn, at) =>
    shorten(`${first + at + 1}. ${oneLine(turn.said)} → ${oneLine(turn.observation)}`, lineCharacters),
  );
  return [verbatim("Before that", lines.join("\n"))];
}

function steps({ id, actions: taken }: SessionRecord, view: PlayView, listed: SessionCardOptions["actions"]) {
  const turn = taken.length;
  const buttons: Button[] = listed.map(({ label, action }) => ({
    label,
    command: "play act",
    options: { id, turn, action },
    chatOnly: true,
  }));
  buttons.push({
    label: listed.length === 0 ? "Type an action" : "Type another",
    command: "play act",
    options: { id, turn },
    ask: ["action"],
    tone: "good",
    chatOnly: true,
  });
  if (view.hasHint && view.hintShown === null) {
    buttons.push({ label: "Reveal hint", command: "play hint", options: { id }, chatOnly: true });
  }
  buttons.push({ label: "Give up", command: "play give-up", options: { id }, tone: "bad", chatOnly: true });
  return buttons;
}

export function sessionCard(
  session: SessionRecord,
  view: PlayView,
  { actions, note }: SessionCardOptions,
): Card {
  const { environment, taken, hintShown } = view;
  const last = taken.at(-1);
  const blocks: Block[] = [
    ...(note === null ? [] : [text(note)]),
    fields(
      field("player", session.player.name),
      field("seed", String(session.seed)),
      // What the play would return if it ended with this turn.
      field("score so far", last === undefined ? unknown : score(last.reward)),
      field("hint", hintShown !== null ? "seen" : view.hasHint ? "not seen" : "there is none"),
    ),
  ];
  if (last !== undefined) {
    blocks.push(verbatim(`After “${shorten(oneLine(last.said), 60)}”`, last.observation), ...history(view));
  }
  if (hintShown !== null) blocks.push(verbatim("Hint", hintShown));
  blocks.push(verbatim("The beginning", view.firstObservation));
  if (view.tools.length > 0) blocks.push(verbatim("Tools", toolsText(view.tools)));
  const name = shorten(oneLine(environment.name), nameCharacters);
  return card(`${environment.id} ${name}: turn ${taken.length + 1} of ${view.turnCap}`, {
    blocks,
    buttons: steps(session, view, actions),
  });
}
