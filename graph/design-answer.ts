/** A designer's answer reduced to the code in it, or to the reason why there is none to run. */
import { type GateResult, gateName, type Language } from "../config/words.ts";

/** Larger code is refused before it reaches the sandbox, bytes. */
export const maxSourceBytes = 200_000;

export type DesignAnswer =
  | { readonly source: string; readonly gates: null }
  /** `gates`: what admission says of an answer that never reached it. */
  | { readonly source: null; readonly gates: GateResult[] };

const tagsByLanguage: Readonly<Record<Language, readonly string[]>> = {
  javascript: ["javascript", "js", "mjs", ""],
  python: ["python", "py", "python3", ""],
};

/**
 * The code of an answer: its last fenced block of the language that holds a class, else its last such block. Thoughts
 * are left out, and a block that the token limit cut off counts.
 */
export function readDesign(text: string, language: Language): DesignAnswer {
  const blocks = fencedBlocks(withoutThoughts(text)).filter(({ tag }) =>
    tagsByLanguage[language].includes(tag),
  );
  const block = blocks.findLast(({ body }) => /\bclass\b/.test(body)) ?? blocks.at(-1);
  if (block === undefined || block.body.trim() === "") {
    const seen = text.trim() === "" ? "The answer is empty" : "The answer holds no code";
    return {
      source: null,
      gates: refusedGates(
        `${seen}; it takes one \`\`\`${language} block with a class whose name ends in Env.`,
      ),
    };
  }
  const bytes = Buffer.byteLength(block.body);
  if (bytes > maxSourceBytes) {
    return {
      source: null,
      gates: refusedGates(`The code is ${bytes} bytes long; at most ${maxSourceBytes} are taken.`),
    };
  }
  return { source: block.body, gates: null };
}

/** The name of the class a source declares, for people to call it by before it has been loaded; null if none. */
export function classNameOf(source: string): string | null {
  return /\bclass\s+([A-Za-z_$][\w$]{0,99})/.exec(source)?.[1] ?? null;
}

/** The gates of a source that never reached them: `parse` fails with `detail`, the others did not run. */
export function refusedGates(detail: string): GateResult[] {
  return gateName.options.map((gate) =>
    gate === "parse"
      ? { gate, verdict: "fail", detail, ms: 0 }
      : { gate, verdict: "unknown", detail: "Not run, because there is no code to run.", ms: 0 },
  );
}

function withoutThoughts(text: string): string {
  const closing = text.lastIndexOf("</think>");
  return closing < 0 ? text : text.slice(closing + "</think>".length);
}

/** Line by line, so that no answer, however long or odd, takes more than linear time. */
function fencedBlocks(text: string): { readonly tag: string; readonly body: string }[] {
  const blocks: { tag: string; body: string }[] = [];
  let open: { readonly tag: string; readonly lines: string[] } | null = null;
  for (const line of text.split("\n")) {
    const fence = /^\s{0,8}```\s*([\w+-]*)/.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === null) open = { tag: (fence[1] ?? "").toLowerCase(), lines: [] };
    else {
      blocks.push({ tag: open.tag, body: open.lines.join("\n") });
      open = null;
    }
  }
  if (open !== null) blocks.push({ tag: open.tag, body: open.lines.join("\n") });
  return blocks;
}
