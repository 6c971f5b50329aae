/** Cards of rounds: the result of one, and the list of all. */
import { catalogue } from "../../config/errors.ts";
import type { EnvironmentResult, RoundResult } from "../../graph/result.ts";
import type { RoundRecord } from "../../store/records.ts";
import {
  type Block,
  type Button,
  type Card,
  type Column,
  card,
  field,
  fields,
  type Row,
  type Tone,
  table,
  text,
} from "./card.ts";
import { failedGate } from "./environment-card.ts";
import { oneLine, shorten } from "./harmless.ts";
import { liftText } from "./lift.ts";
import { counted, duration, grouped, moment, score, unknown, withError } from "./numbers.ts";

/** Characters of the sentence that says why a design was rejected. */
const reasonCharacters = 160;

function reasonOf(environment: EnvironmentResult): string {
  const failed = failedGate(environment.gates);
  const said = failed === null ? (environment.reason ?? unknown) : `${failed.gate}: ${failed.detail}`;
  return shorten(oneLine(said), reasonCharacters);
}

/** The table of a round: a person's hint gets its own column only where somebody wrote one. */
export function roundTable(environments: readonly EnvironmentResult[], mode: RoundResult["mode"]): Block {
  const withPeople = environments.some(({ hintedHuman }) => hintedHuman !== null);
  const number = { align: "right", squeezeTo: 5 } as const;
  const columns: Column[] = [
    { title: "environment", squeezeTo: 12 },
    { title: "skill", squeezeTo: 12, plain: true },
    { title: "status", plain: true },
    { title: "plain", ...number },
    { title: "hinted", ...number },
    ...(withPeople ? [{ title: "person's hint", ...number, squeezeTo: 8 }] : []),
    { title: "regret", ...number },
    ...(mode === "self-play" ? [{ title: "earned", align: "right" as const }] : []),
  ];
  const rows = environments.map((environment): Row => {
    const first = [`${environment.id} ${environment.name}`, environment.skill ?? unknown, environment.status];
    if (environment.status === "rejected") return { cells: first, rest: reasonOf(environment) };
    const { plain, hinted, hintedHuman } = environment;
    return {
      cells: [
        ...first,
        withError(plain.meanReturn, plain.stderr),
        withError(hinted.meanReturn, hinted.stderr),
        ...(withPeople ? [withError(hintedHuman?.meanReturn ?? null, hintedHuman?.stderr ?? null)] : []),
        withError(environment.regret, environment.regretStderr),
        ...(mode === "self-play" ? [score(environment.designerReward)] : []),
      ],
    };
  });
  return table(columns, rows);
}

function totalsFields({ totals, wallMs, model, policyVersion, seed }: RoundResult): Block {
  const tokens = totals.inputTokens + totals.outputTokens;
  const cost = totals.costUsd > 0 ? `, ${totals.costUsd.toFixed(2)} US dollars` : "";
  return fields(
    field("model", model),
    policyVersion === null ? null : field("policy", policyVersion),
    field("seed", String(seed)),
    field("took", duration(wallMs)),
    field("played", `${counted(totals.episodes, "episode")}, ${counted(totals.steps, "step")}`),
    field("model calls", `${grouped(totals.modelCalls)}, ${counted(tokens, "token")}${cost}`),
    totals.droppedGroups === 0
      ? null
      : field("no signal", `${counted(totals.droppedGroups, "group")} whose plays all had the same return`),
  );
}

/** The environment whose regret is largest: the one at the edge of what the agent can do. */
function edge(environments: readonly EnvironmentResult[]): EnvironmentResult | null {
  return environments
    .filter(({ status, regret }) => status === "admitted" && regret !== null)
    .reduce<EnvironmentResult | null>(
      (best, one) => (best === null || (one.regret ?? 0) > (best.regret ?? 0) ? one : best),
      null,
    );
}

/** Sentences on what the table shows. */
function reading({ environments, mode, status }: RoundResult): string[] {
  if (status !== "finished" || mode !== "self-play") return [];
  const rejected = environments.filter((one) => one.status === "rejected").length;
  if (rejected === environments.length) {
    return ["Every design was rejected, so nothing was played. Each gate's sentence says why."];
  }
  const best = edge(environments);
  if (best === null || best.regret === null || best.regret <= 0) return [];
  return [
    `${best.id} is the nearest to the edge of what the agent can do: with its hint it returns ${score(best.regret)} more than without.`,
  ];
}

/** What people's hints are worth, for each environment that has one. */
function lifts({ environments }: RoundResult): string[] {
  return environments.flatMap((environment) => {
    const said = liftText(environment);
    return said === null ? [] : [`${environment.id}: ${said}`];
  });
}

function nextSteps(result: RoundResult, waiting: readonly string[]): Button[] {
  const { roundId, status, environments, mode } = result;
  if (status === "waiting") {
    return waiting.slice(0, 3).flatMap((id): Button[] => [
      { label: `Look at ${id}`, command: "env show", options: { id } },
      { label: `Approve ${id}`, command: "approve", options: { id }, tone: "good" },
      { label: `Reject ${id}`, command: "reject", options: { id }, ask: ["reason"], tone: "bad" },
    ]);
  }
  if (status === "failed" || status === "running") {
    return [{ label: "Go on with it", command: "resume", options: { id: roundId } }];
  }
  const admitted = environments.filter((one) => one.status === "admitted");
  const best = edge(environments) ?? admitted[0] ?? null;
  const steps: Button[] = [];
  if (best !== null) {
    steps.push(
      { label: `Look at ${best.name}`, command: "env show", options: { id: best.id } },
      { label: "Play it yourself", command: "env play", options: { id: best.id } },
    );
  } else if (environments[0] !== undefined) {
    steps.push({ label: "See its gates", command: "env show", options: { id: environments[0].id } });
  }
  if (result.totals.episodes > 0) {
    steps.push({ label: "Read its episodes", command: "episodes", options: { id: roundId } });
  }
  if (mode === "self-play" && environments.every(({ documentId }) => documentId === null)) {
    steps.push({ label: "Ground the next round on documents", command: "round", options: {}, ask: ["docs"] });
  } else steps.push({ label: "Another round", command: "round", options: {} });
  return steps;
}

const tones: Readonly<Record<RoundResult["status"], Tone>> = {
  finished: "good",
  waiting: "warning",
  running: "plain",
  cancelled: "warning",
  failed: "bad",
};

/** What to do about an error that a round keeps; empty for a code of another version. */
function fixOf(code: string): string {
  return Object.entries(catalogue).find(([known]) => known === code)?.[1].fix ?? "";
}

/** `waiting`: environments that nobody has decided about yet. */
export function roundCard(result: RoundResult, waiting: readonly string[] = []): Card {
  const blocks: Block[] = [];
  if (result.error !== null) blocks.push(text(`${result.error.message} ${fixOf(result.error.code)}`.trim()));
  if (waiting.length > 0) {
    blocks.push(text(`It waits for people to decide about ${counted(waiting.length, "environment")}.`));
  }
  if (result.environments.length > 0) blocks.push(roundTable(result.environments, result.mode));
  blocks.push(...reading(result).map(text), ...lifts(result).map(text), totalsFields(result));
  return card(`Round ${result.roundId}: ${result.status}`, {
    tone: tones[result.status],
    blocks,
    buttons: nextSteps(result, waiting),
  });
}

/** Characters of a brief that tell a round from others. */
const briefCharacters = 50;

/** What a round was asked to do, in a few words. */
export function purposeOf({ options }: Pick<RoundRecord, "options">): string {
  if (options.mode === "measure") return `measure ${options.pool.join(", ")}`;
  if (options.mode === "pool") return `pool of ${options.pool.length}`;
  const brief = options.brief === null ? "" : `: ${shorten(oneLine(options.brief).trim(), briefCharacters)}`;
  return `${counted(options.envs, "design")}, ${options.kind}${brief}`;
}

export function roundsCard(records: readonly RoundRecord[], more: boolean): Card {
  if (records.length === 0) {
    return card("Rounds", {
      blocks: [text("There are none yet.")],
      buttons: [{ label: "Start one", command: "round", options: {} }],
    });
  }
  const columns: Column[] = [
    { title: "round" },
    { title: "status", plain: true },
    { title: "started" },
    { title: "what", squeezeTo: 12, plain: true },
    { title: "model", squeezeTo: 8 },
    { title: "by", squeezeTo: 6 },
  ];
  const rows = records.map((record) => ({
    cells: [
      record.id,
      record.status,
      moment(record.startedAt),
      purposeOf(record),
      record.options.model,
      record.startedBy,
    ],
  }));
  const newest = records[0];
  return card("Rounds", {
    blocks: [table(columns, rows), ...(more ? [text("There are more: give a larger limit.")] : [])],
    buttons:
      newest === undefined ? [] : [{ label: "Its result", command: "resume", options: { id: newest.id } }],
  });
}

/** What a round says in chat when it begins to wait for people; it stays true once they have decided. */
export function roundAskedCard(roundId: string, environments: number): Card {
  return card(`Round ${roundId} asks for approval`, {
    tone: "warning",
    // Each request has buttons of its own, which go when it is decided.
    blocks: [
      text(
        `People decide about ${counted(environments, "environment")} in this thread; once they have, the round goes on by itself.`,
      ),
    ],
  });
}
