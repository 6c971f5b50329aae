/** `help`: what somebody can do in chat with their role, and what a command takes. */
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import { didYouMean } from "../../config/suggest.ts";
import { hasRole } from "../caller.ts";
import { commandHelpCard, type HelpOption, helpCard } from "../cards/help-card.ts";
import { type Answer, type Command, defineCommand, isOffered } from "./command.ts";
import { choicesOf, isRequired, type OptionDefinition, optionName, optionsOn } from "./option.ts";

function optionHelp(key: string, option: OptionDefinition): HelpOption {
  return {
    name: optionName(key),
    summary: option.summary,
    required: isRequired(option),
    choices: option.kind === "choice" ? choicesOf(option) : [],
    fallback: option.fallback ?? null,
    role: option.role ?? null,
  };
}

/** Details are written for the command line, where options have dashes. */
const spoken = (details: string): string => details.replaceAll(/(^|\s)--([a-z])/g, "$1$2");

/** Help on these commands. On the command line each command has its own. */
export function helpOn(commands: readonly Command[]): Command {
  return defineCommand({
    name: "help",
    summary: "Show what you can do here, or what a command takes",
    role: "viewer",
    audience: "caller",
    surfaces: ["discord", "terminal"],
    options: {
      command: {
        kind: "choice",
        summary: "the command to explain",
        schema: z.enum(commands.filter(({ hidden }) => hidden !== true).map(({ name }) => name)).optional(),
        fallback: "all that you may use",
      },
    },
    async run({ command: name }, caller): Promise<Answer> {
      const offered = commands.filter((command) => isOffered(command, caller.surface));
      if (name === undefined) {
        const allowed = offered.filter(({ role }) => hasRole(caller, role));
        return {
          card: helpCard(caller.role, allowed),
          json: {
            role: caller.role,
            commands: allowed.map(({ name: each, summary }) => ({ name: each, summary })),
          },
        };
      }
      const command = offered.find((each) => each.name === name);
      if (command === undefined) {
        const names = offered.map((each) => each.name);
        throw new InputError(
          "input.bad-option",
          `There is no command "${name}" here.${didYouMean(name, names)}`,
        );
      }
      const { summary, details, role } = command;
      const options = optionsOn(command.options, caller.surface).map(([key, option]) =>
        optionHelp(key, option),
      );
      const allowed = hasRole(caller, role);
      return {
        card: commandHelpCard({
          name,
          summary,
          details: details === undefined ? null : spoken(details),
          role,
          allowed,
          options,
        }),
        json: { name, summary, details: details ?? null, role, options },
      };
    },
  });
}
