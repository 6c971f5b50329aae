/** From the name of a model on a training server and a version to its chat models. */
import type { Logger } from "pino";
import type { Config } from "../../../config/schema.ts";
import type { Store } from "../../../store/store.ts";
import type { CallOptions, TinkerClient } from "../../trainers/tinker/client.ts";
import { connectTinker } from "../../trainers/tinker/connect.ts";
import {
  loadOrCreateTinkerPolicy,
  loadTinkerPolicy,
  type TinkerPolicy,
} from "../../trainers/tinker/policy.ts";
import { Sampler } from "../../trainers/tinker/sampler.ts";
import { TinkerSession } from "../../trainers/tinker/session.ts";
import type { ChatModelSettings } from "../chat-model-adapter.ts";
import { orAborted } from "../provider-line.ts";
import { TinkerChatModel } from "./chat-model.ts";
import { loadTokenizer } from "./tokenizer.ts";

export interface TinkerServices {
  readonly config: Config;
  readonly store: Store;
  readonly log: Logger;
}

export interface TinkerModel {
  readonly policy: TinkerPolicy;
  readonly chatModel: (settings: ChatModelSettings) => TinkerChatModel;
}

/** One session for all models of a process on one server: they come and go with the versions. */
interface Shared {
  readonly client: TinkerClient;
  session: Promise<TinkerSession> | null;
}

const shared = new WeakMap<Config, Map<string, Shared>>();

/**
 * The model `tinker:BASE` with the weights of a version, or of the newest. It samples from that version's own sampler
 * checkpoint and no other. Throws `provider.no-server`, `provider.no-tokenizer`, and `store.not-found` for a version that
 * there is not.
 */
export async function createTinkerModel(
  name: string,
  { config, store, log }: TinkerServices,
  version?: string,
): Promise<TinkerModel> {
  const client = connectTinker(config, process.env, log);
  const policy =
    version === undefined
      ? await loadOrCreateTinkerPolicy(store, name, Date.now())
      : await loadTinkerPolicy(store, name, version);
  const { baseModel, samplerPath } = policy.checkpoints;
  const { tokenizer: folder, enableThinking } = config.tinker;
  const tokenizer = await loadTokenizer({ folder, baseModel });
  const connection = sharedOf(config, client);
  const sampler = new Sampler({
    baseModel,
    modelPath: samplerPath,
    session: (over, call) => sessionOf(connection, over, log, call),
  });
  return {
    policy,
    chatModel: ({ temperature, maxTokens, without }) =>
      new TinkerChatModel({
        tokenizer,
        sampler,
        version: policy.version,
        enableThinking,
        temperature: without.has("temperature") ? 1 : temperature,
        maxTokens,
      }),
  };
}

/** Ends the heartbeats of a process's models under these settings; their next call begins a new session. */
export function closeTinkerModels(config: Config): void {
  for (const connection of shared.get(config)?.values() ?? []) {
    // One that is being opened is closed when it is, and one that can't be opened has nothing to close.
    connection.session?.then(
      (session) => session.close(),
      () => undefined,
    );
    connection.session = null;
  }
}

function sharedOf(config: Config, client: TinkerClient): Shared {
  const byServer = shared.get(config) ?? new Map<string, Shared>();
  shared.set(config, byServer);
  const known = byServer.get(client.baseUrl) ?? { client, session: null };
  byServer.set(client.baseUrl, known);
  return known;
}

/** The session in use, unless it is over or is the one that its user found to be. */
async function sessionOf(
  connection: Shared,
  over: TinkerSession | null,
  log: Logger,
  call: CallOptions,
): Promise<TinkerSession> {
  const current = connection.session;
  const session = current === null ? null : await orAborted(call.signal, current);
  if (session !== null && session !== over && !session.isOver) return session;
  if (connection.session === current) {
    session?.close();
    const opening = TinkerSession.open(
      connection.client,
      { log },
      { ...call, signal: new AbortController().signal },
    );
    connection.session = opening;
    opening.catch(() => {
      if (connection.session === opening) connection.session = null;
    });
  }
  return orAborted(call.signal, connection.session ?? sessionOf(connection, null, log, call));
}
