/** From settings and environment variables to a client of the training server. */
import type { Logger } from "pino";
import { ProviderError } from "../../../config/errors.ts";
import { createRedact } from "../../../config/redact.ts";
import type { Config } from "../../../config/schema.ts";
import { TinkerClient } from "./client.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * A client of the server at TINKER_BASE_URL or `tinker.baseUrl`, with the key of TINKER_API_KEY where there is one: a
 * server of one's own needs none. Throws `provider.no-server` without a usable address. Nothing is sent yet.
 */
export function connectTinker(
  { tinker, models }: Pick<Config, "tinker" | "models">,
  variables: Variables,
  log: Logger,
): TinkerClient {
  return new TinkerClient({
    server: {
      baseUrl: addressOf(variables.TINKER_BASE_URL || tinker.baseUrl),
      apiKey: variables.TINKER_API_KEY || null,
      redact: createRedact(variables),
    },
    retries: models.retries,
    retryBaseMs: models.retryBaseMs,
    timeoutMs: models.timeoutMs,
    waitMs: tinker.waitMs,
    log,
  });
}

function addressOf(given: string): string {
  if (given === "") {
    throw new ProviderError(
      "provider.no-server",
      "The address of a training server is needed, and none is set.",
    );
  }
  const url = URL.parse(given);
  // The address may hold a secret, so it is not repeated.
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ProviderError(
      "provider.no-server",
      "The training server's address is no URL that begins with http.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new ProviderError(
      "provider.no-server",
      "The training server's address must hold no name or password; a key goes into TINKER_API_KEY.",
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
