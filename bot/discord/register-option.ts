/** An option of a command as an option of a slash command: Discord's own field for its kind, within Discord's limits. */
import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from "discord.js";
import { type Described, describe } from "../../config/takes.ts";
import { oneLine, shorten } from "../cards/harmless.ts";
import {
  choicesOf,
  isRequired,
  type OptionDefinition,
  type OptionKind,
  optionName,
} from "../commands/option.ts";

export const descriptionCharacters = 100;
const mostChoices = 25;
const choiceCharacters = 100;
/** Characters of a text option at most; what is longer goes through a form or a file. */
const textCharacters = 6_000;

/** Kinds whose values are completed while they are typed. */
const completed: readonly OptionKind[] = [
  "round",
  "campaign",
  "environment",
  "episode",
  "document",
  "policy",
  "model",
];

/** A summary that is never empty and never too long. */
export function description(summary: string, otherwise: string): string {
  const line = oneLine(summary);
  const sentence = line === "" ? otherwise : line;
  return shorten(sentence.charAt(0).toUpperCase() + sentence.slice(1), descriptionCharacters);
}

function withFallback({ summary, fallback, many, kind }: OptionDefinition): string {
  const several = many === true && kind !== "file" ? `${summary}, separated by commas` : summary;
  const whole = fallback === undefined ? several : `${several}; if not given: ${fallback}`;
  return whole.length <= descriptionCharacters ? whole : several;
}

/** Bounds that a schema states; those that only say "safe integer" are none. */
function bound(limit: number | undefined): number | undefined {
  return limit === undefined || Math.abs(limit) >= Number.MAX_SAFE_INTEGER ? undefined : limit;
}

/** The part of a schema with limits: the first alternative that has any. */
function limitsOf(schema: Described): Described {
  return schema.anyOf?.find(({ type }) => type === "integer" || type === "string") ?? schema;
}

export function slashOption(key: string, option: OptionDefinition): APIApplicationCommandBasicOption {
  const name = optionName(key);
  const common = {
    name,
    description: description(withFallback(option), name),
    // What is asked for in a form may be missing.
    required: isRequired(option) && option.asked !== true,
  };
  const schema = limitsOf(describe(option.schema));
  switch (option.kind) {
    case "whole-number": {
      const [min, max] = [bound(schema.minimum), bound(schema.maximum)];
      return {
        ...common,
        type: ApplicationCommandOptionType.Integer,
        ...(min === undefined ? {} : { min_value: min }),
        ...(max === undefined ? {} : { max_value: max }),
      };
    }
    case "switch":
      return { ...common, type: ApplicationCommandOptionType.Boolean };
    case "file":
      return { ...common, type: ApplicationCommandOptionType.Attachment };
    case "choice": {
      const choices = choicesOf(option);
      const listed =
        option.many !== true &&
        option.completed !== true &&
        choices.length <= mostChoices &&
        choices.every((one) => one !== "" && one.length <= choiceCharacters);
      return listed
        ? {
            ...common,
            type: ApplicationCommandOptionType.String,
            choices: choices.map((one) => ({ name: one, value: one })),
          }
        : { ...common, type: ApplicationCommandOptionType.String, autocomplete: true };
    }
    default: {
      const { maxLength } = schema;
      return {
        ...common,
        type: ApplicationCommandOptionType.String,
        ...(completed.includes(option.kind) ? { autocomplete: true } : {}),
        ...(maxLength === undefined || option.many === true
          ? {}
          : { max_length: Math.min(maxLength, textCharacters) }),
      };
    }
  }
}
