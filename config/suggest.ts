/** "Did you mean …": the known word that a mistyped one is nearest to. */

/** Edits (insert, delete, replace, swap of neighbours) between two words: the optimal string alignment distance. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** The nearest known word if it is near enough to be meant (at most a third of its letters differ), or null. */
export function suggest(given: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const word of known) {
    const distance = editDistance(given.toLowerCase(), word.toLowerCase());
    if (distance < bestDistance && distance <= Math.max(1, Math.floor(word.length / 3))) {
      best = word;
      bestDistance = distance;
    }
  }
  return best;
}

/** The suggestion as the end of a sentence: ` Did you mean "x"?`, or an empty text. */
export function didYouMean(given: string, known: readonly string[]): string {
  const meant = suggest(given, known);
  return meant === null ? "" : ` Did you mean "${meant}"?`;
}
