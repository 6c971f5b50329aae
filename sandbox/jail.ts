/**
 * The jail: the command line that starts a host with as little around it as the machine allows. Node's permission
 * model is always on; namespaces without a network and without other processes, and limits of the kernel, come on top
 * where they work.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
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
  /** The program that runs in the jail, the host's by default. */
  readonly program?: string;
}

/**
 * Stack of every thread, KB. A step may run on the host's own thread or on another, and must be able to recurse about
 * as deep on both; the reserve is what the engine leaves free on its own thread for native code.
 */
const stackKb = 4_096;
const stackReserveKb = 128;

const run = promisify(execFile);
const mainFile = fileURLToPath(new URL("./host/main.js", import.meta.url));

function packageDir(name: string, from: string): string {
  return realpathSync(dirname(createRequire(from).resolve(`${name}/package.json`)));
}

/** Directories that a host reads: its own program's and the addon's. */
function readable(program: string): string[] {
  const addon = packageDir("isolated-vm", import.meta.url);
  const finder = packageDir("node-gyp-build", `${addon}/`);
  // The finder looks for this file to tell one C library from the other.
  return [realpathSync(dirname(program)), addon, finder, "/etc/alpine-release"];
}

function nodeArgs(options: JailOptions, program: string): string[] {
  return [
    "--no-node-snapshot",
    "--permission",
    "--allow-addons",
    ...readable(program).map((path) => `--allow-fs-read=${path}`),
    "--disable-warning=SecurityWarning",
    `--stack-size=${stackKb - stackReserveKb}`,
    ...(options.jit ? [] : ["--jitless"]),
  ];
}

/** Ways to take the network and the sight of other processes away, best first; containers forbid some. */
const namespaces: readonly Command[] = [
  { file: "unshare", args: ["--net", "--pid", "--fork", "--kill-child", "--"] },
  { file: "unshare", args: ["--user", "--net", "--pid", "--fork", "--kill-child", "--"] },
  { file: "unshare", args: ["--net", "--"] },
  { file: "unshare", args: ["--user", "--net", "--"] },
];

async function works(command: Command): Promise<boolean> {
  // Where other processes are hidden, the host's own number is found by its parents only.
  if (command.args.includes("--pid") && childrenOf(process.pid) === null) return false;
  try {
    await run(command.file, [...command.args, "true"], { timeout: 5_000 });
    return true;
  } catch {
    return false;
  }
}

function childrenOf(pid: number): readonly number[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1");
    return text
      .split(" ")
      .filter((part) => part !== "")
      .map(Number);
  } catch {
    return null;
  }
}

/** The process at the end of a jail's command: the host itself, below the wrappers that started it. */
export function innermost(pid: number): number {
  const child = childrenOf(pid)?.[0];
  return child === undefined ? pid : innermost(child);
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
  const program = options.program ?? mainFile;
  const inner = [process.execPath, ...nodeArgs(options, program), program];
  const limited = existsSync("/bin/sh") ? ["/bin/sh", "-c", limits(options), "sh", ...inner] : inner;
  const [file, ...args] = namespace === null ? limited : [namespace.file, ...namespace.args, ...limited];
  return { file: file as string, args };
}

/**
 * No core dumps, no files written, and without a JIT a cap on memory that holds between two looks of the watchdog.
 * The shell stays: as the first process of its namespace, the host could not end itself.
 */
function limits(options: JailOptions): string {
  const settings = ["-c 0", "-f 0", `-s ${stackKb}`];
  if (!options.jit) settings.push(`-d ${(options.rssMb * 2 + 1_024) * 1_024}`);
  return `${settings.map((setting) => `ulimit ${setting} 2>/dev/null;`).join(" ")} "$@"; exit $?`;
}
