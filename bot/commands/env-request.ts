/** `env request`: a person asks for an environment, and a round of one designs, admits and plays it. */
import { z } from "zod";
import { defineCommand } from "./command.ts";
import { givenFile } from "./given-file.ts";
import type { OptionDefinition } from "./option.ts";
import { groundOn, options as ofRound, roundOptions } from "./round.ts";
import { randomSeed, runAndAnswer } from "./run-round.ts";
import { requireModel } from "./shared.ts";

const options = {
  brief: {
    ...ofRound.brief,
    schema: z.string().trim().min(1).max(10_000),
    argument: true,
    asked: true,
  },
  document: {
    kind: "file",
    summary: "a text, Markdown, JSONL or PDF file to ground it on",
    schema: givenFile.optional(),
    asked: true,
    surfaces: ["discord"],
    fallback: "the whole corpus",
  },
  ground: {
    kind: "document",
    summary: "documents of the corpus to ground it on",
    // A button holds several ids as one text.
    schema: z
      .array(z.string().trim().min(1))
      .transform((ids) => ids.flatMap((id) => id.split(/[\s,]+/)))
      .optional(),
    many: true,
    placeholder: "ID",
    fallback: "the whole corpus",
  },
  docs: { ...ofRound.docs, summary: "documents to add and to ground it on" },
  kind: { ...ofRound.kind, summary: "kind of environment", fallback: "either" },
  skill: { ...ofRound.skill, fallback: "any" },
  difficulty: { ...ofRound.difficulty, summary: "difficulty of the design", fallback: "any" },
  language: ofRound.language,
  plays: { ...ofRound.plays, summary: "plays in each arm" },
  model: ofRound.model,
  seed: ofRound.seed,
} as const satisfies Record<string, OptionDefinition>;

export const envRequest = defineCommand({
  name: "env request",
  summary: "Ask for an environment: the lab designs one to a brief, admits it and plays it",
  details:
    "Exits with 3 if a gate rejects it; the gates' sentences say why, and the same brief can be tried again.",
  examples: [
    "env request 'a game about tides and harbours'",
    "env request 'look up fines in a ledger' --kind tool-use --docs rules.pdf",
  ],
  role: "researcher",
  starts: "round",
  options,
  async run({ document, ground = [], docs = [], seed, ...values }, caller, context) {
    const config = await context.config();
    requireModel(values.model, config, caller, "env request");
    const services = await context.services();
    const sources = document === undefined ? docs : [...docs, document];
    const documentIds = [...new Set([...ground, ...(await groundOn(services, sources, caller))])];
    const asked = roundOptions(
      {
        ...values,
        envs: 1,
        playsPerSeed: undefined,
        docs,
        pool: undefined,
        preset: undefined,
        reward: undefined,
        seed,
        approve: false,
      },
      config,
      { pool: [], documentIds, seed: seed ?? randomSeed() },
    );
    const { createRound } = await import("../../graph/control.ts");
    const { id } = await createRound(services, asked, caller.name);
    return runAndAnswer(context, services, id, caller, "request");
  },
});
