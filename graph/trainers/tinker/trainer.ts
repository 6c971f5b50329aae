/**
 * The trainer of models on a training server: each batch makes one new version, whose checkpoints are there.
 *
 * An update is several requests (forward and backward, step, two checkpoints) and one record in our store, and only the
 * record makes it count. It says where the version's weights and optimiser are saved. As long as the model on the server
 * is known to stand where the newest record says (the same process made it, nothing failed since), the update goes on
 * with it; otherwise it begins with a new model that loads the newest record's state. So whatever happens between the
 * step on the server and the record here (a kill, a lost connection, a server that restarts), the half-made model is
 * never used again, and the batch is trained on anew from the weights it was made with: nothing is lost, and no batch
 * counts twice. Within one process a request whose answer was lost is sent again with its own number and body
 * (client.ts), and the server does it once. Requests are numbered for each model on the server, and no model outlives
 * the process that made it, so their numbers need not be kept. What a kill leaves behind on the server is a model and
 * perhaps a checkpoint that nobody names; its session is no longer heard of, and the server clears it away.
 */
import type { Logger } from "pino";
import { type ErrorCode, TrainerError } from "../../../config/errors.ts";
import { createRedact } from "../../../config/redact.ts";
import type { Config } from "../../../config/schema.ts";
import type { Store } from "../../../store/store.ts";
import { readFailure } from "../../models/provider-failure.ts";
import {
  type Batch,
  type PolicyUpdate,
  type Trainer,
  type UpdateStatistics,
  updateStatistics,
} from "../trainer.ts";
import { duplicate, refuseUntimely } from "../untimely.ts";
import { connectTinker } from "./connect.ts";
import { examplesOf, sampledEntropy } from "./examples.ts";
import { TinkerFailure } from "./failure.ts";
import { baseModelOf, loadOrCreateTinkerPolicy, versionOf, writeCheckpoints } from "./policy.ts";
import { type Trained, Workbench } from "./workbench.ts";

type Variables = Readonly<Record<string, string | undefined>>;

export interface TinkerTrainerOptions {
  readonly store: Store;
  readonly config: Pick<Config, "tinker" | "models">;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Environment variables that name the server and hold its key; default: the process's. */
  readonly variables?: Variables;
}

/**
 * Trains whatever model on the server made a batch: the batch's version says which. Throws ProviderError
 * `provider.no-server` where no server is named.
 */
export function createTinkerTrainer(options: TinkerTrainerOptions): Trainer {
  const { store, config, log, now, variables = process.env } = options;
  const client = connectTinker(config, variables, log);
  const workbench = new Workbench(client, config.tinker, log);

  const update = async (batch: Batch, signal: AbortSignal): Promise<PolicyUpdate> => {
    const provider = await providerOf(batch, store);
    const newest = await loadOrCreateTinkerPolicy(store, provider, now());
    await refuseUntimely(store, batch, newest.version);
    const examples = examplesOf(batch);
    const version = versionOf(newest.version, batch.id);
    // A batch without a gradient changes no weights, and a step of Adam's would: its momentum goes on.
    const trained =
      examples.length === 0
        ? null
        : await workbench.train(newest, examples, checkpointName(batch), { signal });
    const statistics = updateStatistics.parse(statisticsOf(batch, trained));
    const inserted = await store.policies.insert({
      version,
      parent: newest.version,
      provider,
      weightsId: await writeCheckpoints(store, trained?.checkpoints ?? newest.checkpoints),
      batchId: batch.id,
      statistics,
      note: `trained on ${batch.roundIds.join(", ")}`,
      createdAt: now(),
    });
    if (!inserted) {
      if (trained !== null) await workbench.discard(trained);
      // Meanwhile somebody made another version, as a rollback does, or trained on the same batch.
      const overtaking = await loadOrCreateTinkerPolicy(store, provider, now());
      await refuseUntimely(store, batch, overtaking.version);
      throw duplicate(batch.id, version);
    }
    if (trained === null) workbench.rename(newest.version, version);
    else workbench.keep(version, trained);
    return { version, parent: newest.version, statistics };
  };

  return {
    name: "tinker",
    async update(batch, signal = new AbortController().signal) {
      try {
        return await update(batch, signal);
      } catch (error) {
        throw error instanceof TinkerFailure ? trainerError(error, client.baseUrl, variables) : error;
      }
    },
    close: () => workbench.close(),
  };
}

/** The model that made a batch, by the version that did. */
async function providerOf({ id, policyVersion }: Batch, store: Store): Promise<string> {
  const provider = (await store.policies.get(policyVersion))?.provider ?? null;
  if (provider === null || baseModelOf(provider) === null) {
    throw new TrainerError(
      "trainer.bad-batch",
      `Batch ${id} was made by ${policyVersion}, which is no version of a model on a training server.`,
    );
  }
  return provider;
}

/** Letters and digits, as servers want them. */
function checkpointName({ id }: Batch): string {
  return `spadework-${id.replaceAll(/[^\w-]/g, "").slice(0, 32)}`;
}

function statisticsOf({ agent, designer }: Batch, trained: Trained | null): UpdateStatistics {
  const measured = {
    agentTrajectories: agent.length,
    designerTrajectories: designer.length,
    agentEntropy: sampledEntropy(agent.flatMap(({ tokens }) => tokens ?? [])),
    designerEntropy: sampledEntropy(designer.flatMap(({ tokens }) => tokens ?? [])),
  };
  if (trained === null) return { ...measured, clipFraction: null, changed: 0, metrics: null };
  const { tally, metrics } = trained;
  return {
    ...measured,
    clipFraction: tally.clipFraction,
    changed: null,
    metrics: { ...metrics, trainedTokens: tally.tokens, apartNats: tally.apart },
  };
}

const codes: Readonly<Partial<Record<TinkerFailure["kind"], ErrorCode>>> = {
  lost: "trainer.lost",
  "bad-answer": "trainer.bad-answer",
  unreachable: "trainer.unreachable",
};

/** What failed on the server as the error that people see. */
function trainerError(failure: TinkerFailure, baseUrl: string, variables: Variables): TrainerError {
  const { kind, code, message } = failure;
  const { said, cause, status } = readFailure(failure, createRedact(variables));
  const inTime = kind !== "unreachable" || code === undefined;
  const what = kind === "bad-answer" || !inTime ? `gave no answer that can be used: ${message}` : said;
  const sentence = `The training server at ${baseUrl} ${what.replace(/\.$/, "")}. No version was changed.`;
  return new TrainerError(codes[kind] ?? "trainer.refused", sentence, { cause, data: { status } });
}
