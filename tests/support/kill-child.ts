/**
 * A process that works on one round until it is done or killed: `node kill-child.ts DATA_DIR ROUND LOG RUN`. Every model
 * call is written to the log before it is answered, outside the store, so that nothing the store says can hide it.
 */
import { appendFileSync } from "node:fs";
import { runRound } from "../../graph/control.ts";
import { scriptedModel } from "./scripted-model.ts";
import { testServices } from "./services.ts";

const [dataDir = "", roundId = "", log = "", run = ""] = process.argv.slice(2);
const model = scriptedModel({
  before: async ({ role, seed }) => {
    appendFileSync(log, `${JSON.stringify({ run: Number(run), role, seed })}\n`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  },
});
process.stdout.write("ready\n");
const services = await testServices({ model, dataDir });
const { status } = await runRound(services, roundId);
await services.close();
process.stdout.write(`${status}\n`);
