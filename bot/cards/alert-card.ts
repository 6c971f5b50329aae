/** The card of alerts of one kind: what came up, and what is over again. */
import { type Alert, watchEvents } from "../watch/alert.ts";
import { type Block, type Button, type Card, card, type Tone, text } from "./card.ts";
import { counted } from "./numbers.ts";

const bad: ReadonlySet<string> = new Set(["round-failed", "provider", "queue-stuck"]);

function lineOf(alert: Alert, moment: (at: number) => string): string {
  if (alert.resolvedAt === null) return alert.text;
  return `Over${alert.resolution === null ? "" : ` (${alert.resolution})`}, ${moment(alert.resolvedAt)}: ${alert.text}`;
}

function toneOf(alerts: readonly Alert[]): Tone {
  const open = alerts.filter(({ resolvedAt }) => resolvedAt === null);
  if (open.length === 0) return "good";
  if (open.some(({ event }) => bad.has(event))) return "bad";
  return open.every(({ event }) => event === "round-finished") ? "good" : "warning";
}

function buttonsOf(alerts: readonly Alert[]): Button[] {
  const open = alerts.filter(({ resolvedAt }) => resolvedAt === null);
  const rounds = [...new Set(open.map(({ roundId }) => roundId).filter((id) => id !== null))];
  if (open.some(({ event }) => event === "approval-waiting")) {
    return [{ label: "See what waits", command: "approve", options: {} }];
  }
  const [only] = rounds;
  if (rounds.length !== 1 || only === undefined) return [{ label: "Status", command: "status", options: {} }];
  const label = open.every(({ event }) => event === "round-finished") ? "Its result" : "Go on with it";
  return [{ label, command: "resume", options: { id: only } }];
}

/** `moment` draws a time as the surface does. All alerts are of one event. */
export function alertCard(alerts: readonly Alert[], moment: (at: number) => string): Card {
  const [first] = alerts;
  if (first === undefined) return card("Nothing to tell", { blocks: [] });
  const what = watchEvents[first.event];
  const blocks: Block[] = alerts.map((alert) => text(lineOf(alert, moment)));
  const title =
    alerts.length === 1 ? `Watch: ${what}` : `Watch: ${what} (${counted(alerts.length, "alert")})`;
  return card(title, { tone: toneOf(alerts), blocks, buttons: buttonsOf(alerts) });
}
