/** A model's answer reduced to the hint in it. */

/**
 * The hint alone: thoughts (`<think>…</think>`), code fences around it, `Hint:` labels, enclosing quotes and section
 * tags are taken away, and white space is tidied. "" if nothing is left.
 */
export function cleanHint(text: string): string {
  let hint = text.replace(/<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/gi, "");
  // A chat template may have swallowed the opening tag; an answer cut short never closes one.
  hint = hint.replace(/^[\s\S]*<\/think(?:ing)?>/i, "").replace(/<think(?:ing)?>[\s\S]*$/i, "");
  for (let before = ""; before !== hint; ) {
    before = hint;
    hint = hint.trim();
    hint = /^<hint>\s*([\s\S]*?)\s*<\/hint>$/i.exec(hint)?.[1] ?? hint;
    hint = /^```[a-z]*[ \t]*\n([\s\S]*?)\n?```$/i.exec(hint)?.[1] ?? hint;
    hint = hint.replace(
      /^(?:#+\s*|\*\*|__)?(?:privileged |the )?hint(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*/i,
      "",
    );
    hint = hint.replace(/^#+\s*(?:privileged |the )?hint\s*\n/i, "");
    hint =
      /^"([^"]*)"$|^“([^”]*)”$|^'([^']*)'$|^«([^»]*)»$/
        .exec(hint)
        ?.slice(1)
        .find((inner) => inner !== undefined) ?? hint;
  }
  return hint.replace(/[ \t]+\n/g, "\n").replace(/\n{3,}/g, "\n\n");
}
