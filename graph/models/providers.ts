/** The providers of LangChain: from a name `provider:model` to chat models, each loaded when it is asked for. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { ProviderError } from "../../config/errors.ts";
import type { ModelsConfig } from "../../config/schema.ts";
import type { ChatModelSettings } from "./chat-model-adapter.ts";

export interface ProviderModel {
  /** The user's name for it, e.g. `openai:gpt-5`. */
  readonly name: string;
  readonly provider: string;
  readonly model: string;
}

type Build = (settings: ChatModelSettings) => BaseChatModel;
type Variables = Readonly<Record<string, string | undefined>>;

/** Splits `provider:model`. Throws `provider.unknown` if there is no colon with a name on both sides. */
export function parseModelName(name: string): ProviderModel {
  const [, provider, model] = /^([a-z][a-z0-9_-]*):(.+)$/.exec(name) ?? [];
  if (provider === undefined || model === undefined) {
    throw new ProviderError(
      "provider.unknown",
      `“${name}” names no model: write \`embedded\`, or \`provider:model\` as in \`openai:gpt-5\`.`,
    );
  }
  return { name, provider, model };
}

/**
 * Loads a provider and gives what builds its chat models. `variables`: the process's environment variables.
 * Throws `provider.unknown`, and `provider.no-key` where a key is needed and missing.
 */
export async function loadProvider(
  named: ProviderModel,
  config: ModelsConfig,
  variables: Variables,
): Promise<Build> {
  const build = named.provider === "openai" ? openAi(named, config, variables) : other(named);
  return kept(await build);
}

/** Any server that speaks OpenAI's chat completions. */
async function openAi(
  { name, model }: ProviderModel,
  config: ModelsConfig,
  variables: Variables,
): Promise<Build> {
  const baseURL = variables.OPENAI_BASE_URL || null;
  const apiKey = variables.OPENAI_API_KEY || null;
  if (apiKey === null && baseURL === null) {
    throw new ProviderError(
      "provider.no-key",
      `${name} needs the environment variable OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs no key.`,
    );
  }
  // Importing it takes most of a second.
  const { ChatOpenAI } = await import("@langchain/openai");
  return ({ temperature, maxTokens, without }) =>
    new ChatOpenAI({
      model,
      // The client refuses to start without one; servers of one's own ignore it.
      apiKey: apiKey ?? "none",
      configuration: baseURL === null ? {} : { baseURL },
      // Other servers have no other API, and one path is tested for all.
      useResponsesApi: false,
      maxRetries: 0,
      // Ours comes first; the client's own would end a try earlier where `models.timeoutMs` is long.
      timeout: config.timeoutMs + 1_000,
      ...(without.has("temperature") ? {} : { temperature }),
      ...(without.has("max_tokens") ? { modelKwargs: { max_completion_tokens: maxTokens } } : { maxTokens }),
    });
}

/** What providers call the number of tokens of an answer where it is not `maxTokens`. */
const tokensField: Readonly<Record<string, string>> = {
  "google-genai": "maxOutputTokens",
  "google-vertexai": "maxOutputTokens",
  "google-vertexai-web": "maxOutputTokens",
  google: "maxOutputTokens",
  ollama: "numPredict",
};

const chatModelClass = z.custom<new (fields: object) => unknown>((it) => typeof it === "function");

async function other({ name, provider, model }: ProviderModel): Promise<Build> {
  const { MODEL_PROVIDER_CONFIG, getChatModelByClassName } = await import("langchain/chat_models/universal");
  // That gateway needs options which only initChatModel gives it, and that one keeps a model for every seed it is called with.
  const entries = Object.entries(MODEL_PROVIDER_CONFIG).filter(([key]) => key !== "langsmith");
  const entry = entries.find(([key]) => key === provider)?.[1];
  if (entry === undefined) {
    const known = entries.map(([key]) => key).join(", ");
    throw new ProviderError(
      "provider.unknown",
      `${name} names no provider that Spadework knows; it knows embedded, ${known}.`,
    );
  }
  let loaded: unknown;
  try {
    loaded = await getChatModelByClassName(entry.className, provider);
  } catch (cause) {
    throw new ProviderError(
      "provider.unknown",
      `${name} needs the package ${entry.package}, which is not installed: \`npm install ${entry.package}\`.`,
      { cause },
    );
  }
  const ChatModel = chatModelClass.parse(loaded);
  const build: Build = ({ temperature, maxTokens, without }) => {
    const chatModel = new ChatModel({
      model,
      maxRetries: 0,
      ...(without.has("temperature") ? {} : { temperature }),
      ...(without.has("max_tokens") ? {} : { [tokensField[provider] ?? "maxTokens"]: maxTokens }),
    });
    if (chatModel instanceof BaseChatModel) return chatModel;
    throw new ProviderError(
      "provider.unknown",
      `${name}: ${entry.package} is not made for this version of LangChain.`,
    );
  };
  // Providers say that a key is missing when the first model is built.
  refusal(name, () => build({ temperature: 0, maxTokens: 16, without: new Set() }));
  return build;
}

function refusal(name: string, build: () => unknown): void {
  try {
    build();
  } catch (cause) {
    if (cause instanceof ProviderError) throw cause;
    const variable =
      cause instanceof Error ? /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/.exec(cause.message)?.[0] : undefined;
    const needs =
      variable === undefined ? "a key or an option that is not set" : `the environment variable ${variable}`;
    throw new ProviderError("provider.no-key", `${name} needs ${needs}.`, { cause });
  }
}

/** Chat models hold connections, and the settings hardly change from call to call. */
function kept(build: Build): Build {
  const built = new Map<string, BaseChatModel>();
  return (settings) => {
    const key = JSON.stringify([settings.temperature, settings.maxTokens, [...settings.without].sort()]);
    const known = built.get(key);
    if (known !== undefined) return known;
    if (built.size >= 64) built.clear();
    const chatModel = build(settings);
    built.set(key, chatModel);
    return chatModel;
  };
}
