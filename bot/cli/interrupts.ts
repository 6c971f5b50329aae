/**
 * Ctrl-C and SIGTERM: the first asks a command that can drain to finish what is in flight; the second, or the first to
 * any other command, ends the process at once.
 */

export interface Interrupts {
  /** Declares that the command drains, and gives the signal that tells it to. */
  drainable(): AbortSignal;
  /** One Ctrl-C, for terminals in raw mode, where it comes as a key. */
  interrupt(): void;
  /** Stops listening. */
  stop(): void;
}

export interface InterruptHandlers {
  /** The command was asked to drain. */
  onDrain(): void;
  /** The process is to end now; does not return. */
  onStop(): never;
}

export function watchInterrupts({ onDrain, onStop }: InterruptHandlers): Interrupts {
  const draining = new AbortController();
  let canDrain = false;
  const interrupt = (): void => {
    if (!canDrain || draining.signal.aborted) onStop();
    draining.abort();
    onDrain();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  return {
    drainable() {
      canDrain = true;
      return draining.signal;
    },
    interrupt,
    stop() {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
    },
  };
}
