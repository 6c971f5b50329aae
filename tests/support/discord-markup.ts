/** Reads text as Discord draws it: which markup in it is alive, and what is left as plain letters. */

export interface Drawn {
  /** Live markup in order: `heading`, `bold`, `code`, `mention`, `link` … */
  readonly markup: readonly string[];
  /** What is read: escapes resolved, code blocks as their content. */
  readonly text: string;
  /** The contents of its code blocks. */
  readonly code: readonly string[];
}

/** Each pattern is tried at a place that no backslash escapes; `start` only at the start of a line. */
const rules: readonly { readonly name: string; readonly pattern: RegExp; readonly start?: true }[] = [
  { name: "code", pattern: /^```(?:[a-z0-9_+\-.#]+?\n)?\n*([^\n][\s\S]*?)\n*```/i },
  { name: "heading", pattern: /^#{1,3}\s/, start: true },
  { name: "small", pattern: /^-#\s/, start: true },
  { name: "quote", pattern: /^>{1,3}(?=\s|>)/, start: true },
  { name: "bullet", pattern: /^[-*+]\s/, start: true },
  { name: "number", pattern: /^\d+[.)]\s/, start: true },
  { name: "moment", pattern: /^<t:-?\d+(?::\w)?>/ },
  { name: "mention", pattern: /^<(?:@[!&]?|#)\d+>/ },
  { name: "mention", pattern: /^@(?:everyone|here)/ },
  { name: "emoji", pattern: /^<a?:\w+:\d+>/ },
  { name: "command", pattern: /^<\/[^>]+:\d+>|^<id:\w+>/ },
  { name: "lab-link", pattern: /^https:\/\/discord\.com\/channels\/(?:@me|\d+)\/\d+(?:\/\d+)?/ },
  { name: "link", pattern: /^(?:https?|steam|discord):\/\/[^\s<]+/ },
  { name: "link", pattern: /^<[a-z+]+:[^>\s]+>/i },
  { name: "masked-link", pattern: /^\[/ },
  { name: "inline-code", pattern: /^`+/ },
  { name: "bold", pattern: /^\*\*/ },
  { name: "italic", pattern: /^\*/ },
  { name: "under", pattern: /^_/ },
  { name: "strike", pattern: /^~~/ },
  { name: "spoiler", pattern: /^\|\|/ },
];

/** What Discord draws of a text display's content. */
export function drawn(content: string): Drawn {
  const markup: string[] = [];
  const code: string[] = [];
  let text = "";
  let at = 0;
  let fresh = true;
  while (at < content.length) {
    const rest = content.slice(at, at + 5_000);
    const backslash = /^\\([^0-9A-Za-z\s])/.exec(rest);
    if (backslash !== null) {
      text += backslash[1];
      at += 2;
      fresh = false;
      continue;
    }
    const rule = rules.find(({ pattern, start }) => (start === undefined || fresh) && pattern.test(rest));
    const match = rule?.pattern.exec(rest);
    if (rule === undefined || match === null || match === undefined) {
      const character = content.charAt(at);
      text += character;
      fresh = character === "\n" || (fresh && /\s/.test(character));
      at += 1;
      continue;
    }
    markup.push(rule.name);
    if (rule.name === "code") {
      code.push(match[1] ?? "");
      text += match[1] ?? "";
    }
    at += match[0].length;
    fresh = rule.start === true && rule.name !== "heading" && rule.name !== "small";
  }
  return { markup, text, code };
}
