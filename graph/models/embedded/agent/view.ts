/** What a player knows in the middle of an episode: the commands it may use and what every turn showed. */
import type { EnvironmentKind } from "../../../../config/words.ts";
import type { ToolDefinition } from "../../../../sandbox/sandbox.ts";
import type { Beginning, Conversation, Exchange } from "../conversation.ts";
import { type Command, readCommands, stateKeys } from "../mechanics/conventions.ts";
import { oncePer } from "../per-message.ts";
import { completeSlots, mineCommands } from "./mining.ts";

/** One turn: what was done and what it showed. The first moment has no action. */
export interface Moment {
  readonly action: string | null;
  readonly observation: string;
  /** The lines `Key: value` of the observation; of a key that stands twice, the later value. */
  readonly state: ReadonlyMap<string, string>;
}

export interface View {
  readonly kind: EnvironmentKind;
  readonly rules: string;
  readonly commands: readonly Command[];
  readonly tools: readonly ToolDefinition[];
  /** In order; at least one. */
  readonly moments: readonly Moment[];
}

/** A strategy's procedure: the next command (or tool call) that it calls for, or null where it has nothing to say. */
export type Procedure = (view: View) => string | null;

const stateLine = /^([A-Z][a-z]{1,20}): (.*)$/gm;

function momentOf(action: string | null, observation: string): Moment {
  const state = new Map<string, string>();
  for (const match of observation.matchAll(stateLine)) state.set(match[1] ?? "", (match[2] ?? "").trim());
  return { action, observation, state };
}

/** What a beginning says of the environment; commands that no convention lists are mined from the text. */
const readBeginning = oncePer(
  ({ kind, rules, tools }: Beginning): Omit<View, "moments"> & { first: Moment } => {
    const listed = kind === "game" ? readCommands(rules) : [];
    return {
      kind,
      rules,
      tools,
      commands: kind === "game" && listed.length === 0 ? mineCommands(rules) : completeSlots(listed, rules),
      first: momentOf(null, rules),
    };
  },
);

const readExchange = oncePer(({ action, observation }: Exchange) => momentOf(action, observation));

/** Reads a conversation. */
export function readView({ beginning, exchanges }: Conversation): View {
  const { first, ...known } = readBeginning(beginning);
  return { ...known, moments: [first, ...exchanges.map(readExchange)] };
}

/** The value that a state line had last, null if no observation had it. */
export function current(view: View, key: string): string | null {
  for (let i = view.moments.length - 1; i >= 0; i -= 1) {
    const value = view.moments[i]?.state.get(key);
    if (value !== undefined) return value;
  }
  return null;
}

/** The last moment. */
export function latest(view: View): Moment {
  return view.moments.at(-1) ?? { action: null, observation: "", state: new Map() };
}

/** `Progress: 2 of 5` as numbers. */
export function readCount(
  text: string | null | undefined,
): { readonly done: number; readonly all: number } | null {
  const match = /(-?\d+) of (\d+)/.exec(text ?? "");
  return match === null ? null : { done: Number(match[1]), all: Number(match[2]) };
}

/**
 * The moments of the present part of the goal: from the one at which `Progress` changed last (included, as it shows
 * the state the part begins with). All moments where there is no progress line.
 */
export function presentPart(view: View): readonly Moment[] {
  const { moments } = view;
  const now = current(view, stateKeys.progress);
  if (now === null) return moments;
  let start = moments.length - 1;
  while (start > 0 && (moments[start - 1]?.state.get(stateKeys.progress) ?? now) === now) start -= 1;
  return moments.slice(start);
}

/** What a moment answered: its `Result` line, or else its first line that is not a turn counter. */
export function resultOf(moment: Moment): string {
  const result = moment.state.get("Result");
  if (result !== undefined) return result.toLowerCase().replace(/\.$/, "");
  const line = moment.observation.split("\n").find((one) => one.trim() !== "" && !/^turn \d+/i.test(one));
  return (line ?? "").toLowerCase();
}

/** A comma-separated list of names; `nothing` and `none` are the empty list. */
export function readNames(text: string | null | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "nothing" && name !== "none");
}
