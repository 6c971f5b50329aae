/** From a trainer's name to a Trainer. */
import type { Services } from "../services.ts";
import { createEmbeddedTrainer } from "./embedded/trainer.ts";
import type { UpdateSettings } from "./embedded/update.ts";
import type { Trainer } from "./trainer.ts";

export interface TrainerOptions {
  /** Of the embedded policy's updates; missing: the tuned ones. */
  readonly embedded?: UpdateSettings;
}

/** The trainer of a name that a campaign was given. */
export async function createTrainer(
  name: "embedded" | "tinker",
  { store, config, log, now }: Services,
  { embedded }: TrainerOptions = {},
): Promise<Trainer> {
  switch (name) {
    case "embedded":
      return createEmbeddedTrainer({ store, now, ...(embedded === undefined ? {} : { settings: embedded }) });
    case "tinker": {
      const { createTinkerTrainer } = await import("./tinker/trainer.ts");
      return createTinkerTrainer({ store, config, log, now });
    }
  }
}
