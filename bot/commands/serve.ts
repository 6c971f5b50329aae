/** `serve`: what `npm start` runs. With a token it serves a team on Discord; without one it says how the lab is used. */
import { card, text } from "../cards/card.ts";
import { type Answer, defineCommand } from "./command.ts";

const explanation =
  "Spadework is a self-play lab: one model designs executable training environments and plays them, with and without a hint. With a DISCORD_TOKEN it serves a team's chat (docs/discord.md). From the command line each command works by itself and keeps its data in one directory, so there is nothing to keep running.";

const first = [
  { label: "Run a round with the embedded policy: no key, no network", command: "round", options: {} },
  { label: "See what runs and what waits", command: "status", options: {} },
  { label: "See what was designed", command: "env list", options: {} },
] as const;

const explained: Answer = {
  card: card("Spadework", {
    blocks: [
      text(explanation),
      text("Through npm, options come after two dashes: npm start -- round --envs 4"),
    ],
    buttons: first,
  }),
  json: { serving: false, explanation, commands: first.map(({ command }) => command) },
};

/** A variable with something in it. */
const given = (value: string | undefined): string | null =>
  value === undefined || value.trim() === "" ? null : value.trim();

export const serve = defineCommand({
  name: "serve",
  summary: "Serve a team on Discord; without DISCORD_TOKEN, say how the lab is used",
  details:
    "It reads DISCORD_TOKEN, and DISCORD_GUILD_ID for commands in one server alone. The first Ctrl-C lets what is in flight end; rounds go on at the next start.",
  role: "viewer",
  surfaces: ["command-line"],
  options: {},
  async run(_options, _caller, context) {
    const { serving } = context;
    const token = given(serving?.environment.DISCORD_TOKEN);
    if (serving === undefined || token === null) return explained;
    const { commands } = await import("./all.ts");
    const { serveDiscord } = await import("../discord/start-serving.ts");
    const guildId = given(serving.environment.DISCORD_GUILD_ID);
    await serveDiscord({ serving, context, commands, token, guildId });
    return {
      card: card("Stopped", {
        blocks: [text("What was in flight is stored; the next start goes on with it.")],
      }),
      json: { serving: false, stopped: true },
    };
  },
});
