/** An error as people in chat see it: what happened and what to do. The rest is in the log. */
import type { SpadeworkError } from "../../config/errors.ts";
import type { Redact } from "../../config/redact.ts";
import { type Card, card, text } from "./card.ts";

const titles: Readonly<Partial<Record<SpadeworkError["code"], string>>> = {
  "input.not-allowed": "You may not do that",
  "chat.no-role": "You may not do that",
  "chat.not-here": "Not here",
  "chat.too-fast": "Not yet",
  "chat.stopping": "Not now",
};

export function errorCard(error: SpadeworkError, redact: Redact): Card {
  return card(titles[error.code] ?? "That did not work", {
    tone: error.exit === 1 ? "bad" : "warning",
    blocks: [text(redact(error.message)), text(error.fix)],
  });
}
