/**
 * The painter: draws charts in a worker thread, one after another, so that the bot goes on answering meanwhile. The
 * worker starts with the first chart; one that hangs or dies is replaced, and the chart it was at fails.
 */
import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import { z } from "zod";
import { ChatError } from "../../config/errors.ts";
import type { Chart } from "../cards/chart.ts";

export interface Painter {
  /** The chart as a PNG. Throws `chat.no-chart` if it can't be drawn. */
  draw(chart: Chart): Promise<Uint8Array>;
  close(): Promise<void>;
}

const drawn = z.union([
  z.object({ id: z.number(), png: z.instanceof(Uint8Array) }),
  z.object({ id: z.number(), problem: z.string() }),
]);

interface Owed {
  readonly resolve: (png: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

const failed = (why: string): ChatError =>
  new ChatError("chat.no-chart", `The chart could not be drawn: ${why}`);

export interface PainterOptions {
  readonly log: Logger;
  /** How long one chart may take, milliseconds. */
  readonly timeoutMs?: number;
}

export function createPainter({ log, timeoutMs = 30_000 }: PainterOptions): Painter {
  let worker: Worker | null = null;
  let lastId = 0;
  const owed = new Map<number, Owed>();

  const giveUp = (why: string): void => {
    const ended = worker;
    worker = null;
    if (owed.size > 0) log.warn({ why, charts: owed.size }, "charts could not be drawn");
    for (const one of owed.values()) {
      clearTimeout(one.timer);
      one.reject(failed(why));
    }
    owed.clear();
    void ended?.terminate();
  };

  const take = (message: unknown): void => {
    const answer = drawn.parse(message);
    const one = owed.get(answer.id);
    if (one === undefined) return;
    owed.delete(answer.id);
    clearTimeout(one.timer);
    if ("png" in answer) one.resolve(answer.png);
    else one.reject(failed(answer.problem));
  };

  const start = (): Worker => {
    const started = new Worker(new URL("./worker.ts", import.meta.url), { name: "charts" });
    // A chart that nobody waits for any more must not keep the process alive.
    started.unref();
    started.on("message", take);
    started.on("error", (error: unknown) => {
      if (worker === started) giveUp(error instanceof Error ? error.message : String(error));
    });
    started.on("exit", () => {
      if (worker === started) giveUp("the drawing thread ended");
    });
    return started;
  };

  return {
    draw(chart) {
      worker ??= start();
      const drawing = worker;
      return new Promise((resolve, reject) => {
        lastId += 1;
        const timer = setTimeout(() => giveUp(`it took more than ${timeoutMs} ms`), timeoutMs);
        owed.set(lastId, { resolve, reject, timer });
        drawing.postMessage({ id: lastId, chart });
      });
    },
    async close() {
      const ended = worker;
      giveUp("the bot is ending");
      await ended?.terminate();
    },
  };
}
