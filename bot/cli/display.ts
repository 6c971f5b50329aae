/** The display of one command: progress where a round is worked on, lines for people at any time. */
import type { Environment } from "../../config/load.ts";
import type { LabEvent } from "../../graph/events.ts";
import { widthOf } from "./output.ts";
import { createProgress, type Progress } from "./progress.ts";
import type { OutputStream } from "./streams.ts";

export interface Display {
  /** The last round that was worked on, and the campaign if it is one's. */
  worksOn(): { readonly roundId: string | null; readonly campaignId: string | null };
  /** Makes the progress display; before that, lines go straight out and events are only noted. */
  open(): Promise<void>;
  listen(event: LabEvent): void;
  /** A line for people; `text` ends with a line break. */
  say(text: string): void;
  /** Ends the display; what it shows stays. */
  stop(): void;
}

export function createDisplay(stderr: OutputStream, environment: Environment): Display {
  let progress: Progress | null = null;
  let roundId: string | null = null;
  let campaignId: string | null = null;
  return {
    worksOn: () => ({ roundId, campaignId }),
    async open() {
      progress ??= await createProgress(
        {
          isTerminal: stderr.isTTY === true && environment.TERM !== "dumb",
          width: widthOf(stderr, environment),
          write: (text) => void stderr.write(text),
          stream: stderr,
        },
        () => performance.now(),
      );
    },
    listen(event) {
      if (event.type === "campaign") campaignId = event.doing === "stopping" ? null : event.campaignId;
      else roundId = event.roundId;
      progress?.listen(event);
    },
    say(text) {
      if (progress === null) stderr.write(text);
      else progress.say(text);
    },
    stop() {
      progress?.stop();
      progress = null;
    },
  };
}
