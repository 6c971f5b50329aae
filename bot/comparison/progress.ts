/** Progress of a comparison on stderr: a bar on a terminal, elsewhere a line now and then. */
import { duration } from "../cards/numbers.ts";
import type { OutputStream } from "../cli/streams.ts";
import type { ComparisonProgress } from "./conduct.ts";

export interface ComparisonDisplay {
  update(progress: ComparisonProgress): void;
  stop(): void;
}

const lineEveryMs = 30_000;

/** Of the rounds that this process has seen, how long the others will take. */
function sentence({ done, before, total, runsDone, runs }: ComparisonProgress, elapsedMs: number): string {
  const own = done - before;
  const left =
    own <= 0 || done >= total ? "" : `, about ${duration((elapsedMs / own) * (total - done))} left`;
  return `${done}/${total} rounds, ${runsDone}/${runs} runs, ${duration(elapsedMs)}${left}`;
}

export async function comparisonDisplay(
  stream: OutputStream,
  say: (line: string) => void,
  now: () => number,
): Promise<ComparisonDisplay> {
  const started = now();
  if (stream.isTTY !== true) {
    let shownAt = Number.NEGATIVE_INFINITY;
    let runsShown = -1;
    return {
      update(progress) {
        if (now() - shownAt < lineEveryMs && progress.runsDone === runsShown) return;
        shownAt = now();
        runsShown = progress.runsDone;
        say(sentence(progress, now() - started));
      },
      stop: () => {},
    };
  }
  const { default: progressBars } = await import("cli-progress");
  const bar = new progressBars.SingleBar({
    stream,
    hideCursor: true,
    gracefulExit: false,
    fps: 4,
    format: "compare {bar} {said}",
    barsize: 24,
  });
  let isOpen = false;
  return {
    update(progress) {
      const said = sentence(progress, now() - started);
      if (!isOpen) bar.start(progress.total, progress.done, { said });
      isOpen = true;
      bar.update(progress.done, { said });
    },
    stop() {
      if (isOpen) bar.stop();
    },
  };
}
