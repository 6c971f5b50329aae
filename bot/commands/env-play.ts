/** `env play`: a person plays an environment, turn by turn or from a list of actions. */
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import type { HumanPlay, HumanResult, HumanTurn } from "../../graph/human-play.ts";
import { card, text } from "../cards/card.ts";
import { firstText, playedCard, turnText } from "../cards/play-card.ts";
import { type Answer, type Dialog, defineCommand } from "./command.ts";
import { givenFile } from "./given-file.ts";
import { randomSeed } from "./run-round.ts";
import { environmentArgument, seedOption } from "./shared.ts";

/** What a player can type that is no action. */
const hintWord = "/hint";
const giveUpWord = "/give-up";

function answerOf({ episode, environment }: HumanResult): Answer {
  return {
    card: playedCard(episode, environment),
    json: {
      episodeId: episode.id,
      environmentId: environment.id,
      seed: episode.seed,
      player: episode.player,
      return: episode.return,
      terminated: episode.terminated,
      truncated: episode.truncated,
      turns: episode.turns,
      hintRevealed: episode.hintId !== null,
      failure: episode.failure,
      model:
        environment.score === null
          ? null
          : { plain: environment.score.plain, hinted: environment.score.hinted },
    },
  };
}

/** Plays a list of actions, one a line; empty lines are left out, and what is left after the end is not played. */
async function playScript(play: HumanPlay, script: string): Promise<void> {
  const lines = script.split(/\r?\n/).filter((line) => line.trim() !== "");
  for (const line of lines) {
    if (play.over) break;
    await command(play, line);
  }
}

/** One line of a player: an action, or one of the words. The turn it led to, or a text to show. */
async function command(play: HumanPlay, line: string): Promise<HumanTurn | string> {
  const word = line.trim().toLowerCase();
  if (word === hintWord) return play.revealHint() ?? "This environment has no hint.";
  if (word !== giveUpWord) return play.act(line);
  play.giveUp();
  return "You gave up.";
}

/** Plays by asking. False if the player left before the first action, so that there is nothing to keep. */
async function playDialog(play: HumanPlay, dialog: Dialog): Promise<boolean> {
  dialog.say(firstText(play));
  dialog.say(`\n(${hintWord} shows the hint, ${giveUpWord} ends the play; Ctrl-D leaves.)`);
  while (!play.over) {
    const line = await dialog.ask(`${play.turns + 1}/${play.turnCap}> `);
    if (line === null) break;
    if (line.trim() === "") continue;
    const led = await command(play, line);
    dialog.say(typeof led === "string" ? led : turnText(led));
  }
  dialog.say("");
  return play.turns > 0 || play.over;
}

export const envPlay = defineCommand({
  name: "env play",
  summary: "Play an environment yourself; the result is kept beside the model's",
  // A play that is not shared is shown to the player alone.
  audience: ({ shared }) => (shared === true ? "everybody" : "caller"),
  details: `Type one action a line. Games take the bare command; tool use takes: name {"key": 1}, and: answer TEXT. ${hintWord} shows the hint, ${giveUpWord} ends the play.`,
  examples: ["env play r1-1 --seed 7", "env play r1-1 --seed 7 --actions moves.txt"],
  role: "viewer",
  options: {
    id: environmentArgument,
    seed: { ...seedOption, summary: "seed of the instance: the same seed is the same instance" },
    shared: {
      kind: "switch",
      summary: "let everybody in the channel watch",
      schema: z.boolean().default(false),
      surfaces: ["discord"],
    },
    actions: {
      kind: "file",
      summary: "a file of actions, one a line, instead of asking for them",
      schema: givenFile.optional(),
      placeholder: "FILE",
      surfaces: ["command-line", "terminal"],
    },
  },
  async run({ id, seed, shared, actions }, caller, context) {
    const { team, place } = context;
    if (team !== null && place !== null) {
      const options = { environmentId: id, seed: seed ?? randomSeed(), shared };
      return { card: await team.startPlay(options, caller, place), json: options };
    }
    const services = await context.services();
    const { startHumanPlay } = await import("../../graph/human-play.ts");
    const play = await startHumanPlay(services, {
      environmentId: id,
      seed: seed ?? randomSeed(),
      player: caller.name,
    });
    if (actions !== undefined) {
      await playScript(play, actions.text);
      return answerOf(await play.finish());
    }
    const { dialog } = context;
    if (dialog === null) {
      await play.discard();
      throw new InputError("input.bad-option", "Actions are missing, and nobody can be asked for them here.");
    }
    if (await playDialog(play, dialog)) return answerOf(await play.finish());
    await play.discard();
    if (!dialog.canAnswer) {
      throw new InputError(
        "input.bad-option",
        "No action came: give --actions FILE, type them in a terminal, or pipe them in.",
      );
    }
    return {
      card: card(play.environment.name, { blocks: [text("Nothing was played, so nothing is kept.")] }),
      json: { environmentId: id, episodeId: null },
    };
  },
});
