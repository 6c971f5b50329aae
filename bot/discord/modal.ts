/** Forms: what a button or a command asks for before it runs, built from the options' own declarations. */
import {
  type APIComponentInLabel,
  type APILabelComponent,
  type APIModalInteractionResponseCallbackData,
  ComponentType,
  TextInputStyle,
} from "discord.js";
import { describe } from "../../config/takes.ts";
import type { TextStore } from "../../store/store.ts";
import type { Command } from "../commands/command.ts";
import { choicesOf, isRequired, type OptionDefinition, optionName, optionsOn } from "../commands/option.ts";
import { writeId } from "./custom-id.ts";
import { shortened } from "./limits-of-text.ts";

/** Discord's limits on forms. */
const limits = {
  fields: 5,
  title: 45,
  label: 45,
  description: 100,
  placeholder: 100,
  text: 4_000,
  choices: 25,
  files: 10,
};

type Settled = Readonly<Record<string, string | number | boolean>>;

/** `playsPerSeed` → `Plays per seed`. */
function labelOf(key: string): string {
  const words = optionName(key).replaceAll("-", " ");
  return shortened(`${words.charAt(0).toUpperCase()}${words.slice(1)}`, limits.label);
}

function choices(
  key: string,
  option: OptionDefinition,
  known: readonly string[],
  before: string | undefined,
): APIComponentInLabel {
  return {
    type: ComponentType.StringSelect,
    custom_id: key,
    required: isRequired(option),
    min_values: isRequired(option) ? 1 : 0,
    max_values: option.many === true ? known.length : 1,
    options: known.map((value) => ({ label: value, value, ...(value === before ? { default: true } : {}) })),
  };
}

function textField(key: string, option: OptionDefinition, before: string | undefined): APIComponentInLabel {
  const schema = describe(option.schema);
  const most = Math.min(schema.maxLength ?? limits.text, limits.text);
  return {
    type: ComponentType.TextInput,
    custom_id: key,
    style: option.kind === "long-text" ? TextInputStyle.Paragraph : TextInputStyle.Short,
    required: isRequired(option),
    max_length: most,
    ...(option.fallback === undefined
      ? {}
      : { placeholder: shortened(`default: ${option.fallback}`, limits.placeholder) }),
    ...(before === undefined || before === "" ? {} : { value: shortened(before, most) }),
  };
}

function component(key: string, option: OptionDefinition, before: string | undefined): APIComponentInLabel {
  if (option.kind === "file") {
    return {
      type: ComponentType.FileUpload,
      custom_id: key,
      required: isRequired(option),
      min_values: isRequired(option) ? 1 : 0,
      max_values: option.many === true ? limits.files : 1,
    };
  }
  const known = option.kind === "choice" ? choicesOf(option) : [];
  if (known.length > 0 && known.length <= limits.choices) return choices(key, option, known, before);
  return textField(key, option, before);
}

function yesNo(key: string, before: string | undefined): APIComponentInLabel {
  const option = (label: string, value: string) => ({ label, value, default: value === (before ?? "false") });
  return {
    type: ComponentType.StringSelect,
    custom_id: key,
    required: true,
    options: [option("Yes", "true"), option("No", "false")],
  };
}

function fieldOf(key: string, option: OptionDefinition, before: string | undefined): APILabelComponent {
  return {
    type: ComponentType.Label,
    label: labelOf(key),
    description: shortened(option.summary, limits.description),
    component: option.kind === "switch" ? yesNo(key, before) : component(key, option, before),
  };
}

/** What the command does, without what follows after a colon: a form's title has little room. */
function titleOf({ summary }: Command): string {
  return summary.split(/[:;]/)[0] ?? summary;
}

/**
 * The form that asks for these options of a command, at most five. Of `settled`, those that are asked for stand in
 * their fields, and the others go along. Keys that the command does not have are left out.
 */
export async function formOf(
  command: Command,
  ask: readonly string[],
  settled: Settled,
  texts: TextStore,
): Promise<APIModalInteractionResponseCallbackData> {
  const known = new Map(optionsOn(command.options, "discord"));
  const asked = ask.filter((key) => known.has(key)).slice(0, limits.fields);
  const rest = Object.entries(settled).filter(([key]) => !asked.includes(key));
  const customId = await writeId(
    { kind: "form", command: command.name, options: Object.fromEntries(rest), ask: asked },
    texts,
  );
  return {
    custom_id: customId,
    title: shortened(titleOf(command), limits.title),
    components: asked.flatMap((key) => {
      const option = command.options[key];
      const before = settled[key];
      return option === undefined
        ? []
        : [fieldOf(key, option, before === undefined ? undefined : String(before))];
    }),
  };
}
