/** One export in a process of its own: `node export-once.ts DATA_DIR FORMAT OUT` prints `{bytes, ms, peakMb}` as JSON. */
import { pino } from "pino";
import { exportData } from "../graph/export/export.ts";
import { exportFormat, settleOptions } from "../graph/export/options.ts";
import { planExport } from "../graph/export/plan.ts";
import { openStore } from "../store/open.ts";

const [dataDir = "", format = "", out = ""] = process.argv.slice(2);
const store = await openStore({ dataDir, log: pino({ level: "silent" }) });
const started = performance.now();
const plan = await planExport(store, settleOptions({ format: exportFormat.parse(format) }));
const outcome = await exportData({ store }, plan, out, { signal: new AbortController().signal });
const ms = performance.now() - started;
await store.close();
const bytes = outcome.state === "empty" ? 0 : outcome.card.bytes;
process.stdout.write(JSON.stringify({ bytes, ms, peakMb: process.resourceUsage().maxRSS / 1_024 }));
