/** A little bot: the real client, logged in to a test server, with a handler that a test gives. */
import { Client, GatewayIntentBits, type Interaction } from "discord.js";
import type { DiscordServer } from "./served.ts";

export interface LittleBot {
  readonly client: Client<true>;
  /** What handlers threw. */
  readonly errors: unknown[];
  stop(): Promise<void>;
}

/** Logs a client in and waits until it is ready. */
export async function startLittleBot(
  discord: DiscordServer,
  handle: (interaction: Interaction) => Promise<unknown> = async () => undefined,
): Promise<LittleBot> {
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    rest: { api: discord.api },
    allowedMentions: { parse: [] },
  });
  const errors: unknown[] = [];
  client.on("error", (error) => errors.push(error));
  client.on("interactionCreate", (interaction) => {
    handle(interaction).catch((error: unknown) => errors.push(error));
  });
  const ready = new Promise<Client<true>>((resolve) => client.once("clientReady", resolve));
  await client.login(discord.token);
  return { client: await ready, errors, stop: () => client.destroy() };
}
