/** What was typed in the terminal chat, kept in the data directory from one start to the next. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const fileName = "terminal-history";
const kept = 1_000;

export interface History {
  /** Newest first. */
  readonly lines: readonly string[];
  add(line: string): void;
}

/** A history that can't be read or written is none: it is a comfort, and must stop nobody. */
export function openHistory(dataDir: string): History {
  const path = join(dataDir, fileName);
  let lines: string[] = [];
  try {
    lines = readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    if (lines.length > 2 * kept) {
      lines = lines.slice(-kept);
      writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o600 });
    }
  } catch {
    // There is none yet.
  }
  return {
    lines: lines.slice(-kept).reverse(),
    add(line) {
      if (line.trim() === "") return;
      try {
        appendFileSync(path, `${line.replaceAll("\n", " ")}\n`, { mode: 0o600 });
      } catch {
        // The data directory can't be written; commands say so.
      }
    },
  };
}
