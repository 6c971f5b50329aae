/** `serve`: what `npm start` runs. With a token it serves a team on Discord; without one it is the chat in the terminal. */
import { ChatError, InputError } from "../../config/errors.ts";
import type { Caller } from "../caller.ts";
import { card, text } from "../cards/card.ts";
import { type Answer, type CommandContext, defineCommand, type Serving } from "./command.ts";

/** A chat has shown what there was to see; programs get what it answered. */
const nothingMore = card("", { blocks: [] });

async function serveTerminal(serving: Serving, caller: Caller, context: CommandContext): Promise<Answer> {
  const { commands } = await import("./all.ts");
  const { runTerminalChat } = await import("../terminal/chat.ts");
  const { answers, exit } = await runTerminalChat({
    ...serving.terminal,
    environment: serving.environment,
    commands,
    caller: { ...caller, surface: "terminal" },
    context,
    open: serving.open,
  });
  return { card: nothingMore, raw: "", json: { answers }, exit };
}

/** Discord's ids. */
const id = /^\d{15,20}$/;

/** A variable with something in it. */
const given = (value: string | undefined): string | null =>
  value === undefined || value.trim() === "" ? null : value.trim();

export const serve = defineCommand({
  name: "serve",
  summary: "Serve a team on Discord; without DISCORD_TOKEN, a chat in the terminal",
  details:
    "With DISCORD_TOKEN it connects to Discord, with DISCORD_GUILD_ID for commands in one server alone. Without, commands are typed with a slash (/round envs:2), or piped in, one a line. The first Ctrl-C lets what is in flight end; rounds go on at the next start.",
  role: "viewer",
  surfaces: ["command-line"],
  options: {},
  async run(_options, caller, context) {
    const { serving } = context;
    const token = given(serving?.environment.DISCORD_TOKEN);
    if (serving === undefined) throw new ChatError("chat.nothing-to-do", "Nothing can be served here.");
    if (token === null) return serveTerminal(serving, caller, context);
    const { commands } = await import("./all.ts");
    const { serveDiscord } = await import("../discord/start-serving.ts");
    const guildId = given(serving.environment.DISCORD_GUILD_ID);
    if (guildId !== null && !id.test(guildId)) {
      throw new InputError(
        "input.bad-config",
        `DISCORD_GUILD_ID is "${guildId}"; it takes the id of a server, digits alone.`,
      );
    }
    await serveDiscord({ serving, context, commands, token, guildId });
    return {
      card: card("Stopped", {
        blocks: [text("What was in flight is stored; the next start goes on with it.")],
      }),
      json: { serving: false, stopped: true },
    };
  },
});
