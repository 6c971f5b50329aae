/**
 * The jail: the command line that starts a host with as little around it as the machine allows. Node's permission
 * model is always on; a network namespace and limits of the kernel come on top where they work.
 */
import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

export interface JailOptions {
  readonly jit: boolean;
  /** Resident memory at which a host is killed, MB; the kernel's own limit lies above it. */
  readonly rssMb: number;
}

/**
 * Stack of every thread, KB. A step may run on the host's own thread or on another, and must be able to recurse about
 * as deep on both; the reserve is what the engine leaves free on its own thread for native code.
 */
const stackKb = 4_096;
const stackReserveKb = 128;

const run = promisify(execFile);
const hostDir = fileURLToPath(new URL("./host/", import.meta.url));
const mainFile = fileURLToPath(new URL("./host/main.js", import.meta.url));

function packageDir(name: string, from: string): string {
  return realpathSync(dirname(createRequire(from).resolve(`${name}/package.json`)));
}

/** Directories that a host reads: its own program and the addon. */
function readable(): string[] {
  const addon = packageDir("isolated-vm", import.meta.url);
  const finder = packageDir("node-gyp-build", `${addon}/`);
  // The finder looks for this file to tell one C library from the other.
  return [realpathSync(hostDir), addon, finder, "/etc/alpine-release"];
}

function nodeArgs(options: JailOptions): string[] {
  return [
    "--no-node-snapshot",
    "--permission",
    "--allow-addons",
    ...readable().map((path) => `--allow-fs-read=${path}`),
    "--disable-warning=SecurityWarning",
    `--stack-size=${stackKb - stackReserveKb}`,
    ...(options.jit ? [] : ["--jitless"]),
  ];
}

/** Ways to take the network away, best first. Each is tried once, since containers forbid some. */
const namespaces: readonly Command[] = [
  { file: "unshare", args: ["--net", "--"] },
  { file: "unshare", args: ["--user", "--net", "--"] },
];

async function works(command: Command): Promise<boolean> {
  try {
    await run(command.file, [...command.args, "true"], { timeout: 5_000 });
    return true;
  } catch {
    return false;
  }
}

async function firstThatWorks(): Promise<Command | null> {
  for (const command of namespaces) {
    if (await works(command)) return command;
  }
  return null;
}

let found: Promise<Command | null> | null = null;

/** The command that starts a host, without the argument that carries its settings. */
export async function jailCommand(options: JailOptions): Promise<Command> {
  found ??= firstThatWorks();
  const namespace = await found;
  const inner = [process.execPath, ...nodeArgs(options), mainFile];
  const limited = existsSync("/bin/sh") ? ["/bin/sh", "-c", limits(options), "sh", ...inner] : inner;
  const [file, ...args] = namespace === null ? limited : [namespace.file, ...namespace.args, ...limited];
  return { file: file as string, args };
}

/** No core dumps, no files written, and without a JIT a cap on memory that holds between two looks of the watchdog. */
function limits(options: JailOptions): string {
  const cap = options.jit ? "" : `ulimit -d ${(options.rssMb * 2 + 1_024) * 1_024} 2>/dev/null;`;
  const small = `ulimit -c 0 2>/dev/null; ulimit -f 0 2>/dev/null; ulimit -s ${stackKb} 2>/dev/null;`;
  return `${small} ${cap} exec "$@"`;
}
