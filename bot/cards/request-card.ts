/** What became of a request: the environment that a round designed to a brief, with everything to judge it by. */
import type { GateResult } from "../../config/words.ts";
import { roundResult } from "../../graph/result.ts";
import type { Services } from "../../graph/services.ts";
import type { EnvironmentRecord, RoundRecord } from "../../store/records.ts";
import { type Block, type Button, type Card, card, field, fields, text, verbatim } from "./card.ts";
import { environmentButtons, failedGate, gatesTable, scoreFields } from "./environment-card.ts";
import { oneLine } from "./harmless.ts";
import { liftText } from "./lift.ts";
import { duration } from "./numbers.ts";
import { roundCard } from "./round-card.ts";

/** The same request once more, as it was or with other words. */
function again({ options }: RoundRecord, usualModel: string): Button[] {
  const { brief, difficulty, skill, kind, plays, model, documentIds } = options;
  if (brief === null) return [];
  const asked = {
    brief,
    ...(difficulty === null ? {} : { difficulty }),
    ...(skill === null ? {} : { skill }),
    ...(kind === "mixed" ? {} : { kind }),
    ...(documentIds.length === 0 ? {} : { ground: documentIds.join(" ") }),
    ...(model === usualModel ? {} : { model }),
    plays,
  };
  return [
    { label: "Try again", command: "env request", options: asked },
    { label: "Change the brief", command: "env request", options: asked, ask: ["brief"], chatOnly: true },
  ];
}

function askedFor(round: RoundRecord, environment: EnvironmentRecord, documentTitle: string | null): Block {
  const { skill, difficulty, kind, language, documentId, repairs } = environment;
  return fields(
    field("brief", oneLine(round.options.brief ?? "")),
    field("kind", [kind, language, difficulty, skill].filter((word) => word !== null).join(", ")),
    documentId === null ? null : field("document", `${documentId} ${documentTitle ?? ""}`.trim()),
    repairs === 0 ? null : field("repairs", String(repairs)),
    field("asked by", round.startedBy),
    field("took", duration(round.wallMs)),
  );
}

/** The gates of an environment that passed, in two lines: nobody needs their sentences. */
function gatesPassed(gates: readonly GateResult[]): Block {
  const names = (verdict: GateResult["verdict"]): string =>
    gates.flatMap((one) => (one.verdict === verdict ? [one.gate] : [])).join(", ");
  return fields(
    field("gates passed", names("pass")),
    names("unknown") === "" ? null : field("not judged", names("unknown")),
  );
}

/**
 * The card of a one-environment round to a brief: of its environment where the round is finished, of the round itself
 * while it is not. Throws `input.not-found`.
 */
export async function requestCard({ store, config }: Services, round: RoundRecord): Promise<Card> {
  const result = await roundResult(store, round.id);
  const [measured] = result.environments;
  const environment = measured === undefined ? null : await store.environments.get(measured.id);
  if (round.status !== "finished" || measured === undefined || environment === null) {
    const asked = round.status === "waiting" ? await store.approvals.ofRound(round.id) : [];
    const waiting = asked.filter(({ status }) => status === "waiting").map((one) => one.environmentId);
    const drawn = roundCard(result, waiting);
    return round.status === "cancelled" ? { ...drawn, buttons: again(round, config.model) } : drawn;
  }
  const { documentId } = environment;
  const documentTitle = documentId === null ? null : ((await store.documents.get(documentId))?.title ?? null);
  const source = environment.sourceId === null ? null : await store.texts.get(environment.sourceId);
  const extension = environment.language === "python" ? "py" : "js";
  const files = source === null ? [] : [{ name: `${environment.name}.${extension}`, text: source }];
  const title = `${environment.id} ${environment.name}`;
  if (environment.status === "rejected") {
    const failed = failedGate(environment.gates);
    const why = failed === null ? (environment.reason ?? "") : `${failed.gate}: ${oneLine(failed.detail)}`;
    return card(`${title}: rejected`, {
      tone: "bad",
      blocks: [
        text(`What was designed did not pass. ${why}`.trim()),
        askedFor(round, environment, documentTitle),
        ...(environment.gates.length === 0 ? [] : [gatesTable(environment.gates)]),
      ],
      files,
      buttons: [
        ...again(round, config.model),
        { label: "Show it", command: "env show", options: { id: environment.id } },
      ],
    });
  }
  const lift = liftText(measured);
  return card(`${title}: ${environment.status}`, {
    tone: environment.status === "admitted" ? "good" : "warning",
    blocks: [
      askedFor(round, environment, documentTitle),
      verbatim("First observation", environment.firstObservation),
      ...scoreFields(environment),
      ...(lift === null ? [] : [text(lift)]),
      gatesPassed(environment.gates),
    ],
    files,
    buttons: requestButtons(environment),
  });
}

/** It was played a moment ago: what comes next is a round with it, for which a person's hint is an arm of its own. */
function requestButtons(environment: EnvironmentRecord): Button[] {
  const round: Button = { label: "Run a round", command: "round", options: { pool: environment.id } };
  return environmentButtons(environment).map((button) => (button.command === "env measure" ? round : button));
}
