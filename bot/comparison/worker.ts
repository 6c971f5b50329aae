/**
 * A worker of a comparison: one run in a process of its own, so that every core has work. Its settings are the
 * defaults, whatever the lab's are, since results would not be comparable otherwise.
 */
import { composeServices } from "../../config/compose.ts";
import { asSpadeworkError } from "../../config/errors.ts";
import { createLogger } from "../../config/logging.ts";
import { createRedact } from "../../config/redact.ts";
import { configSchema } from "../../config/schema.ts";
import { runInLab } from "../../graph/comparison/lab.ts";
import { job, type Report } from "./job.ts";

const { dir, run, sizes } = job.parse(JSON.parse(process.argv[2] ?? ""));
const drain = new AbortController();
const stop = (): void => drain.abort();
process.on("SIGTERM", stop);
// Ctrl-C reaches the whole group of processes; the one that conducts says what is to happen.
process.on("SIGINT", () => {});
process.on("disconnect", stop);

function tell(report: Report): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(report, () => resolve());
    else resolve();
  });
}

const config = configSchema.parse({
  dataDir: dir,
  // Nothing runs in it but what the project's own designer writes.
  sandbox: { hosts: 1, jit: false },
  // Few plays at once use few isolates over and over.
  models: { concurrency: 8 },
});
const log = createLogger({ dataDir: dir, level: "warn", redact: createRedact(process.env), console: null });
const services = await composeServices(config, { log, emit: () => {} });
try {
  const outcome = await runInLab(services, run, sizes, {
    drain: drain.signal,
    onProgress: (done) => void tell({ type: "progress", done }),
  });
  await tell(outcome === null ? { type: "stopped" } : { type: "done", outcome });
} catch (thrown) {
  const { code, message } = asSpadeworkError(thrown);
  log.error({ err: thrown }, "a run of a comparison failed");
  await tell({ type: "failed", code, message });
}
await services.close();
process.exit(0);
