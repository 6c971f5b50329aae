/** `play act`, `play hint`, `play give-up`: the steps of a play in a chat. People reach them by the buttons on its card. */
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import type { Caller } from "../caller.ts";
import type { PlayStep } from "../chat/team.ts";
import { type Answer, type CommandContext, defineCommand } from "./command.ts";
import type { OptionDefinition } from "./option.ts";

const id = {
  kind: "text",
  summary: "the play's id",
  schema: z.string().trim().min(1).max(200),
} as const satisfies OptionDefinition<string>;

async function step(
  sessionId: string,
  taken: PlayStep,
  caller: Caller,
  { team }: CommandContext,
): Promise<Answer> {
  if (team === null) throw new InputError("input.conflict", "A play goes on turn by turn only in a chat.");
  return { card: await team.playStep(sessionId, taken, caller), json: { sessionId }, replaces: true };
}

const shared = { role: "viewer", hidden: true, surfaces: ["discord"] } as const;

export const playAct = defineCommand({
  name: "play act",
  summary: "Take a turn of a play",
  ...shared,
  options: {
    id,
    turn: {
      kind: "whole-number",
      summary: "turns taken when the button was drawn",
      schema: z.number().int().min(0),
    },
    action: {
      kind: "text",
      summary: "the action",
      schema: z.string().min(1).max(4_000),
    },
  },
  run: ({ id, turn, action }, caller, context) => step(id, { type: "act", turn, action }, caller, context),
});

export const playHint = defineCommand({
  name: "play hint",
  summary: "Reveal the hint of a play",
  ...shared,
  options: { id },
  run: ({ id }, caller, context) => step(id, { type: "hint" }, caller, context),
});

export const playGiveUp = defineCommand({
  name: "play give-up",
  summary: "Give a play up",
  ...shared,
  options: { id },
  run: ({ id }, caller, context) => step(id, { type: "give-up" }, caller, context),
});
