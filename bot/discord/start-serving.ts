/** Serving a team on Discord from one process: its services, charts and team, from the start until it is asked to stop. */
import { createRedact } from "../../config/redact.ts";
import { createPainter } from "../charts/painter.ts";
import { createHub } from "../chat/hub.ts";
import { openTeam } from "../chat/open-team.ts";
import type { Command, CommandContext, Serving } from "../commands/command.ts";
import { startDiscord } from "./start.ts";

export interface ServeOptions {
  readonly serving: Serving;
  readonly context: CommandContext;
  readonly commands: readonly Command[];
  readonly token: string;
  readonly guildId: string | null;
}

/**
 * Serves until the process is asked to stop; what is in flight is finished first, and rounds go on at the next start.
 * Throws `chat.bad-token` and `chat.bad-intent`, also when Discord comes to that while it serves.
 */
export async function serveDiscord({
  serving,
  context,
  commands,
  token,
  guildId,
}: ServeOptions): Promise<void> {
  const { log } = context;
  const stop = context.drainable();
  const hub = createHub(log);
  const services = await serving.open(hub.emit);
  const painter = createPainter({ log });
  // One forgotten promise of one round must not end the chat of everybody.
  const forgotten = (error: unknown): void => {
    log.error({ err: error }, "something failed that nobody waited for");
  };
  process.on("unhandledRejection", forgotten);
  try {
    const bot = await startDiscord({
      config: (preset) => context.config(preset),
      services,
      commands,
      token,
      guildId,
      openTeam: (parts) => openTeam({ ...parts, hub }),
      drawChart: (chart) => painter.draw(chart),
      log,
      redact: createRedact(serving.environment),
      say: (line) => serving.say(line),
      signal: stop,
    });
    if (bot === null) return;
    const stopped = new Promise<null>((resolve) => {
      if (stop.aborted) resolve(null);
      else stop.addEventListener("abort", () => resolve(null), { once: true });
    });
    const ended = await Promise.race([bot.ended, stopped]);
    await bot.close();
    if (ended !== null) throw ended;
  } finally {
    await painter.close();
    await services.close();
    process.off("unhandledRejection", forgotten);
  }
}
