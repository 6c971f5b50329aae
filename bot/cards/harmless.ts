/** Text from models and environments made harmless to look at: nothing in it can steer a terminal or hide. */

/** Direction overrides and isolates make a line read as something that it is not. */
const invisible = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g;

/**
 * The text with control characters drawn as their pictures (ESC as ␛), direction marks taken out, and lone surrogates
 * replaced. Line breaks and tabs stay.
 */
export function harmless(text: string): string {
  return (
    text
      .toWellFormed()
      .replaceAll("\r\n", "\n")
      .replaceAll(invisible, "")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
      .replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, (character) =>
        String.fromCharCode(0x2400 + character.charCodeAt(0)),
      )
      .replaceAll("\u007f", "\u2421")
      .replaceAll(/[\u0080-\u009f]/g, "\ufffd")
  );
}

/** A JSON document in which what could steer a terminal, or hide, is written as escapes: the same value to a parser. */
export function harmlessJson(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The first `length` characters with a visible mark if there were more. */
export function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}

/** The text on one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
