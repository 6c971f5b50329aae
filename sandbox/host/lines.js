// @ts-check
/**
 * Lines: cuts a stream of text into lines and gathers lines into few writes. Both ends of the pipe use it; it is plain
 * JavaScript because hosts run without a JIT, where Node can't strip types.
 */

export class LineReader {
  #rest = "";
  #limit;
  #onLine;
  #onOverflow;

  /**
   * @param {number} limit Length of one line at most, UTF-16 units.
   * @param {(line: string) => void} onLine
   * @param {() => void} onOverflow Called once when a line grows over the limit; later text is dropped.
   */
  constructor(limit, onLine, onOverflow) {
    this.#limit = limit;
    this.#onLine = onLine;
    this.#onOverflow = onOverflow;
  }

  /** @param {string} text */
  push(text) {
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      const line = this.#rest === "" ? text.slice(start, end) : this.#rest + text.slice(start, end);
      this.#rest = "";
      start = end + 1;
      if (line.length > this.#limit) return this.#overflow();
      this.#onLine(line);
    }
    this.#rest = this.#rest === "" ? text.slice(start) : this.#rest + text.slice(start);
    if (this.#rest.length > this.#limit) this.#overflow();
  }

  /** Whether a line was begun and not ended. */
  get partial() {
    return this.#rest !== "";
  }

  #overflow() {
    this.#rest = "";
    this.#onLine = () => {};
    const report = this.#onOverflow;
    this.#onOverflow = () => {};
    report();
  }
}

/** Gathers lines and hands them over in one piece, at the end of the turn of the event loop or when enough are there. */
export class LineWriter {
  #lines = "";
  #scheduled = false;
  #write;

  /** @param {(text: string) => void} write */
  constructor(write) {
    this.#write = write;
  }

  /** @param {string} line Without its newline. */
  push(line) {
    this.#lines += `${line}\n`;
    if (this.#lines.length > 65_536) this.flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.flush();
      });
    }
  }

  flush() {
    if (this.#lines === "") return;
    const text = this.#lines;
    this.#lines = "";
    this.#write(text);
  }
}
