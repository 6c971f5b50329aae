/** From a model's name to a Model: the embedded policy, or a chat model of a LangChain provider. */
import type { Logger } from "pino";
import { createRedact } from "../../config/redact.ts";
import type { Config } from "../../config/schema.ts";
import type { Store } from "../../store/store.ts";
import { baseModelOf } from "../trainers/tinker/policy.ts";
import { ChatModelAdapter } from "./chat-model-adapter.ts";
import { createEmbeddedChatModel } from "./embedded/chat-model.ts";
import { embeddedProvider, loadEmbeddedPolicy, loadOrCreateEmbeddedPolicy } from "./embedded/policy-store.ts";
import type { Model } from "./model.ts";
import { lineTo } from "./provider-line.ts";
import { loadProvider, parseModelName } from "./providers.ts";

export interface ModelServices {
  readonly config: Config;
  /** Holds the embedded policy's weights. */
  readonly store: Store;
  readonly log: Logger;
}

/**
 * The model of a name: `embedded`, `tinker:BASE` on a training server (TINKER_BASE_URL, TINKER_API_KEY), `openai:NAME`
 * (OPENAI_API_KEY, OPENAI_BASE_URL), or `provider:model` of any other LangChain provider whose package is installed. A
 * model that the lab trains has the weights of `version`, or the newest. Throws `provider.unknown` and `provider.no-key`,
 * `provider.no-server` and `provider.no-tokenizer`, and `store.not-found` for a version that there is not.
 */
export async function createModel(
  name: string,
  { config, store, log }: ModelServices,
  version?: string,
): Promise<Model> {
  const { models } = config;
  const redact = createRedact(process.env);
  if (name === embeddedProvider) {
    const policy =
      version === undefined
        ? await loadOrCreateEmbeddedPolicy(store, Date.now())
        : await loadEmbeddedPolicy(store, version);
    const chatModel = createEmbeddedChatModel(policy);
    const line = lineTo(embeddedProvider, models);
    // The prices are those of a provider, and there is nobody to stream from.
    const free = { ...models, inputUsdPerMillion: 0, outputUsdPerMillion: 0, stream: false };
    return new ChatModelAdapter({
      name,
      policyVersion: policy.version,
      chatModel: () => chatModel,
      line,
      config: free,
      redact,
      log,
    });
  }
  if (baseModelOf(name) !== null) {
    // Templates and tokenizers are needed by nothing else.
    const { createTinkerModel } = await import("./tinker/create.ts");
    const { policy, chatModel } = await createTinkerModel(name, { config, store, log }, version);
    return new ChatModelAdapter({
      name,
      policyVersion: policy.version,
      chatModel,
      line: lineTo("tinker", models),
      // An answer comes as a whole.
      config: { ...models, stream: false },
      redact,
      log,
    });
  }
  const named = parseModelName(name);
  const chatModel = await loadProvider(named, models, process.env);
  return new ChatModelAdapter({
    name,
    chatModel,
    line: lineTo(named.provider, models),
    config: models,
    redact,
    log,
  });
}
