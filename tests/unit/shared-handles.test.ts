import { afterAll, beforeAll, expect, it } from "vitest";
import { createRound, runRound } from "../../graph/control.ts";
import type { EpisodeRecord } from "../../store/records.ts";
import { embeddedLab } from "../support/embedded-lab.ts";
import { roundOptionsOf, type TestServices } from "../support/services.ts";

let labs: TestServices[] = [];
beforeAll(async () => {
  labs = [await embeddedLab(), await embeddedLab()];
});
afterAll(async () => {
  for (const lab of labs) await lab.close();
});

it("plays that share isolates go as those that have one each, and open fewer", async () => {
  const opened: number[] = [];
  const sandbox = await labs[0]?.sandbox();
  if (sandbox === undefined) throw new Error("there is no lab");
  const played = await Promise.all(
    labs.map(async (lab, i) => {
      let opens = 0;
      const services = {
        ...lab,
        // Few at once, so that some plays come after others.
        config: { ...lab.config, models: { ...lab.config.models, concurrency: 2 } },
        sandbox: async () => ({
          ...sandbox,
          open: (...given: Parameters<typeof sandbox.open>) => {
            opens += 1;
            return sandbox.open(...given);
          },
          stats: () => sandbox.stats(),
          close: () => sandbox.close(),
        }),
      };
      const options = roundOptionsOf({
        model: "embedded",
        envs: 2,
        plays: 6,
        hintedPlays: 2,
        fill: true,
        ...(i === 0 ? { sharedIsolates: true } : {}),
      });
      const { id } = await createRound(services, options, "test");
      expect((await runRound(services, id)).status).toBe("finished");
      opened[i] = opens;
      return (await lab.store.episodes.ofRound(id)).map(essence);
    }),
  );
  expect(played[0]).toEqual(played[1]);
  expect(played[0]).toHaveLength(2 * 8);
  const [shared = 0, own = 0] = opened;
  expect(shared).toBeLessThan(own);
});

/** What must not depend on who else used the isolate; the transcript's times do. */
function essence({ id, seed, turns, terminated, truncated, failure, ...episode }: EpisodeRecord) {
  return { id, seed, turns, terminated, truncated, failure, return: episode.return };
}
