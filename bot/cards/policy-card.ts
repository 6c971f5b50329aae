/** Cards of a policy's versions: the list of them, and one with what it learnt and where it was used. */
import type { Lineage, Origin, PolicyUse } from "../../graph/policies/look-up.ts";
import type { UpdateStatistics } from "../../graph/trainers/trainer.ts";
import type { PolicyRecord } from "../../store/records.ts";
import { type Block, type Button, type Card, card, field, fields, table, text } from "./card.ts";
import { oneLine } from "./harmless.ts";
import { counted, moment, score, unknown } from "./numbers.ts";

export interface ListedPolicy {
  readonly record: PolicyRecord;
  readonly origin: Origin;
  readonly newest: boolean;
  /** Null for a version that no update made. */
  readonly statistics: UpdateStatistics | null;
}

const entropy = (value: number | null | undefined): string => score(value ?? null);
const share = (value: number | null | undefined): string =>
  value === null || value === undefined ? unknown : `${(100 * value).toFixed(1)} %`;
const wholeShare = (value: number | null | undefined): string =>
  value === null || value === undefined ? unknown : `${Math.round(100 * value)} %`;

export function policiesCard(policies: readonly ListedPolicy[], more: boolean): Card {
  if (policies.length === 0) {
    return card("Versions of policies", {
      blocks: [text("There are none yet: the first round with a model that the lab trains makes one.")],
      buttons: [{ label: "Run a round", command: "round", options: {} }],
    });
  }
  const number = { align: "right" } as const;
  // A column of one model says nothing, and a terminal of 80 characters has no room for it.
  const several = new Set(policies.map(({ record }) => record.provider)).size > 1;
  const columns = [
    { title: "version" },
    ...(several ? [{ title: "model", squeezeTo: 10, plain: true as const }] : []),
    { title: "made", squeezeTo: 10, plain: true as const },
    { title: "agent entropy", ...number, squeezeTo: 7 },
    { title: "designer entropy", ...number, squeezeTo: 8 },
    { title: "clip", ...number },
    { title: "how", squeezeTo: 9, plain: true as const },
  ];
  const rows = policies.map(({ record, newest, statistics }) => ({
    cells: [
      record.version,
      ...(several ? [record.provider] : []),
      moment(record.createdAt),
      entropy(statistics?.agentEntropy),
      entropy(statistics?.designerEntropy),
      wholeShare(statistics?.clipFraction),
      newest ? `${oneLine(record.note)} (newest)` : oneLine(record.note),
    ],
  }));
  const blocks: Block[] = [table(columns, rows)];
  if (more) blocks.push(text("There are more: give a larger limit, or a model."));
  const [first, second] = policies;
  const buttons: Button[] =
    first === undefined
      ? []
      : [
          {
            label: `Look at ${first.record.version}`,
            command: "policy show",
            options: { version: first.record.version },
          },
        ];
  if (first !== undefined && second !== undefined) {
    buttons.push({
      label: "Compare the two newest",
      command: "policy compare",
      options: { a: second.record.version, b: first.record.version },
    });
  }
  return card("Versions of policies", { blocks, buttons });
}

export interface PolicyDetails extends ListedPolicy {
  readonly lineage: Lineage;
  readonly use: PolicyUse;
  /** Of the embedded policy: by strategy, the level up to about which it is carried out well; null for others. */
  readonly skill: readonly { readonly strategy: string; readonly skill: number }[] | null;
}

const shownRounds = 12;

function usedIn({ rounds, evaluations }: PolicyUse): Block[] {
  const shown = rounds.slice(-shownRounds).join(", ");
  const left = rounds.length - shownRounds;
  return [
    fields(
      field(
        "rounds of campaigns",
        rounds.length === 0 ? "none" : `${shown}${left > 0 ? ` and ${counted(left, "more")}` : ""}`,
      ),
      ...evaluations.map((one) =>
        field(
          `held-out, ${one.campaignId} after ${one.after}`,
          `${share(one.success)} of ${one.episodes}, mean return ${score(one.meanReturn)}`,
        ),
      ),
    ),
  ];
}

export function policyCard({ record, newest, statistics, lineage, use, skill, origin }: PolicyDetails): Card {
  const { version, provider, parent, restores } = record;
  const blocks: Block[] = [
    fields(
      field("model", newest ? `${provider}; this is its newest version` : provider),
      field("made", `${moment(record.createdAt)}, ${oneLine(record.note)}`),
      parent === null ? null : field("after", parent),
      restores === undefined ? null : field("weights of", restores),
      field("updates in it", `${lineage.updates}; ${counted(lineage.ancestors, "version")} before it`),
    ),
  ];
  if (statistics !== null) {
    blocks.push(
      fields(
        field(
          "trained on",
          `${statistics.agentTrajectories} + ${counted(statistics.designerTrajectories, "trajectory", "trajectories")} (agent + designer)`,
        ),
        field(
          "entropy before",
          `agent ${entropy(statistics.agentEntropy)}, designer ${entropy(statistics.designerEntropy)} nats`,
        ),
        field("clip fraction", share(statistics.clipFraction)),
        field("weights moved by", statistics.changed === null ? unknown : statistics.changed.toFixed(3)),
      ),
    );
  }
  blocks.push(...usedIn(use));
  if (skill !== null) {
    blocks.push(
      table(
        [{ title: "strategy" }, { title: "skill (level)", align: "right" }],
        skill.map((one) => ({ cells: [one.strategy, score(one.skill)] })),
      ),
    );
  }
  const buttons: Button[] = [
    ...(parent === null
      ? []
      : [
          {
            label: "Compare with the one before",
            command: "policy compare",
            options: { a: parent, b: version },
          },
        ]),
    ...(newest
      ? []
      : [
          {
            label: origin === "untrained" ? "Begin again from it" : "Go back to it",
            command: "policy rollback",
            options: { version },
            tone: "bad" as const,
          },
        ]),
  ];
  return card(`Policy ${version}`, { blocks, buttons });
}

/** What a rollback did. */
export function rollbackCard(record: PolicyRecord): Card {
  const restored = record.restores ?? unknown;
  return card(`Policy ${record.version}`, {
    tone: "warning",
    blocks: [
      text(
        `The newest version of ${record.provider} has the weights of ${restored} again. Rounds that are being played go on with the version that they began with, and nothing is learnt from them; the next ones play with this one.`,
      ),
    ],
    buttons: [
      { label: "Versions", command: "policy list", options: { model: record.provider } },
      ...(record.parent === null
        ? []
        : [
            {
              label: "Undo the rollback",
              command: "policy rollback",
              options: { version: record.parent },
              tone: "bad" as const,
            },
          ]),
    ],
  });
}
