// @ts-check
/**
 * The host: the child process in which environments live. It reads requests from its standard input, one a line, and
 * answers each. It holds no secret and decides nothing: limits come from the parent, and whom to blame is the
 * parent's question. It is plain JavaScript because Node can't strip types without a JIT.
 */
import { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { ask, askStep } from "./calls.js";
import { dispose, settle, warmUp } from "./isolates.js";
import { LineReader } from "./lines.js";
import { dead, die, tell } from "./replies.js";
import { settings } from "./settings.js";

const runLimitMs = settings.stepTimeoutMs + settings.sliceMs;
/** Names that a source may have given to its class. */
const classNames = /\b(?:class|const|let|var|function)\s+([A-Za-z_$][\w$]*Env)\b/g;

/** @param {string} source */
function candidateNames(source) {
  const names = new Set([...source.matchAll(classNames)].map((match) => String(match[1])));
  names.delete("ToolUseBaseEnv");
  return JSON.stringify([...names].slice(0, 50));
}

/**
 * @param {number} id
 * @param {number} owner
 * @param {string} source
 * @param {number} untilBrisk
 */
function open(id, owner, source, untilBrisk) {
  settle(owner, untilBrisk).then(
    () => ask(id, owner, "load", [source, candidateNames(source)], settings.loadTimeoutMs),
    (/** @type {unknown} */ error) =>
      dead(id, "sandbox-failed", `No isolate could be made: ${String(error)}`),
  );
}

/** @param {string} line */
function receive(line) {
  // Read by index: taking a list apart goes through its iterator, which costs more than the rest.
  const frame = JSON.parse(line);
  const name = frame[0];
  const owner = frame[1];
  const id = frame[2];
  const first = frame[3];
  if (name === "step") askStep(id, owner, first);
  else if (name === "close") dispose(owner);
  else if (name === "open") open(id, owner, first, frame[4]);
  else if (name === "run") {
    ask(id, owner, "run", [first, JSON.stringify(frame[4]), frame[5], frame[6]], runLimitMs);
  } else if (name === "runs") ask(id, owner, "runs", [JSON.stringify(first)], runLimitMs);
  else ask(id, owner, name, name === "reset" ? [first] : [], settings.stepTimeoutMs);
}

const input = new LineReader(Number.POSITIVE_INFINITY, receive, die);
const decoder = new StringDecoder("utf8");
const socket = new Socket({
  fd: 0,
  readable: true,
  writable: false,
  onread: {
    buffer: Buffer.alloc(65_536),
    callback(size, buffer) {
      input.push(decoder.write(Buffer.from(buffer.buffer, buffer.byteOffset, size)));
      return true;
    },
  },
});
// Ctrl-C and a supervisor's stop reach the whole group of processes; the parent says when its hosts are to end.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
socket.on("end", die).on("error", die);
socket.resume();
tell([0, "ready"]);
warmUp();
