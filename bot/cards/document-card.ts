/** Cards of the corpus: what was added, what there is, and one document whole. */
import type { DocumentRecord } from "../../store/records.ts";
import { type Button, type Card, card, field, fields, table, text, verbatim } from "./card.ts";
import { counted, grouped, moment } from "./numbers.ts";

/** `3 of 7`, or nothing for a document in one piece. */
const partOf = ({ part, parts }: DocumentRecord): string => (parts === 1 ? "" : `${part + 1} of ${parts}`);

function documentsTable(records: readonly DocumentRecord[]) {
  return table(
    [
      { title: "id" },
      { title: "title", squeezeTo: 16, plain: true },
      { title: "part" },
      { title: "characters", align: "right" },
      { title: "added", squeezeTo: 10 },
      { title: "origin", squeezeTo: 16 },
    ],
    records.map((record) => ({
      cells: [
        record.id,
        record.title,
        partOf(record),
        grouped(record.characters),
        moment(record.addedAt),
        record.origin,
      ],
    })),
  );
}

/** Each surface asks for what it has: paths and links, or attachments and a link. */
const addSome: Button = {
  label: "Add some",
  command: "doc add",
  options: {},
  ask: ["sources", "file", "url"],
};

/** What to hand over, where nothing was. */
export function chooseDocumentsCard(): Card {
  return card("Documents", {
    blocks: [text("Attach a text, Markdown, JSONL or PDF file, several of them, or give a link.")],
    buttons: [addSome],
  });
}

export interface AddedCardOptions {
  readonly added: readonly DocumentRecord[];
  readonly skipped: number;
  readonly problems: readonly string[];
}

/** Documents that a table of added ones shows at most. */
const shownAdded = 20;

export function addedCard({ added, skipped, problems }: AddedCardOptions): Card {
  const known =
    skipped === 0 ? "" : ` ${counted(skipped, "document")} ${skipped === 1 ? "was" : "were"} there already.`;
  const blocks = [text(`Added ${counted(added.length, "document")}.${known}`)];
  if (added.length > 0) blocks.push(documentsTable(added.slice(0, shownAdded)));
  if (added.length > shownAdded)
    blocks.push(text(`And ${counted(added.length - shownAdded, "more", "more")}.`));
  if (problems.length > 0) blocks.push(text(problems.join("\n")));
  return card("Documents", {
    tone: problems.length > 0 ? "warning" : "good",
    blocks,
    buttons: [{ label: "Ground a round on the corpus", command: "round", options: {} }],
  });
}

export function documentsCard(records: readonly DocumentRecord[], total: number): Card {
  if (total === 0) {
    return card("Documents", {
      blocks: [
        text("There are none: designs are not grounded. Add a text, Markdown, JSONL or PDF file, or a link."),
      ],
      buttons: [addSome],
    });
  }
  const blocks = [documentsTable(records)];
  if (total > records.length)
    blocks.push(text(`${grouped(total - records.length)} more: give a larger limit.`));
  return card(`Documents: ${grouped(total)}`, { blocks });
}

export function documentCard(record: DocumentRecord, content: string): Card {
  const part = partOf(record);
  return card(`${record.id} ${record.title}`, {
    blocks: [
      fields(
        field("origin", record.origin),
        part === "" ? null : field("part", part),
        field("added", `${moment(record.addedAt)} by ${record.addedBy}`),
        field("characters", grouped(record.characters)),
      ),
      verbatim("Text", content),
    ],
  });
}
