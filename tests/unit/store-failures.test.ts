/** What people are told when the data directory is full, read-only, locked or damaged, and that nothing is harmed. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { Database } from "../../store/sqlite/database.ts";
import { currentVersion } from "../../store/sqlite/migrations.ts";
import { databaseFile, openSqliteStore } from "../../store/sqlite/open.ts";
import { sqliteTexts } from "../../store/sqlite/texts.ts";
import type { Store } from "../../store/store.ts";
import { anEnvironment, anEpisode, aRound } from "../contract/store-records.ts";

let dataDir: string;
let file: string;
let store: Store | null;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "spadework-store-"));
  file = join(dataDir, databaseFile);
  store = null;
});

afterEach(async () => {
  await store?.close();
  chmodSync(dataDir, 0o755);
  rmSync(dataDir, { recursive: true });
});

async function open(busyTimeoutMs = 100): Promise<Store> {
  store = await openSqliteStore({ dataDir, log: pino({ level: "silent" }), busyTimeoutMs });
  return store;
}

/** Leaves a store with a round and a few hundred texts in it. */
async function filled(): Promise<void> {
  const opened = await open();
  await opened.rounds.insert(aRound({ id: "r1" }));
  for (let index = 0; index < 300; index += 1) {
    const transcriptId = await opened.texts.put(`transcript ${index} ${"dial ".repeat(200)}`);
    await opened.episodes.insert(anEpisode({ index, transcriptId }));
  }
  await opened.close();
}

/** Changes the database behind the store's back. */
function tamper(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** Runs `work` as a user whose permissions count, even where the tests run as root. */
async function asPlainUser(work: () => Promise<void>): Promise<void> {
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    if (root) process.seteuid?.(0);
  }
}

describe("a full disk", () => {
  const script = fileURLToPath(new URL("../contract/store-full-disk.ts", import.meta.url));
  const answer = z.object({
    openedOnFullDisk: z.string(),
    code: z.string(),
    message: z.string(),
    keptWhileFull: z.boolean(),
    writesAgain: z.boolean(),
    keptAfterwards: z.boolean(),
    sound: z.string(),
  });

  test("is told as such, loses nothing that was stored, and goes on once there is space", () => {
    const mount = `mount -t tmpfs -o size=2m tmpfs "$1" && exec "$2" "$3" "$1"`;
    const namespace = process.geteuid?.() === 0 ? ["-m"] : ["-r", "-m"];
    const inside = (command: string) =>
      spawnSync("unshare", [...namespace, "sh", "-c", command, "sh", dataDir, process.execPath, script], {
        encoding: "utf8",
      });
    // Where no file system may be mounted, the next test stands alone.
    if (inside('mount -t tmpfs tmpfs "$1"').status !== 0) return;
    const said = inside(mount).stdout;
    expect(answer.parse(JSON.parse(said))).toEqual({
      openedOnFullDisk: "store.full",
      code: "store.full",
      message: `The disk that holds ${file} is full.`,
      keptWhileFull: true,
      writesAgain: true,
      keptAfterwards: true,
      sound: "ok",
    });
  });

  test("is told as such where the database itself may not grow", async () => {
    const database = new Database(file);
    database.script("CREATE TABLE texts (id TEXT PRIMARY KEY, encoding TEXT, body BLOB)");
    database.script("PRAGMA max_page_count = 8");
    const texts = sqliteTexts(database);
    const id = await texts.put("kept");
    const noise = Array.from({ length: 20_000 }, (_, i) => (i * 2_654_435_761) >>> 0).join(" ");
    await expect(texts.put(noise)).rejects.toMatchObject({ code: "store.full" });
    expect(await texts.get(id)).toBe("kept");
    database.close();
  });
});

describe("a data directory that can't be written", () => {
  test("is told at once: no permission for the directory", async () => {
    chmodSync(dataDir, 0o555);
    await asPlainUser(() => expect(open()).rejects.toMatchObject({ code: "store.read-only" }));
    expect(existsSync(file)).toBe(false);
  });

  test("is told at once: no permission for a new directory", async () => {
    chmodSync(dataDir, 0o555);
    const inside = { dataDir: join(dataDir, "new"), log: pino({ level: "silent" }) };
    await asPlainUser(() =>
      expect(openSqliteStore(inside)).rejects.toMatchObject({ code: "store.read-only" }),
    );
  });

  test("is told at once: no permission for the database", async () => {
    await filled();
    const before = readFileSync(file);
    chmodSync(file, 0o444);
    chmodSync(dataDir, 0o777);
    await asPlainUser(() => expect(open()).rejects.toMatchObject({ code: "store.read-only" }));
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("is told at once: a file where the directory should be", async () => {
    writeFileSync(join(dataDir, "var"), "");
    const inside = { dataDir: join(dataDir, "var"), log: pino({ level: "silent" }) };
    await expect(openSqliteStore(inside)).rejects.toMatchObject({ code: "store.read-only" });
  });
});

describe("a locked database", () => {
  test("is waited for, then told; reading goes on and writing works again afterwards", async () => {
    const opened = await open();
    await opened.rounds.insert(aRound({ id: "r1" }));
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    await expect(opened.rounds.insert(aRound({ id: "r2" }))).rejects.toMatchObject({ code: "store.locked" });
    await expect(opened.rounds.update("r1", (it) => it)).rejects.toMatchObject({ code: "store.locked" });
    expect(await opened.rounds.get("r1")).not.toBeNull();
    other.exec("ROLLBACK");
    other.close();
    expect(await opened.rounds.insert(aRound({ id: "r2" }))).toBe(true);
  });

  test("a short lock is waited out", async () => {
    const opened = await open(10_000);
    const holder = spawn(process.execPath, [
      "--input-type=module",
      "-e",
      `import { DatabaseSync } from "node:sqlite";
       const other = new DatabaseSync(${JSON.stringify(file)});
       other.exec("BEGIN IMMEDIATE");
       process.stdout.write("held");
       setTimeout(() => { other.exec("ROLLBACK"); other.close(); }, 100);`,
    ]);
    await once(holder.stdout, "data");
    expect(await opened.rounds.insert(aRound({ id: "r1" }))).toBe(true);
    await once(holder, "exit");
  });

  test("is told when it is locked from the start", async () => {
    await filled();
    const other = new DatabaseSync(file);
    other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    await expect(open()).rejects.toMatchObject({ code: "store.locked" });
    other.exec("ROLLBACK");
    other.close();
  });
});

describe("a damaged database", () => {
  test("is told when the file is no database, and left alone", async () => {
    const text = "A file of somebody else.\n".repeat(400);
    writeFileSync(file, text);
    await expect(open()).rejects.toMatchObject({ code: "store.corrupt" });
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("is told when it belongs to another program, and left alone", async () => {
    tamper("CREATE TABLE mine (a)");
    await expect(open()).rejects.toMatchObject({ code: "store.corrupt" });
    const database = new DatabaseSync(file);
    expect(database.prepare("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "mine" }]);
    database.close();
  });

  test("is told when pages of it are overwritten", async () => {
    await filled();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4_096 * 2);
    writeFileSync(file, bytes);
    await expect(
      open().then(async (opened) => {
        for (let index = 0; index < 300; index += 1) await opened.episodes.ofRound("r1");
      }),
    ).rejects.toMatchObject({ code: "store.corrupt" });
    await store?.close();
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  test("is told when its end is missing", async () => {
    await filled();
    truncateSync(file, statSync(file).size / 2);
    await expect(
      open().then(async (opened) => {
        for (const episode of await opened.episodes.ofRound("r1"))
          await opened.texts.get(episode.transcriptId);
      }),
    ).rejects.toMatchObject({ code: "store.corrupt" });
  });

  test("a write-ahead log that was cut off costs its last writes alone", async () => {
    const opened = await open();
    for (let index = 0; index < 100; index += 1) await opened.episodes.insert(anEpisode({ index }));
    // A copy taken while the database is open is what a machine leaves that lost its power.
    const copy = join(dataDir, "copy");
    mkdirSync(copy);
    copyFileSync(file, join(copy, databaseFile));
    copyFileSync(`${file}-wal`, join(copy, `${databaseFile}-wal`));
    truncateSync(join(copy, `${databaseFile}-wal`), statSync(`${file}-wal`).size - 6_000);
    const again = await openSqliteStore({ dataDir: copy, log: pino({ level: "silent" }) });
    const kept = (await again.episodes.ofRound("r1")).map((it) => it.index);
    expect(kept.length).toBeGreaterThan(90);
    expect(kept.length).toBeLessThan(100);
    expect(kept).toEqual(kept.map((_, i) => i));
    expect(await again.episodes.insert(anEpisode({ index: 99 }))).toBe(true);
    await again.close();
  });

  test.each([
    ["is no JSON", "not json"],
    ["misses a field", '{"id":"e1"}'],
    [
      "holds a value that the schema does not know",
      JSON.stringify({ ...anEnvironment({ id: "e1" }), kind: "film" }),
    ],
  ])("is told when a record %s, and where", async (_name, record) => {
    const opened = await open();
    await opened.environments.insert(anEnvironment({ id: "e1" }));
    tamper(`UPDATE environments SET record = '${record}'`);
    await expect(opened.environments.get("e1")).rejects.toMatchObject({
      code: "store.corrupt",
      message: expect.stringContaining("environment"),
    });
    await expect(opened.environments.update("e1", (it) => it)).rejects.toMatchObject({
      code: "store.corrupt",
    });
  });

  test.each([
    ["short", "the answer is 7"],
    ["long", "the answer is 7\n".repeat(1_000)],
  ])("is told when a %s text is not the one that was stored", async (_name, text) => {
    const opened = await open();
    const id = await opened.texts.put(text);
    tamper(`UPDATE texts SET body = CAST('the answer is 8' AS BLOB)`);
    await expect(opened.texts.get(id)).rejects.toMatchObject({ code: "store.corrupt" });
  });
});

test("a database of a newer program is told and left alone", async () => {
  await filled();
  tamper(`INSERT INTO versions (version, at) VALUES (${currentVersion + 1}, 0)`);
  const before = readFileSync(file);
  await expect(open()).rejects.toMatchObject({ code: "store.newer" });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("an empty file is a new store", async () => {
  writeFileSync(file, "");
  expect(await (await open()).nextNumber("round")).toBe(1);
});

test("several processes can open a new store at once", async () => {
  const script = fileURLToPath(new URL("../contract/store-sqlite.ts", import.meta.url));
  const code = `const { open } = await import(process.argv[1]);
    const store = await open(process.argv[2]);
    process.stdout.write(String(await store.nextNumber("round")));
    await store.close();`;
  const numbers = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", code, script, dataDir]);
      const chunks: string[] = [];
      child.stdout.on("data", (chunk) => chunks.push(String(chunk)));
      child.stderr.on("data", (chunk) => chunks.push(String(chunk)));
      await once(child, "close");
      return chunks.join("");
    }),
  );
  expect(numbers.sort()).toEqual(["1", "2", "3", "4"]);
});
