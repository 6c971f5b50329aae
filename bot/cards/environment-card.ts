/** Cards of environments: a list of them, one with everything that is known of it, and what its gates said. */
import type { GateResult } from "../../config/words.ts";
import type { ArmStatistics, EnvironmentRecord } from "../../store/records.ts";
import { type Block, type Button, type Card, card, field, fields, table, text, verbatim } from "./card.ts";
import { oneLine } from "./harmless.ts";
import { type Lift, liftText } from "./lift.ts";
import { counted, moment, score, unknown, withError } from "./numbers.ts";

export function environmentsCard(
  records: readonly EnvironmentRecord[],
  options: { readonly more: boolean; readonly filtered: boolean },
): Card {
  if (records.length === 0) {
    const blocks = [text(options.filtered ? "None fits these filters." : "There are none yet.")];
    const buttons: Button[] = options.filtered
      ? []
      : [{ label: "Design some", command: "round", options: {} }];
    return card("Environments", { blocks, buttons });
  }
  const columns = [
    { title: "id" },
    { title: "name", squeezeTo: 10, plain: true as const },
    { title: "kind", plain: true as const },
    { title: "skill", squeezeTo: 10, plain: true as const },
    { title: "status", plain: true as const },
    { title: "win rate", align: "right" as const, squeezeTo: 5 },
    { title: "regret", align: "right" as const, squeezeTo: 6 },
  ];
  const rows = records.map((record) => ({
    cells: [
      record.id,
      record.name,
      record.kind,
      record.skill ?? unknown,
      record.status,
      score(record.score?.winRate ?? null),
      withError(record.score?.regret ?? null, record.score?.regretStderr ?? null),
    ],
  }));
  const blocks = [table(columns, rows)];
  if (options.more) blocks.push(text("There are more: give a larger limit, or filter."));
  const first = records.find(({ status }) => status === "admitted");
  const buttons: Button[] =
    first === undefined
      ? []
      : [
          { label: `Look at ${first.id}`, command: "env show", options: { id: first.id } },
          { label: "Play it", command: "env play", options: { id: first.id } },
        ];
  return card("Environments", { blocks, buttons });
}

/** The first gate that kept an environment out; null if none did. */
export function failedGate(gates: readonly GateResult[]): GateResult | null {
  return (
    gates.find(({ verdict }) => verdict === "fail") ??
    gates.find(({ gate, verdict }) => verdict === "unknown" && gate !== "review") ??
    null
  );
}

export function gatesTable(gates: readonly GateResult[]): Block {
  const columns = [
    { title: "gate" },
    { title: "verdict", plain: true as const },
    { title: "ms", align: "right" as const },
    { title: "detail", squeezeTo: 20, plain: true as const },
  ];
  return table(
    columns,
    gates.map(({ gate, verdict, detail, ms }) => ({
      cells: [gate, verdict, ms < 10 ? ms.toFixed(1) : ms.toFixed(0), oneLine(detail)],
    })),
  );
}

/** `0.38 ±0.18 over 8 plays`, failed ones named. */
export function armText(arm: ArmStatistics | null): string {
  if (arm === null || (arm.plays === 0 && arm.failed === 0)) return "not played";
  const failed = arm.failed > 0 ? `, ${arm.failed} failed` : "";
  return `${withError(arm.meanReturn, arm.stderr)} over ${arm.plays} ${arm.plays === 1 ? "play" : "plays"}${failed}`;
}

export interface ModelsPlays {
  readonly player: string;
  readonly policyVersion: string | null;
  /** In all arms. */
  readonly plays: number;
  readonly meanPlainReturn: number | null;
}

/** Versions that a card names; a fixed pool is played by one a round. */
const shownVersions = 3;

function modelsText(plays: readonly ModelsPlays[]): string {
  const said = plays
    .slice(-shownVersions)
    .map(
      (one) =>
        `${one.policyVersion ?? one.player} (${counted(one.plays, "play")}, plain ${score(one.meanPlainReturn)})`,
    );
  const left = plays.length - said.length;
  return `${left > 0 ? `${counted(left, "earlier version")}, ` : ""}${said.join(", ")}`;
}

export interface EnvironmentDetails {
  readonly record: EnvironmentRecord;
  readonly hint: string | null;
  /** Hints that people wrote, oldest first. */
  readonly peoplesHints: readonly { readonly author: string; readonly text: string }[];
  /** Returns of people who played it, oldest first. */
  readonly peoplesPlays: readonly { readonly player: string; readonly return: number | null }[];
  /** Models that played it, version by version. */
  readonly modelsPlays: readonly ModelsPlays[];
  readonly documentTitle: string | null;
  readonly lift: Lift;
}

/** What the model scored in it; nothing where it was never played. */
export function scoreFields(record: EnvironmentRecord): Block[] {
  const measured = record.score;
  if (measured === null) return [];
  return [
    fields(
      field("plain", armText(measured.plain)),
      field("hinted", armText(measured.hinted)),
      measured.hintedHuman === null ? null : field("hinted-human", armText(measured.hintedHuman)),
      field("regret", withError(measured.regret, measured.regretStderr)),
      measured.humanRegret === null
        ? null
        : field("regret, person's hint", withError(measured.humanRegret, measured.humanRegretStderr)),
      field("win rate", score(measured.winRate)),
    ),
  ];
}

/** What can be done with an environment. */
export function environmentButtons(record: EnvironmentRecord): Button[] {
  const options = { id: record.id };
  const source: Button = { label: "Source", command: "env source", options };
  if (record.status !== "admitted") return record.sourceId === null ? [] : [source];
  return [
    { label: "Play", command: "env play", options, tone: "good" },
    { label: "Add hint", command: "hint add", options, ask: ["text"] },
    { label: "Measure", command: "env measure", options },
    source,
    { label: "Retire", command: "env retire", options, tone: "bad" },
  ];
}

export function environmentCard(details: EnvironmentDetails): Card {
  const { record, hint, peoplesHints, peoplesPlays, modelsPlays, documentTitle } = details;
  const { model, policyVersion } = record.designer;
  const lift = liftText(details.lift);
  const origin = record.roundId === null ? "a file" : `round ${record.roundId}`;
  const blocks: Block[] = [
    fields(
      field("status", record.reason === null ? record.status : `${record.status}: ${record.reason}`),
      field("kind", `${record.kind}, ${record.language}`),
      record.skill === null ? null : field("skill", record.skill),
      record.difficulty === null ? null : field("difficulty", record.difficulty),
      field("from", `${origin}, ${moment(record.createdAt)}, ${policyVersion ?? model}`),
      record.documentId === null
        ? null
        : field(
            "document",
            documentTitle === null ? record.documentId : `${record.documentId} ${documentTitle}`,
          ),
      record.brief === null ? null : field("brief", record.brief),
      record.maxTurns === null ? null : field("turns at most", String(record.maxTurns)),
      record.repairs === 0 ? null : field("repairs", String(record.repairs)),
      modelsPlays.length === 0 ? null : field("played by models", modelsText(modelsPlays)),
      record.tags.length === 0 ? null : field("tags", record.tags.join(", ")),
    ),
    ...scoreFields(record),
    ...(lift === null ? [] : [text(lift)]),
  ];
  if (record.firstObservation !== "") blocks.push(verbatim("First observation", record.firstObservation));
  if (hint !== null) blocks.push(verbatim("Hint of its designer", hint));
  blocks.push(...peoplesHints.map((one) => verbatim(`Hint of ${one.author}`, one.text)));
  if (peoplesPlays.length > 0) {
    const plays = peoplesPlays.map((one) => `${one.player} ${score(one.return)}`);
    blocks.push(fields(field("played by people", plays.join(", "))));
  }
  if (record.gates.length > 0) blocks.push(gatesTable(record.gates));
  const compare: Button = { label: "Compare", command: "env compare", options: { id: record.id } };
  const buttons = [...environmentButtons(record), ...(peoplesPlays.length > 0 ? [compare] : [])];
  return card(`${record.id} ${record.name}`, { blocks, buttons });
}

/** What `env admit` found out. */
export function admissionCard(record: EnvironmentRecord): Card {
  const admitted = record.status === "admitted";
  const failed = failedGate(record.gates);
  const blocks: Block[] = [];
  if (!admitted && failed !== null) blocks.push(text(`${failed.gate}: ${oneLine(failed.detail)}`));
  if (record.gates.length > 0) blocks.push(gatesTable(record.gates));
  return card(`${record.id} ${record.name}: ${record.status}`, {
    tone: admitted ? "good" : "bad",
    blocks,
    buttons: admitted ? environmentButtons(record) : [],
  });
}
