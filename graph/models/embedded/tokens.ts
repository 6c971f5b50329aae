/** How the embedded policy counts what it reads and writes: a run of letters and digits is one token, any other visible character one more. */

/** Tokens of a text. */
export function countTokens(text: string): number {
  let count = 0;
  let inWord = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    const letter =
      (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code >= 0xc0;
    if (letter) {
      if (!inWord) count += 1;
    } else if (code > 32) count += 1;
    inWord = letter;
  }
  return count;
}
