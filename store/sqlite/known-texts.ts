/**
 * JSON texts that were found to fit their schema lately. A row that holds the same text fits it as well, whoever wrote
 * it, so only looking at it once more is saved: it is read anew each time, and what one reader does to its record
 * reaches nobody else.
 */

/** Characters that a table remembers at most. */
const mostCharacters = 2_000_000;

export class KnownTexts {
  /** Those that were not asked for the longest come first. */
  readonly #texts = new Set<string>();
  #characters = 0;

  has(text: string): boolean {
    if (!this.#texts.delete(text)) return false;
    this.#texts.add(text);
    return true;
  }

  add(text: string): void {
    if (text.length > mostCharacters || this.#texts.has(text)) return;
    this.#texts.add(text);
    this.#characters += text.length;
    for (const oldest of this.#texts) {
      if (this.#characters <= mostCharacters) break;
      this.#texts.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
