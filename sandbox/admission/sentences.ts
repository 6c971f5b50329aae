/** How gates write: short quotes of what was seen, sentences of bounded length. */

const quoteCharacters = 80;
const sentenceCharacters = 700;

/** A text as a quote of at most 80 characters on one line, what can't be seen made visible. */
export function quote(text: string, characters = quoteCharacters): string {
  const written = JSON.stringify(text).slice(1, -1).replaceAll('\\"', "'").replaceAll("\\\\", "\\");
  const cut = written.length <= characters ? written : `${written.slice(0, characters - 1)}…`;
  return `"${cut.toWellFormed()}"`;
}

/** A gate's sentence, cut to what a prompt or a table takes. */
export function sentence(text: string): string {
  return text.length <= sentenceCharacters ? text : `${text.slice(0, sentenceCharacters - 1)}…`;
}

/** `seed 3` or `seeds 3, 5 and 8 and 4 more`. */
export function seedList(seeds: readonly number[]): string {
  const shown = seeds.slice(0, 3).join(", ");
  const more = seeds.length - 3;
  if (seeds.length === 1) return `seed ${shown}`;
  return more > 0 ? `seeds ${shown} and ${more} more` : `seeds ${shown}`;
}

export function percent(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))} %`;
}
