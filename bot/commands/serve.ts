/** `serve`: what `npm start` runs. The lab is used from the command line, so it says how. */
import { card, text } from "../cards/card.ts";
import { defineCommand } from "./command.ts";

const explanation =
  "Spadework is a self-play lab: one model designs executable training environments and plays them, with and without a hint. It is used from the command line; each command works by itself and keeps its data in one directory, so there is nothing to keep running.";

const first = [
  { label: "Run a round with the embedded policy: no key, no network", command: "round", options: {} },
  { label: "See what runs and what waits", command: "status", options: {} },
  { label: "See what was designed", command: "env list", options: {} },
] as const;

export const serve = defineCommand({
  name: "serve",
  summary: "Say how the lab is used (what `npm start` runs)",
  role: "viewer",
  options: {},
  async run() {
    return {
      card: card("Spadework", {
        blocks: [
          text(explanation),
          text("Through npm, options come after two dashes: npm start -- round --envs 4"),
        ],
        buttons: first,
      }),
      json: { serving: false, explanation, commands: first.map(({ command }) => command) },
    };
  },
});
