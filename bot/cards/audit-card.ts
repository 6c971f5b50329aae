/** The card of the audit log: who did what, newest first. */
import type { AuditRecord } from "../../store/records.ts";
import { type Button, type Card, card, table, text } from "./card.ts";
import { oneLine, shorten } from "./harmless.ts";
import { moment } from "./numbers.ts";

/** Characters of an entry's detail; the whole of it is in `--json`. */
const detailCharacters = 80;

export function auditCard(entries: readonly AuditRecord[], older: Button | null): Card {
  return card("Audit log", {
    blocks:
      entries.length === 0
        ? [text("There are no entries.")]
        : [
            table(
              [
                { title: "when" },
                { title: "who", plain: true },
                { title: "what", plain: true },
                { title: "subject", plain: true },
              ],
              entries.map(({ at, who, what, subject, detail }) => ({
                cells: [moment(at), who, what, shorten(subject, detailCharacters)],
                ...(detail === "" ? {} : { rest: shorten(oneLine(detail), detailCharacters) }),
              })),
            ),
          ],
    buttons: older === null ? [] : [older],
  });
}
