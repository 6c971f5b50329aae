/** The event hub: what happens in rounds reaches everybody who watches, and nobody who watches can harm a round. */
import type { Logger } from "pino";
import type { Listener } from "../../graph/events.ts";

export interface Hub {
  /** What services are composed with. Never throws. */
  readonly emit: Listener;
  /** Listens from now on; what comes back ends it. */
  add(listener: Listener): () => void;
}

export function createHub(log: Logger): Hub {
  const listeners = new Set<Listener>();
  return {
    emit(event) {
      for (const listener of [...listeners]) {
        try {
          listener(event);
        } catch (error) {
          const about = event.type === "campaign" ? event.campaignId : event.roundId;
          log.error({ err: error, event: event.type, about }, "a listener failed");
        }
      }
    },
    add(listener) {
      // Wrapped, so that one that listens twice can also stop twice.
      const own: Listener = (event) => listener(event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
