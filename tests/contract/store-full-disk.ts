/** Fills the disk under a store and prints, as JSON, what the store said and kept: `node store-full-disk.ts DIRECTORY`. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SpadeworkError } from "../../config/errors.ts";
import { databaseFile } from "../../store/sqlite/open.ts";
import { anEpisode } from "./store-records.ts";
import { open } from "./store-sqlite.ts";

const [directory = ""] = process.argv.slice(2);
const filler = join(directory, "filler");

function fill(): void {
  for (const size of [1_048_576, 65_536, 4_096, 1]) {
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: "a" });
    } catch {
      // The next smaller piece, until nothing fits.
    }
  }
}

async function failure(work: () => Promise<unknown>): Promise<SpadeworkError | null> {
  try {
    await work();
    return null;
  } catch (thrown) {
    if (thrown instanceof SpadeworkError) return thrown;
    throw thrown;
  }
}

fill();
const openedOnFullDisk = await failure(() => open(join(directory, "new")));
rmSync(filler);

const store = await open(directory);
await store.episodes.insert(anEpisode({ index: 0 }));
fill();
let written = 0;
const failed = await failure(async () => {
  for (let index = 1; index < 10_000; index += 1) {
    await store.episodes.insert(anEpisode({ index }));
    written = index;
  }
});
const keptWhileFull = (await store.episodes.ofRound("r1")).length === written + 1;
rmSync(filler);
const writesAgain = await store.episodes.insert(anEpisode({ index: written + 1 }));
await store.close();
const again = await open(directory);
const keptAfterwards = (await again.episodes.ofRound("r1")).length === written + 2;
await again.close();
const database = new DatabaseSync(join(directory, databaseFile));
const sound = database.prepare("PRAGMA integrity_check").get()?.integrity_check;
database.close();

process.stdout.write(
  JSON.stringify({
    openedOnFullDisk: openedOnFullDisk?.code,
    code: failed?.code,
    message: failed?.message,
    keptWhileFull,
    writesAgain,
    keptAfterwards,
    sound,
  }),
);
