import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { alreadyShown, createLogger, logFileName } from "../../config/logging.ts";
import { createRedact } from "../../config/redact.ts";

let dataDir: string;
let shown: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "spadework-log-"));
  shown = "";
});

afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

const secret = 'quote"d-S3cret/value';
const redact = createRedact({
  SOME_API_KEY: secret,
  DISCORD_TOKEN: "token-of-the-bot",
  PATH: "/usr/bin/of/interest",
});

function logger(options: { pretty?: boolean; level?: "info" | "debug" | "silent" } = {}) {
  return createLogger({
    dataDir,
    level: options.level ?? "info",
    redact,
    console: {
      pretty: options.pretty ?? false,
      color: false,
      write: (text) => {
        shown += text;
      },
    },
  });
}

const lines = (): Record<string, unknown>[] =>
  readFileSync(join(dataDir, logFileName), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("the log file", () => {
  it("holds every line from its level on, as JSON", () => {
    const log = logger();
    log.debug("not this");
    log.info({ hosts: 2 }, "started");
    log.error({ err: new Error("broken") }, "failed");
    expect(lines()).toMatchObject([
      { level: 30, hosts: 2, msg: "started" },
      {
        level: 50,
        msg: "failed",
        err: { message: "broken", stack: expect.stringContaining("config-logging.test") },
      },
    ]);
  });

  it("names the round in every line of a round's logger", () => {
    logger().child({ roundId: "r7" }).info("played");
    expect(lines()).toMatchObject([{ roundId: "r7", msg: "played" }]);
  });

  it("is not opened before the first line, and not at all when silent", () => {
    rmSync(dataDir, { recursive: true });
    logger();
    logger({ level: "silent" }).error("nobody hears this");
    expect(statSync(dataDir, { throwIfNoEntry: false })).toBeUndefined();
    logger().info("now");
    expect(lines()).toHaveLength(1);
  });

  it("is readable by its owner alone", () => {
    logger().info("one");
    expect(statSync(join(dataDir, logFileName)).mode & 0o777).toBe(0o600);
  });

  it("never throws when it can't be written", () => {
    rmSync(dataDir, { recursive: true });
    writeFileSync(dataDir, "a file where the directory should be");
    expect(() => logger().error("lost")).not.toThrow();
  });

  it("is put aside when it has grown large", () => {
    const path = join(dataDir, logFileName);
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(path, "x".repeat(17 * 1024 * 1024));
    logger().info("fresh");
    expect(lines()).toHaveLength(1);
    expect(statSync(`${path}.1`).size).toBe(17 * 1024 * 1024);
  });
});

describe("secrets", () => {
  it("are taken out by the names of fields", () => {
    logger().info(
      { apiKey: "abc", headers: { authorization: "abc" }, a: { b: { password: "abc" } } },
      "call",
    );
    expect(readFileSync(join(dataDir, logFileName), "utf8")).not.toContain("abc");
  });

  it("are taken out by their values, wherever they stand", () => {
    const log = logger();
    log.warn(
      { url: `https://host/?k=${secret}`, err: new Error(`refused ${secret}`) },
      `with token-of-the-bot`,
    );
    const written = readFileSync(join(dataDir, logFileName), "utf8") + shown;
    expect(written).not.toContain("S3cret");
    expect(written).not.toContain("token-of-the-bot");
    expect(written).toContain("[redacted]");
    expect(lines()).toHaveLength(1);
  });

  it("are taken out by their form, even if no variable holds them", () => {
    expect(redact("Authorization: Bearer abcdefghijkl")).toBe("Authorization: Bearer [redacted]");
    expect(redact("key sk-proj-0123456789 was refused")).toBe("key [redacted] was refused");
    expect(redact("redis://user:hunter2@host:6379/0")).toBe("redis://user:[redacted]@host:6379/0");
  });

  it("leave other words and variables alone", () => {
    expect(redact("/usr/bin/of/interest is a path, and a task-list is no key")).toBe(
      "/usr/bin/of/interest is a path, and a task-list is no key",
    );
  });
});

describe("the console", () => {
  it("gets warnings and worse, without stack traces", () => {
    const log = logger();
    log.info("quiet");
    log.warn({ err: new Error("a host died") }, "restarting");
    expect(JSON.parse(shown)).toMatchObject({ level: 40, msg: "restarting: a host died" });
    expect(shown).not.toContain("config-logging.test");
  });

  it("leaves out what a person was shown already", () => {
    logger().error({ ...alreadyShown }, "said before");
    expect(shown).toBe("");
    expect(lines()).toHaveLength(1);
  });

  it("is pretty on a terminal, one line each", () => {
    logger({ pretty: true }).warn({ host: 3, err: new Error("exit 1") }, "a host died");
    expect(stripVTControlCharacters(shown)).toMatch(/^\[\d\d:\d\d:\d\d\] WARN: a host died: exit 1\n$/);
  });
});
