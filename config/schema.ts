/**
 * Every setting, with its default, its range and what it does. Settings come from here ← spadework.yaml ← environment
 * variables ← flags (config/load.ts); docs/configuration.md is held equal to this file by a test.
 */
import { z } from "zod";
import { idPattern } from "./takes.ts";
import { rewardVariant } from "./words.ts";

const ms = (min: number, max: number) => z.number().int().min(min).max(max);
const count = (min: number, max: number) => z.number().int().min(min).max(max);

const round = z.strictObject({
  envs: count(1, 1000).default(4).describe("Designs in a round."),
  plays: count(1, 1024).default(8).describe("Plays of each environment in each arm."),
  playsPerSeed: count(1, 1024)
    .default(1)
    .describe("Plays that share one seed; above 1, standard errors are clustered by seed."),
  kind: z.enum(["mixed", "game", "tool-use"]).default("mixed").describe("Kinds of environments to design."),
  reward: rewardVariant
    .default("blend")
    .describe("What the designer is rewarded for (docs/architecture.md)."),
  repairs: count(0, 10)
    .default(2)
    .describe("Times a rejected design goes back to the designer with the gates' sentences."),
  turnCap: count(1, 1000)
    .default(25)
    .describe("Turns of an episode at most, whatever the environment declares."),
  contextTokens: count(256, 10_000_000)
    .default(32_768)
    .describe("Tokens of an episode at most; beyond it the return is 0."),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .default(0.6)
    .describe("Sampling temperature of the agent and the designer."),
  maxOutputTokens: count(16, 1_000_000).default(8_192).describe("Tokens of one model answer at most."),
});

const sandbox = z.strictObject({
  hosts: count(0, 256).default(0).describe("Host processes; 0 = one a core."),
  jit: z
    .boolean()
    .default(false)
    .describe("Turns the JIT on in JavaScript hosts: about twice as fast a step, a larger attack surface."),
  stepTimeoutMs: ms(50, 600_000)
    .default(1_000)
    .describe("Limit of one reset, step, solution or tools call, milliseconds."),
  loadTimeoutMs: ms(50, 600_000).default(2_000).describe("Limit of loading a source, milliseconds."),
  hardDeadlineMs: ms(100, 600_000)
    .default(3_000)
    .describe(
      "A call that can't be stopped at its limit ends with its host after so long (at least a second after the limit), milliseconds.",
    ),
  memoryMb: count(8, 16_384).default(64).describe("Memory of one isolate, MB."),
  hostRssMb: count(100, 65_536).default(700).describe("Resident memory at which a host is killed, MB."),
  textBytes: count(1_024, 16_777_216)
    .default(65_536)
    .describe("Size of one observation or info at most, bytes."),
  errorCharacters: count(50, 10_000)
    .default(500)
    .describe("Length of an error message of an environment at most."),
  livePerHost: count(1, 1_000).default(32).describe("Live environments a host holds."),
  warmIsolates: count(0, 100).default(2).describe("Isolates each host keeps ready."),
  retireAfterLoads: count(1, 1_000_000)
    .default(2_000)
    .describe("Loads after which a host is drained and replaced."),
});

const models = z.strictObject({
  concurrency: count(1, 10_000).default(64).describe("Model calls in flight at once, per provider."),
  timeoutMs: ms(100, 3_600_000)
    .default(120_000)
    .describe(
      "Limit of one try of a model call, milliseconds. Above 300,000 turn `models.stream` on: Node gives up a connection that is silent for longer.",
    ),
  retries: count(0, 20)
    .default(4)
    .describe("Further tries after 429, 5xx, a time-out, a lost connection or an answer that can't be read."),
  retryBaseMs: ms(1, 600_000)
    .default(500)
    .describe(
      "Wait before the first retry, doubled each time, with jitter, milliseconds; a retry-after of the provider is kept.",
    ),
  stream: z
    .boolean()
    .default(false)
    .describe("Asks providers to stream their answers, for servers that answer in no other way."),
  tokenBudget: count(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe("Input and output tokens a round may use; 0 = no limit."),
  costBudgetUsd: z
    .number()
    .min(0)
    .default(0)
    .describe("US dollars a round may cost; 0 = no limit. Needs the two prices below."),
  inputUsdPerMillion: z.number().min(0).default(0).describe("Price of a million input tokens, US dollars."),
  outputUsdPerMillion: z.number().min(0).default(0).describe("Price of a million output tokens, US dollars."),
});

const decay = () => z.number().min(0).max(0.999999);

const tinker = z.strictObject({
  baseUrl: z
    .string()
    .default("")
    .describe(
      "Address of a server that speaks the Tinker protocol, without `/api/v1`; the environment variable TINKER_BASE_URL goes before it.",
    ),
  tokenizer: z
    .string()
    .default("")
    .describe(
      "Folder with the model's `tokenizer.json` and `tokenizer_config.json`; nothing is downloaded. A folder in it that is named as the model (`Qwen/Qwen3-8B`) goes before it.",
    ),
  enableThinking: z
    .boolean()
    .default(true)
    .describe("What `enable_thinking` is in chat templates that ask for it."),
  loraRank: count(1, 1_024).default(32).describe("Rank of the LoRA weights that a first update makes."),
  loraSeed: count(0, 2_147_483_647)
    .default(0)
    .describe("Seed of the LoRA weights that a first update makes."),
  learningRate: z.number().min(0).max(1).default(1e-5).describe("Adam's learning rate."),
  beta1: decay().default(0.9).describe("Adam's first decay rate."),
  beta2: decay().default(0.95).describe("Adam's second decay rate."),
  eps: z.number().min(1e-30).max(1).default(1e-12).describe("Adam's term against division by 0."),
  weightDecay: z.number().min(0).max(1).default(0).describe("Adam's decoupled weight decay."),
  waitMs: ms(1_000, 86_400_000)
    .default(1_800_000)
    .describe(
      "Limit of one training request, from when it is handed in until its result is there, milliseconds.",
    ),
});

const memory = z.strictObject({
  size: count(1, 100_000).default(200).describe("Past environments the designer can be shown."),
  good: count(0, 50).default(4).describe("Good examples in a designer's prompt."),
  bad: count(0, 50).default(3).describe("Warning examples in a designer's prompt."),
});

const documents = z.strictObject({
  maxBytes: count(1_024, 1_073_741_824)
    .default(33_554_432)
    .describe("Size of a file or link at most, bytes."),
  pieceCharacters: count(200, 1_000_000)
    .default(6_000)
    .describe("Length of one document; longer ones are split at paragraphs."),
});

const ids = () => z.array(z.string().regex(new RegExp(idPattern))).default([]);

const discord = z.strictObject({
  api: z.url().default("https://discord.com/api").describe("REST base of Discord, or of a proxy before it."),
  guilds: ids().describe("Servers (ids) in which the bot answers; empty = all it is in."),
  channels: ids().describe("Channels (ids) in which the bot answers, with their threads; empty = all."),
  progressMs: ms(1_000, 600_000)
    .default(4_000)
    .describe(
      "Least time between two edits of a progress message, milliseconds; after an hour at least 15,000.",
    ),
});

const roles = z.strictObject({
  admin: ids().describe(
    "Discord roles and users (ids) that are admins: model, budget, approvals, retire, export.",
  ),
  researcher: ids().describe("Discord roles and users (ids) that are researchers: rounds, hints, documents."),
  viewer: ids().describe("Discord roles and users (ids) that are viewers: look and play."),
});

const limits = z.strictObject({
  commandsPerMinute: count(1, 10_000).default(30).describe("Commands and clicks of one person in a minute."),
  roundsAtOnce: count(1, 1_000)
    .default(4)
    .describe("Rounds that a chat's process works on at once; further ones wait for their turn."),
  roundsPerHour: count(1, 10_000).default(20).describe("Rounds that one person may start in an hour."),
  tokensPerDay: count(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe("Tokens that one person's rounds may use in 24 hours; 0 = no limit."),
});

const approvals = z.strictObject({
  policy: z
    .enum(["never", "first-use", "always"])
    .default("never")
    .describe("When admitted environments wait for a person's approval, if a round does not say."),
  expireHours: count(1, 8_760)
    .default(72)
    .describe("Hours after which an environment that nobody decided about counts as rejected."),
});

const watch = z.strictObject({
  frontierRegret: z
    .number()
    .min(0)
    .max(2)
    .default(0.05)
    .describe("Mean regret of a round under which the frontier counts as lost."),
  frontierRounds: count(1, 1_000).default(3).describe("Rounds in a row that it takes."),
  easyReturn: z
    .number()
    .min(-1)
    .max(1)
    .default(0.9)
    .describe("Mean plain return of a round from which it counts as too easy."),
  hardReturn: z
    .number()
    .min(-1)
    .max(1)
    .default(0)
    .describe("Mean plain return of a round up to which it counts as too hard."),
  gateFailureRate: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe("Share of rejected designs of a round from which people are told."),
  debounceMs: ms(0, 3_600_000)
    .default(30_000)
    .describe("How long alerts of one kind are gathered before they are posted, milliseconds."),
});

const log = z.strictObject({
  level: z
    .enum(["trace", "debug", "info", "warn", "error", "silent"])
    .default("info")
    .describe("Least severe level that is logged."),
});

export const configSchema = z.strictObject({
  dataDir: z.string().min(1).default("var").describe("Where the lab keeps its data."),
  model: z
    .string()
    .min(1)
    .default("embedded")
    .describe(
      "`embedded`; `tinker:BASE` of a training server (docs/learning.md); or `provider:name` of a LangChain chat model, e.g. `openai:gpt-5`.",
    ),
  round: round.prefault({}),
  sandbox: sandbox.prefault({}),
  models: models.prefault({}),
  tinker: tinker.prefault({}),
  memory: memory.prefault({}),
  documents: documents.prefault({}),
  discord: discord.prefault({}),
  roles: roles.prefault({}),
  limits: limits.prefault({}),
  approvals: approvals.prefault({}),
  watch: watch.prefault({}),
  log: log.prefault({}),
});

export type Config = z.infer<typeof configSchema>;
export type SandboxConfig = Config["sandbox"];
export type ModelsConfig = Config["models"];
export type TinkerConfig = Config["tinker"];
