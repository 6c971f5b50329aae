// @ts-check
/** Replies: the frames that a host writes, one line each, gathered into few writes. */
import { writeSync } from "node:fs";
import { LineWriter } from "./lines.js";

// Straight to the pipe: streams cost more than a step does where there is no JIT.
const output = new LineWriter((text) => {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
});

/** A frame that nobody asked for. @param {unknown} frame */
export function tell(frame) {
  output.push(JSON.stringify(frame));
}

/**
 * @param {number} id
 * @param {"done" | "part"} kind
 * @param {string} json From the isolate: it must not be able to end the line it stands in.
 */
export function hand(id, kind, json) {
  if (json.includes("\n")) failed(id, "bad-shape", "The environment broke its driver.");
  else output.push(`[${id},"${kind}",${json}]`);
}

/**
 * A call went wrong, and its environment lives on.
 * @param {number} id
 * @param {string} verdict
 * @param {string} detail
 */
export function failed(id, verdict, detail) {
  output.push(JSON.stringify([id, "failed", verdict, detail]));
}

/**
 * A call went wrong, and its environment is no more.
 * @param {number} id
 * @param {string} verdict
 * @param {string} detail
 */
export function dead(id, verdict, detail) {
  output.push(JSON.stringify([id, "dead", verdict, detail]));
}

/** Hands over what was gathered so far. */
export function flush() {
  output.flush();
}

/** Ends this process, whatever its threads do. */
export function die() {
  output.flush();
  process.kill(process.pid, "SIGKILL");
}
