/** `env list`: the environments of the lab, newest first. */
import { environmentKind, environmentStatus, skill } from "../../config/words.ts";
import { environmentsCard } from "../cards/environment-card.ts";
import { defineCommand } from "./command.ts";
import { collect, limitOption, roundArgument, shownOf } from "./shared.ts";

export const envList = defineCommand({
  name: "env list",
  summary: "List environments, newest first",
  examples: ["env list --status admitted --kind game"],
  role: "viewer",
  options: {
    status: { kind: "choice", summary: "only with this status", schema: environmentStatus.optional() },
    kind: { kind: "choice", summary: "only of this kind", schema: environmentKind.optional() },
    skill: { kind: "choice", summary: "only for this skill", schema: skill.optional(), placeholder: "NAME" },
    round: {
      kind: "round",
      summary: "only those that this round designed",
      schema: roundArgument.schema.optional(),
      placeholder: "ROUND",
    },
    limit: limitOption,
  },
  async run({ status, kind, skill, round, limit }, _caller, context) {
    const { store } = await context.services();
    const filter = {
      ...(status === undefined ? {} : { status }),
      ...(round === undefined ? {} : { roundId: round }),
    };
    const found = await collect(
      (page) => store.environments.list(filter, page),
      limit,
      (record) =>
        (kind === undefined || record.kind === kind) && (skill === undefined || record.skill === skill),
    );
    const { shown, more } = shownOf(found, limit);
    const filtered = [status, kind, skill, round].some((value) => value !== undefined);
    return {
      card: environmentsCard(shown, { more, filtered }),
      json: {
        environments: found.items.map((record) => ({
          id: record.id,
          name: record.name,
          kind: record.kind,
          language: record.language,
          skill: record.skill,
          difficulty: record.difficulty,
          status: record.status,
          roundId: record.roundId,
          winRate: record.score?.winRate ?? null,
          regret: record.score?.regret ?? null,
          regretStderr: record.score?.regretStderr ?? null,
        })),
      },
    };
  },
});
