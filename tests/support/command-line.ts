/** Runs `bin/spadework` as people do: as a process of its own, with its streams caught. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

export const program = fileURLToPath(new URL("../../bin/spadework", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** What it reads on stdin; nothing by default. */
  readonly input?: string;
}

/** A command line that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when stderr holds what matches; rejects if the process ends first. */
  says(pattern: RegExp): Promise<void>;
}

/** The variables of this process, without those that would steer the program. */
function plainEnvironment(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(SPADEWORK_|OPENAI_|TINKER_|COLUMNS$|NO_COLOR$|FORCE_COLOR$|VITEST|NODE_ENV$)/.test(name),
  );
  return Object.fromEntries(kept);
}

export function start(words: readonly string[], options: StartOptions = {}): Running {
  const child = spawn(program, [...words], {
    cwd: options.directory ?? tmpdir(),
    env: { ...plainEnvironment(), ...options.environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    for (const watch of watchers) watch();
  });
  // A program that does not read its input may be gone before it is written.
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return {
    child,
    ended,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          if (!pattern.test(stderr)) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
        void ended.then(() => reject(new Error(`it ended before it said ${pattern}:\n${stderr}`)));
      }),
  };
}

export function run(words: readonly string[], options: StartOptions = {}): Promise<Ended> {
  return start(words, options).ended;
}

/** A lab in a directory of its own. */
export interface Lab {
  readonly dataDir: string;
  run(words: readonly string[], options?: StartOptions): Promise<Ended>;
  /** Runs with `--json` and parses the one document; throws unless the exit code is `code`. */
  json<T>(
    schema: z.ZodType<T>,
    words: readonly string[],
    options?: StartOptions & { code?: number },
  ): Promise<T>;
  start(words: readonly string[], options?: StartOptions): Running;
  remove(): void;
}

export function createLab(): Lab {
  const dataDir = mkdtempSync(join(tmpdir(), "spadework-lab-"));
  const data = ["--data", dataDir];
  return {
    dataDir,
    run: (words, options) => run([...words, ...data], options),
    start: (words, options) => start([...words, ...data], options),
    async json(schema, words, options = {}) {
      const ended = await run([...words, "--json", ...data], options);
      if (ended.code !== (options.code ?? 0)) {
        throw new Error(`${words.join(" ")} ended with ${ended.code}:\n${ended.stdout}\n${ended.stderr}`);
      }
      return schema.parse(JSON.parse(ended.stdout));
    },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

export const errorDocument = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    fix: z.string(),
    data: z.record(z.string(), z.unknown()).optional(),
  }),
});
