/** `env admit`: runs the gates on an environment that a person wrote. */
import { extname } from "node:path";
import type { z } from "zod";
import { InputError } from "../../config/errors.ts";
import { language } from "../../config/words.ts";
import { admissionCard } from "../cards/environment-card.ts";
import { defineCommand } from "./command.ts";
import { givenFile } from "./given-file.ts";
import { labelOf, type OptionDefinition } from "./option.ts";

const languages: Readonly<Record<string, z.infer<typeof language>>> = {
  ".js": "javascript",
  ".mjs": "javascript",
  ".py": "python",
};

const languageOption = {
  kind: "choice",
  summary: "language of the source",
  schema: language.optional(),
  fallback: "by the file's name",
} as const satisfies OptionDefinition;

export const envAdmit = defineCommand({
  name: "env admit",
  summary: "Run the thirteen gates on a file and keep it as an environment",
  details: "Exits with 3 if a gate rejects it; each gate's sentence says what to mend.",
  examples: ["env admit vault.js"],
  role: "researcher",
  options: {
    file: { kind: "file", summary: "the source", schema: givenFile, argument: true, placeholder: "FILE" },
    language: languageOption,
  },
  async run({ file, language: given }, caller, context) {
    const written = given ?? languages[extname(file.name).toLowerCase()];
    if (written === undefined) {
      const label = labelOf("language", languageOption, caller.surface);
      throw new InputError(
        "input.bad-option",
        `${file.name} could be in any language; name it with ${label}, one of ${language.options.join(", ")}.`,
      );
    }
    const services = await context.services();
    const { admitFile } = await import("../../graph/admit-file.ts");
    const source = file.text;
    const record = await admitFile(services, { source, name: file.name, language: written }, caller.name);
    return {
      card: admissionCard(record),
      json: {
        id: record.id,
        name: record.name,
        status: record.status,
        language: record.language,
        gates: record.gates,
      },
      exit: record.status === "admitted" ? 0 : 3,
    };
  },
});
