/** The part of the catalogue of errors that is about the team's chat. */
import type { CatalogueEntry } from "./error-catalogue.ts";

export const chatErrors = {
  "chat.bad-token": {
    when: "Discord does not accept the bot's token.",
    fix: "Copy the token anew from the developer portal (Bot → Reset Token) into DISCORD_TOKEN.",
    exit: 2,
  },
  "chat.bad-intent": {
    when: "Discord refuses the intents that the bot asks for.",
    fix: "Spadework asks for Guilds alone; check in the developer portal that the application is not restricted.",
    exit: 2,
  },
  "chat.nothing-to-do": {
    when: "There is no DISCORD_TOKEN for `serve`, and nobody is there to type: standard input is empty.",
    fix: "Set DISCORD_TOKEN (docs/discord.md), start it in a terminal, or pipe commands in: echo '/round envs:2' | npm start.",
    exit: 2,
  },
  "chat.unavailable": {
    when: "Discord did not answer, or answered with errors through every retry.",
    fix: "Nothing is lost; the bot goes on by itself when Discord does.",
    exit: 1,
  },
  "chat.forbidden": {
    when: "The bot lacks a permission in a channel.",
    fix: "Give the bot's role the permission that the message names; docs/discord.md lists all of them.",
    exit: 3,
  },
  "chat.gone": {
    when: "A message, thread or channel was deleted, or the bot was removed from the server.",
    fix: "Give the command again where the bot can post.",
    exit: 3,
  },
  "chat.no-chart": {
    when: "The picture of a chart can't be drawn.",
    fix: "The numbers are in the text; the log names the reason.",
    exit: 1,
  },
  "chat.not-here": {
    when: "A command came from a server or channel in which the bot does not answer.",
    fix: "Use a server and channel that `discord.guilds` and `discord.channels` allow (docs/configuration.md).",
    exit: 3,
  },
  "chat.no-role": {
    when: "The roles of the lab do not name the person who gave a command.",
    fix: "Ask an admin of the lab to name you, or one of your roles, in `roles` (docs/discord.md).",
    exit: 3,
  },
  "chat.unknown-button": {
    when: "A button, menu or form is none that the bot made, or belongs to a version that is gone.",
    fix: "Give the command itself; `/help` lists them.",
    exit: 3,
  },
  "chat.stopping": {
    when: "A command came while the bot was stopping.",
    fix: "Give it again in a minute, when the bot is back.",
    exit: 3,
  },
  "chat.not-yours": {
    when: "A person pressed a button of somebody else's play.",
    fix: "Play it yourself: `env play` with the same id and seed; `env compare` shows both.",
    exit: 3,
  },
  "chat.too-fast": {
    when: "A person gives commands faster, or spends more, than the limits of the lab allow.",
    fix: "Wait as long as the message says, or ask an admin to raise the limit (docs/configuration.md).",
    exit: 3,
  },
} as const satisfies Record<string, CatalogueEntry>;
