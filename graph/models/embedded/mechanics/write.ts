/** Writing JavaScript as text: a template that keeps the indentation, and texts with run-time expressions in them. */

/**
 * A piece of source. The template's own indentation is taken off, a value of several lines is indented like the line
 * it stands in, and a line whose only content is an empty value (`""`, `false`, an empty list) is left out. Lists are
 * joined by line ends. Backslashes stay as they are written; the source it writes has no template strings of its own.
 */
export function js(
  strings: TemplateStringsArray,
  ...values: readonly (string | number | false | readonly string[])[]
): string {
  const raw = outdented(strings.raw);
  let out = raw[0] ?? "";
  for (const [index, value] of values.entries()) {
    const following = raw[index + 1] ?? "";
    const text = value === false ? "" : typeof value === "object" ? value.join("\n") : String(value);
    const line = out.slice(out.lastIndexOf("\n") + 1);
    const blank = line.trim() === "";
    if (text === "" && blank && (following.startsWith("\n") || following === "")) {
      out = out.slice(0, out.length - line.length);
      out += following.slice(1);
    } else {
      const indent = /^ */.exec(line)?.[0] ?? "";
      out += text.replaceAll("\n", `\n${indent}`) + following;
    }
  }
  return out
    .replace(/[ ]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function outdented(raw: readonly string[]): string[] {
  const depths = raw.flatMap((part, index) =>
    [...part.matchAll(/\n( *)(?!\n)/g)]
      // The closing line of the template says nothing about its depth.
      .filter((match) => index < raw.length - 1 || match.index + match[0].length < part.length)
      .map((match) => (match[1] ?? "").length),
  );
  const depth = depths.length === 0 ? 0 : Math.min(...depths);
  return raw.map((part) => part.replace(new RegExp(`\\n {0,${depth}}`, "g"), "\n"));
}

/** A string literal. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** A list of string literals, as an array literal. */
export function quoteAll(texts: readonly string[]): string {
  return `[${texts.map(quote).join(", ")}]`;
}

/** A text with run-time expressions in double braces, `Range: 1 to {{this.high}}`, as a JavaScript expression. */
export function say(text: string): string {
  const parts = text
    .split(/\{\{(.*?)\}\}/)
    .map((part, index) => (index % 2 === 0 ? (part === "" ? "" : quote(part)) : operand(part)))
    .filter((part) => part !== "");
  if (parts.length === 0) return '""';
  const startsWithText = parts[0]?.startsWith('"') ?? false;
  return (startsWithText ? parts : ['""', ...parts]).join(" + ");
}

/** An expression as an operand of `+`: in parentheses where its own operators bind less. */
function operand(expression: string): string {
  return / (?:[?<>+-]|[!=]==|&&|\|\|) /.test(expression) ? `(${expression})` : expression;
}
