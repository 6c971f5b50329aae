/** A model's own tokenizer and chat template, from the files that come with its weights. Nothing is downloaded. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Template } from "@huggingface/jinja";
import { Tokenizer } from "@huggingface/tokenizers";
import { z } from "zod";
import { ProviderError } from "../../../config/errors.ts";
import { ChatTemplate } from "./template.ts";

/** Where a model's tokenizer is; `folder` is what the user named, `""` if nothing. */
export interface TokenizerPlace {
  readonly folder: string;
  readonly baseModel: string;
}

/** Some files write a token as its text, others as an object around it. */
const tokenText = z.union([
  z.string(),
  z.object({ content: z.string() }).transform(({ content }) => content),
]);
const namedTemplate = z.object({ name: z.string(), template: z.string() });

const tokenizerFile = z.looseObject({
  model: z.looseObject({}),
  added_tokens: z
    .array(z.looseObject({ id: z.number().int(), content: z.string(), special: z.boolean().default(false) }))
    .default([]),
});
const configFile = z.looseObject({
  chat_template: z.union([z.string(), z.array(namedTemplate)]).optional(),
  bos_token: tokenText.nullish(),
  eos_token: tokenText.nullish(),
  pad_token: tokenText.nullish(),
  unk_token: tokenText.nullish(),
});
const generationFile = z.looseObject({
  eos_token_id: z.union([z.number().int(), z.array(z.number().int())]).optional(),
});

/** Texts as a model's tokens and back. */
export interface ChatTokenizer {
  readonly template: ChatTemplate;
  /** Of a rendered prompt, whose special tokens are in its text. */
  encode(text: string): number[];
  /** Without special tokens. */
  decode(tokens: readonly number[]): string;
  /** Ids that end an answer. */
  readonly stop: readonly number[];
}

/**
 * Reads `tokenizer.json`, `tokenizer_config.json`, and where they are there `chat_template.jinja` and
 * `generation_config.json`. Throws ProviderError `provider.no-tokenizer`, with what is missing.
 */
export async function loadTokenizer({ folder, baseModel }: TokenizerPlace): Promise<ChatTokenizer> {
  if (folder === "") {
    throw unusable(`The tokenizer of ${baseModel} is needed, and tinker.tokenizer names no folder.`);
  }
  const own = await readIfThere(join(folder, baseModel, "tokenizer.json"));
  const from = own === null ? folder : join(folder, baseModel);
  const text = own ?? (await readIfThere(join(folder, "tokenizer.json")));
  if (text === null) throw unusable(`${folder} holds no tokenizer.json.`);
  const configText = await readIfThere(join(from, "tokenizer_config.json"));
  if (configText === null) throw unusable(`${from} holds no tokenizer_config.json.`);

  const tokenizerJson = fitting(tokenizerFile, text, join(from, "tokenizer.json"));
  const config = fitting(configFile, configText, join(from, "tokenizer_config.json"));
  const generationText = await readIfThere(join(from, "generation_config.json"));
  const generation =
    generationText === null
      ? {}
      : fitting(generationFile, generationText, join(from, "generation_config.json"));
  const source = (await readIfThere(join(from, "chat_template.jinja"))) ?? templateOf(config.chat_template);
  if (source === null) {
    throw unusable(
      `${from} holds no chat template, neither in tokenizer_config.json nor as chat_template.jinja.`,
    );
  }

  const tokenizer = built(`The tokenizer in ${from}`, () => new Tokenizer(tokenizerJson, config));
  const { bos_token, eos_token, pad_token, unk_token } = config;
  const template = new ChatTemplate({
    template: built(`The chat template in ${from}`, () => new Template(source)),
    variables: Object.fromEntries(
      Object.entries({ bos_token, eos_token, pad_token, unk_token }).filter(([, token]) => token != null),
    ),
    special: tokenizerJson.added_tokens.filter(({ special }) => special).map(({ content }) => content),
  });
  const stop = new Set<number>([generation.eos_token_id ?? []].flat());
  const end = eos_token == null ? undefined : tokenizer.token_to_id(eos_token);
  if (end !== undefined) stop.add(end);
  if (stop.size === 0) throw unusable(`${from} names no token that ends an answer (eos_token).`);
  return {
    template,
    stop: [...stop],
    encode: (rendered) => tokenizer.encode(rendered, { add_special_tokens: false }).ids,
    decode: (tokens) =>
      tokens.length === 0
        ? ""
        : tokenizer.decode([...tokens], { skip_special_tokens: true, clean_up_tokenization_spaces: false }),
  };
}

function templateOf(given: z.infer<typeof configFile>["chat_template"]): string | null {
  if (given === undefined) return null;
  if (typeof given === "string") return given;
  return (given.find(({ name }) => name === "default") ?? given[0])?.template ?? null;
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return null;
    }
    throw unusable(`${path} can't be read.`, error);
  }
}

function fitting<T>(schema: z.ZodType<T>, text: string, path: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const said =
      cause instanceof z.ZodError ? z.prettifyError(cause).split("\n").join(" ") : "it is no valid JSON";
    throw unusable(`${path} can't be used: ${said}.`, cause);
  }
}

function built<T>(what: string, build: () => T): T {
  try {
    return build();
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw unusable(`${what} can't be used: ${said}`, cause);
  }
}

function unusable(message: string, cause?: unknown): ProviderError {
  return new ProviderError("provider.no-tokenizer", message, cause === undefined ? {} : { cause });
}
