/**
 * A process that works on one round until it is done or killed: `node kill-child.ts DATA_DIR ROUND LOG RUN`. Every model
 * call is written to the log before it is answered, outside the store, so that nothing the store says can hide it.
 */
import { appendFileSync } from "node:fs";
import { configSchema } from "../../config/schema.ts";
import { runRound } from "../../graph/control.ts";
import { scriptedModel } from "./scripted-model.ts";
import { testServices } from "./services.ts";

const [dataDir = "", roundId = "", log = "", run = ""] = process.argv.slice(2);
const model = scriptedModel({
  before: async ({ role, seed }) => {
    appendFileSync(log, `${JSON.stringify({ run: Number(run), role, seed })}\n`);
    process.stdout.write(".");
    await new Promise((resolve) => setTimeout(resolve, 5));
  },
});
process.stdout.write("ready\n");
// Few calls at once: a round must take long enough to be killed in the middle of everything.
const { models } = configSchema.parse({ models: { concurrency: 2 } });
const services = await testServices({ model, dataDir, config: { models } });
const { status } = await runRound(services, roundId);
await services.close();
process.stdout.write(`\n${status}\n`);
