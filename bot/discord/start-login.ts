/** Logging in: what Discord refuses for good is one clear error, what it does not answer is tried again. */
import { setTimeout as wait } from "node:timers/promises";
import {
  Client,
  DiscordAPIError,
  DiscordjsError,
  DiscordjsErrorCodes,
  Events,
  GatewayIntentBits,
} from "discord.js";
import type { Logger } from "pino";
import { ChatError } from "../../config/errors.ts";

export interface LoginOptions {
  readonly token: string;
  /** REST base. */
  readonly api: string;
  readonly log: Logger;
  /** Tells whoever started the bot. */
  say(line: string): void;
  /** Ends the attempts. */
  readonly signal: AbortSignal;
  /** Listens to a client before it logs in. */
  prepare(client: Client): void;
}

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** A gateway that takes the connection and then says nothing. */
const readyMs = 60_000;

/** Close codes after which the client does not connect again, with what they mean. */
export function closeError(code: number): ChatError {
  if (code === 4004) return new ChatError("chat.bad-token", "Discord does not accept the bot's token.");
  if (code === 4013 || code === 4014) {
    return new ChatError("chat.bad-intent", "Discord refuses the intents that the bot asks for.");
  }
  return new ChatError("chat.unavailable", `Discord ended the connection for good (close code ${code}).`);
}

/** What can't get better by trying again, as an error for people; null for the rest. */
function fatal(thrown: unknown): ChatError | null {
  if (thrown instanceof DiscordjsError && thrown.code === DiscordjsErrorCodes.TokenInvalid)
    return closeError(4004);
  if (thrown instanceof DiscordAPIError && thrown.status === 401) return closeError(4004);
  if (thrown instanceof DiscordjsError && thrown.code === DiscordjsErrorCodes.DisallowedIntents) {
    return closeError(4014);
  }
  if (thrown instanceof DiscordjsError && thrown.code === DiscordjsErrorCodes.InvalidIntents)
    return closeError(4013);
  if (!(thrown instanceof Error)) return null;
  // The gateway's own library names what closed it in words alone.
  if (/disallowed intents|invalid intents/i.test(thrown.message)) return closeError(4014);
  return /authentication failed/i.test(thrown.message) ? closeError(4004) : null;
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "no answer";
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  if ("status" in thrown && typeof thrown.status === "number") return `it answered ${thrown.status}`;
  return thrown.name === "AbortError" ? "no answer in time" : (thrown.message.split("\n")[0] ?? thrown.name);
}

function createClient(api: string): Client {
  return new Client({
    intents: [GatewayIntentBits.Guilds],
    rest: { api },
    allowedMentions: { parse: [] },
  });
}

/** One attempt: resolves when the client is ready. */
async function attempt(client: Client, { token, signal }: LoginOptions): Promise<Client<true>> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(readyMs)]);
  const { promise: ready, resolve, reject } = Promise.withResolvers<Client<true>>();
  // Whether it is awaited depends on how the login goes.
  ready.catch(() => {});
  client.once(Events.ClientReady, resolve);
  client.once(Events.ShardDisconnect, ({ code }) => reject(closeError(code)));
  limit.addEventListener("abort", () => reject(new Error("no answer in time")), { once: true });
  await Promise.race([client.login(token), ready]);
  return ready;
}

/**
 * A client that is ready. Tries again for as long as Discord can't be reached, and says so. Throws `chat.bad-token`
 * and `chat.bad-intent`. Resolves with null when the signal aborts.
 */
export async function logIn(options: LoginOptions): Promise<Client<true> | null> {
  const { api, log, say, signal, prepare } = options;
  let delay = firstWaitMs;
  while (!signal.aborted) {
    const client = createClient(api);
    client.on(Events.Error, (error) => log.error({ err: error }, "the Discord client reports an error"));
    prepare(client);
    try {
      return await attempt(client, options);
    } catch (thrown) {
      await client.destroy();
      const error =
        thrown instanceof ChatError && thrown.code !== "chat.unavailable" ? thrown : fatal(thrown);
      if (error !== null) throw error;
      if (signal.aborted) return null;
      log.info({ err: thrown }, "Discord could not be reached");
      say(`Discord can't be reached (${reasonOf(thrown)}); trying again in ${Math.round(delay / 1_000)} s.`);
    }
    await wait(delay, undefined, { signal }).catch(() => {});
    delay = Math.min(delay * 2, longestWaitMs);
  }
  return null;
}
