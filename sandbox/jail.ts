/**
 * The jail: the command line that starts a host with as little around it as the machine allows. Node's permission
 * model is always on; namespaces without network, files and other processes, and limits of the kernel, come on top
 * where they work.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Which wall stands around it. */
  readonly wall: number;
}

export interface JailOptions {
  readonly jit: boolean;
  /** Resident memory at which a host is killed, MB; the kernel's own limit lies above it. */
  readonly rssMb: number;
  /** The program that runs in the jail, the host's by default. */
  readonly program?: string;
}

/** What is wrapped: the limits' shell command, what it starts, and the paths that must stay readable. */
interface Inner {
  readonly limits: string;
  readonly argv: readonly string[];
  readonly readable: readonly string[];
}

/** A way to take the surroundings away. `program` is looked up in PATH, since a host gets no PATH. */
interface Wall {
  readonly program: "bwrap" | "setpriv" | "unshare" | null;
  readonly hidesProcesses: boolean;
  readonly around: (inner: Inner, program: string) => readonly string[];
}

/**
 * Stack of every thread, KB. A step may run on the host's own thread or on another, and must be able to recurse about
 * as deep on both; the reserve is what the engine leaves free on its own thread for native code.
 */
const stackKb = 4_096;
const stackReserveKb = 128;

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

function nodeArgs(options: JailOptions, paths: readonly string[]): string[] {
  return [
    "--no-node-snapshot",
    "--permission",
    "--allow-addons",
    ...paths.map((path) => `--allow-fs-read=${path}`),
    // Doors that the permission model leaves open.
    "--no-experimental-sqlite",
    "--no-experimental-webstorage",
    "--disable-sigusr1",
    "--disable-warning=SecurityWarning",
    `--stack-size=${stackKb - stackReserveKb}`,
    ...(options.jit ? [] : ["--jitless"]),
  ];
}

/** No core dumps, no files written, and without a JIT a cap on memory that holds between two looks of the watchdog. */
function limits(options: JailOptions): string {
  const settings = ["-c 0", "-f 0", `-s ${stackKb}`];
  if (!options.jit) settings.push(`-d ${(options.rssMb * 2 + 1_024) * 1_024}`);
  return settings.map((setting) => `ulimit ${setting} 2>/dev/null;`).join(" ");
}

const hasShell = existsSync("/bin/sh");
const shell = (script: string, argv: readonly string[]): readonly string[] =>
  hasShell ? ["/bin/sh", "-c", script, "sh", ...argv] : argv;

/** As the first process of its namespace a host could not end itself, so the shell stays before it. */
const staying = ({ limits: script, argv }: Inner): readonly string[] =>
  shell(`${script} "$@"; exit $?`, argv);

const unsharing = (...flags: string[]): Wall => ({
  program: "unshare",
  hidesProcesses: flags.includes("--pid"),
  around: (inner, program) => [program, ...flags, "--", ...staying(inner)],
});

/**
 * A host notices that its parent is gone by the end of its input, but not while an environment holds up its own thread;
 * then the kernel has to end it.
 */
function dyingWithParent(wall: Wall): Wall {
  return {
    ...wall,
    program: "setpriv",
    around: (inner, program) => {
      const wrapped = wall.around(inner, inPath("unshare") ?? "unshare");
      return [program, "--pdeathsig", "KILL", "--", ...wrapped];
    },
  };
}

/** Best first; containers forbid some. */
const walls: readonly Wall[] = [
  {
    program: "bwrap",
    hidesProcesses: true,
    around: ({ limits: script, argv, readable: paths }, program) =>
      shell(`${script} exec "$@"`, [
        ...[program, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
        ...["--clearenv", "--setenv", "TZ", "UTC", "--proc", "/proc", "--dev", "/dev", "--chdir", "/"],
        ...[process.execPath, "/lib", "/lib64", "/usr/lib", "/usr/lib64", ...paths].flatMap((path) => [
          "--ro-bind-try",
          path,
          path,
        ]),
        "--",
        ...argv,
      ]),
  },
  dyingWithParent(unsharing("--net", "--pid", "--fork", "--kill-child")),
  dyingWithParent(unsharing("--user", "--net", "--pid", "--fork", "--kill-child")),
  unsharing("--net", "--pid", "--fork", "--kill-child"),
  unsharing("--user", "--net", "--pid", "--fork", "--kill-child"),
  unsharing("--net"),
  unsharing("--user", "--net"),
  { program: null, hidesProcesses: false, around: staying },
];

let chosen = 0;

function inPath(program: string): string | null {
  const places = (process.env.PATH ?? "").split(delimiter).map((dir) => join(dir, program));
  return places.find((file) => existsSync(file)) ?? null;
}

/**
 * The command that starts a host, without the argument that carries its settings, with the best wall that has not
 * failed on this machine so far.
 */
export function jailCommand(options: JailOptions): Command {
  const program = options.program ?? mainFile;
  const paths = readable(program);
  const argv = [process.execPath, ...nodeArgs(options, paths), program];
  for (; ; chosen += 1) {
    const wall = walls[chosen] as Wall;
    const found = wall.program === null ? "" : inPath(wall.program);
    // Where other processes are hidden, the host's own number is found by its parents only.
    if (found === null || (wall.hidesProcesses && childrenOf(process.pid) === null)) continue;
    const [file, ...args] = wall.around({ limits: limits(options), argv, readable: paths }, found);
    return { file: file as string, args, wall: chosen };
  }
}

/** To be called when no host came up behind a wall: false if there is no other to try. */
export function distrust(command: Command): boolean {
  if (command.wall >= walls.length - 1) return false;
  chosen = Math.max(chosen, command.wall + 1);
  return true;
}

/** Whether hosts on this machine see no other processes; known once one has come up. */
export function hidesProcesses(): boolean {
  return walls[chosen]?.hidesProcesses === true;
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
