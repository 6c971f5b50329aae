/** Cards of approvals: what a person needs to decide about an environment, on a phone too, and what was decided. */
import type { ApprovalRecord, EnvironmentRecord } from "../../store/records.ts";
import { type Block, type Button, type Card, card, field, fields, table, text, verbatim } from "./card.ts";
import { oneLine } from "./harmless.ts";
import { counted } from "./numbers.ts";

export interface ApprovalDetails {
  readonly record: EnvironmentRecord;
  readonly approval: ApprovalRecord;
  readonly source: string | null;
  readonly hint: string | null;
  readonly documentTitle: string | null;
  /** Until when people can decide, as the surface shows a moment. */
  readonly until: string;
  /** When it was decided, as the surface shows a moment; null while it waits. */
  readonly decidedAt: string | null;
}

/** The gates in one line, and those that did not simply pass with their sentence. */
function gatesBlocks({ gates }: EnvironmentRecord): Block[] {
  const passed = gates.filter(({ verdict }) => verdict === "pass");
  const others = gates.filter(({ verdict, gate }) => verdict !== "pass" && gate !== "review");
  const review = gates.find(({ gate }) => gate === "review");
  return [
    fields(
      field("gates", `${passed.length} of ${gates.length} passed`),
      ...others.map(({ gate, verdict, detail }) => field(gate, `${verdict}: ${oneLine(detail)}`)),
      field(
        "reviewer",
        review === undefined ? "was not asked" : `${review.verdict}: ${oneLine(review.detail)}`,
      ),
    ),
  ];
}

function whatItIs({ record, documentTitle, until }: ApprovalDetails): Block {
  return fields(
    field("kind", [record.kind, record.skill, record.difficulty].filter((one) => one !== null).join(", ")),
    record.brief === null ? null : field("brief", record.brief),
    record.documentId === null ? null : field("document", documentTitle ?? record.documentId),
    record.maxTurns === null ? null : field("turns at most", String(record.maxTurns)),
    record.repairs === 0 ? null : field("repairs", String(record.repairs)),
    field("designed by", record.designer.model),
    field("decide", until),
  );
}

function decidedText({ approval, decidedAt }: ApprovalDetails): string {
  const by = approval.decidedBy === null ? "" : ` by ${approval.decidedBy}`;
  const at = decidedAt === null ? "" : `, ${decidedAt}`;
  const why = approval.reason === null ? "" : `: ${approval.reason}`;
  return `${approval.status === "approved" ? "Approved" : "Rejected"}${by}${at}${why}`;
}

/** The request while it waits, and what became of it afterwards: then it has no buttons any more. */
export function approvalCard(details: ApprovalDetails): Card {
  const { record, approval, source, hint } = details;
  const options = { id: record.id };
  const waiting = approval.status === "waiting";
  const buttons: readonly Button[] = [
    { label: "Approve", command: "approve", options, tone: "good" },
    { label: "Reject…", command: "reject", options, ask: ["reason"], tone: "bad" },
    {
      label: "Edit hint…",
      command: "hint edit",
      options: hint === null ? options : { ...options, text: hint },
      ask: ["text"],
    },
    { label: "Play it", command: "env play", options },
  ];
  const blocks: Block[] = [waiting ? whatItIs(details) : text(decidedText(details))];
  if (waiting && record.firstObservation !== "") {
    blocks.push(verbatim("First observation", record.firstObservation));
  }
  if (waiting) {
    const by = record.hintEditedBy === undefined ? "of its designer" : `as ${record.hintEditedBy} wrote it`;
    blocks.push(hint === null ? text("It has no hint.") : verbatim(`Hint ${by}`, hint));
    blocks.push(...gatesBlocks(record));
  }
  const verdict = waiting ? "approve it?" : approval.status;
  return card(`${record.id} ${record.name}: ${verdict}`, {
    tone: waiting ? "warning" : approval.status === "approved" ? "good" : "bad",
    blocks,
    files: waiting && source !== null ? [{ name: `${record.name}.js`, text: source }] : [],
    buttons: waiting ? buttons : [],
  });
}

export interface QueuedApproval {
  readonly environmentId: string;
  readonly name: string;
  readonly roundId: string;
  readonly asked: string;
  readonly until: string;
}

/** Environments shown with buttons of their own in the queue. */
const shownButtons = 4;

/** What waits for people, oldest first. */
export function approvalQueueCard(queue: readonly QueuedApproval[]): Card {
  if (queue.length === 0) return card("Nothing waits for approval", { tone: "good", blocks: [] });
  const columns = [
    { title: "environment" },
    { title: "name", squeezeTo: 12, plain: true as const },
    { title: "round" },
    { title: "asked", squeezeTo: 10 },
    { title: "decide until", squeezeTo: 10 },
  ];
  const rows = queue.map((one) => ({
    cells: [one.environmentId, one.name, one.roundId, one.asked, one.until],
  }));
  return card(`${counted(queue.length, "environment waits", "environments wait")} for approval`, {
    tone: "warning",
    blocks: [table(columns, rows)],
    buttons: queue.slice(0, shownButtons).flatMap(({ environmentId }): Button[] => [
      { label: `Look at ${environmentId}`, command: "env show", options: { id: environmentId } },
      { label: `Approve ${environmentId}`, command: "approve", options: { id: environmentId }, tone: "good" },
      {
        label: `Reject ${environmentId}…`,
        command: "reject",
        options: { id: environmentId },
        ask: ["reason"],
        tone: "bad",
      },
    ]),
  });
}
