/**
 * A process that writes one export until it is done or killed: `node export-child.ts DATA_DIR FORMAT OUT MARK_BYTES
 * SHARD_MB`. It prints a dot for every transcript that it reads, so that a test can strike it in its midst.
 */
import { exportFormat } from "../../graph/export/options.ts";
import { openStore } from "../../store/open.ts";
import { exportInto } from "./exports.ts";
import { silent } from "./services.ts";

const [dataDir = "", format = "", out = "", markBytes = "", shardMb = ""] = process.argv.slice(2);
const store = await openStore({ dataDir, log: silent });
const texts = {
  ...store.texts,
  get: (id: string) => {
    process.stdout.write(".");
    return store.texts.get(id);
  },
};
process.stdout.write("ready\n");
const asked = { format: exportFormat.parse(format), shardMb: Number(shardMb) };
const { state } = await exportInto({ store: { ...store, texts } }, out, asked, {
  markBytes: Number(markBytes),
});
await store.close();
process.stdout.write(`\n${state}\n`);
