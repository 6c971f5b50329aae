/** Every mechanic is won by its own strategy carried out well, and mostly lost by the others, in the real sandbox. */
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { strategies } from "../../graph/models/embedded/mechanics/concepts.ts";
import { mechanics } from "../../graph/models/embedded/mechanics/mechanics.ts";
import type { Played } from "../../graph/play.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { embeddedModel, instanceOf, masterOf, playOne } from "../support/embedded-play.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox(configSchema.parse({}).sandbox, pino({ level: "silent" }));
});
afterAll(async () => {
  await sandbox.close();
});

const levels = [0, 1, 2] as const;
const sizes = Array.from({ length: 16 }, (_, i) => i + 1);
const models = new Map(strategies.map((strategy) => [strategy, embeddedModel(masterOf(strategy))]));

async function winShare(plays: readonly Promise<Played>[]): Promise<number> {
  const played = await Promise.all(plays);
  expect(played.flatMap(({ ending }) => ending.failure ?? [])).toEqual([]);
  return played.filter(({ ending }) => ending.return === 1).length / played.length;
}

describe.each(mechanics)("$name", (mechanic) => {
  const play = (strategy: (typeof strategies)[number], size: number, key: number) => {
    const model = models.get(strategy);
    if (model === undefined) throw new Error(strategy);
    const source = instanceOf(mechanic, size, levels[key % 3] ?? 1, key);
    return playOne(sandbox, model, { source, kind: mechanic.kind }, [mechanic.name, strategy, key]);
  };

  test("its own strategy wins", async () => {
    const share = await winShare(sizes.map((size) => play(mechanic.concept, size, size)));
    expect(share).toBeGreaterThanOrEqual(0.8);
  });

  test("the other strategies mostly lose", async () => {
    const others = strategies.filter((strategy) => strategy !== mechanic.concept);
    const share = await winShare(
      others.flatMap((strategy) => [6, 12].map((size) => play(strategy, size, size))),
    );
    expect(share).toBeLessThan(0.2);
  });
});
