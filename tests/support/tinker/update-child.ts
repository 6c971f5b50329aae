/** A process that does one update and may be killed: `node update-child.ts DATA_DIR BASE_URL BATCH_FILE`. */
import { readFileSync } from "node:fs";
import { composeServices } from "../../../config/compose.ts";
import { configSchema } from "../../../config/schema.ts";
import { createTrainer } from "../../../graph/trainers/create.ts";
import { batch } from "../../../graph/trainers/trainer.ts";
import { silent } from "../services.ts";
import { quickTinker } from "./lab.ts";

const [dataDir = "", baseUrl = "", batchFile = ""] = process.argv.slice(2);
const config = configSchema.parse({ dataDir, tinker: { ...quickTinker, baseUrl } });
const services = await composeServices(config, { log: silent, emit: () => undefined });
const trainer = await createTrainer("tinker", services);
const { version } = await trainer.update(batch.parse(JSON.parse(readFileSync(batchFile, "utf8"))));
process.stdout.write(`${version}\n`);
await trainer.close?.();
await services.close();
