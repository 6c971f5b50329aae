/** The budget of a round: model calls are refused once the tokens or the money it may use are used up. */
import { InputError, ProviderError } from "../../config/errors.ts";
import type { ModelsConfig } from "../../config/schema.ts";
import type { Usage } from "../../store/records.ts";
import type { Model, ModelAnswer, ModelCall } from "./model.ts";

/** Percent of the budget that people are told of. */
export const budgetMarks = [50, 80, 100] as const;
export type BudgetMark = (typeof budgetMarks)[number];

/** What was used before, e.g. by the part of a round that ran in another process. */
export type Spent = Pick<Usage, "inputTokens" | "outputTokens" | "costUsd">;

type Find = (name: string, version?: string) => Promise<Model>;

/**
 * Models by name, as `find` gives them, that share one budget. A call that would begin beyond the budget throws
 * `provider.budget`; `passed` is told of each mark once, as answers pass it. Calls in flight are counted with what their
 * question takes, so that a budget is overrun by the
 * answers in flight at most. Throws `input.bad-config` for a cost budget without prices.
 */
export function withinBudget(
  find: Find,
  config: ModelsConfig,
  spent: Spent,
  passed: (mark: BudgetMark) => void = () => {},
): Find {
  const { tokenBudget, costBudgetUsd, inputUsdPerMillion, outputUsdPerMillion } = config;
  if (tokenBudget === 0 && costBudgetUsd === 0) return find;
  if (costBudgetUsd > 0 && inputUsdPerMillion === 0 && outputUsdPerMillion === 0) {
    throw new InputError(
      "input.bad-config",
      "models.costBudgetUsd needs models.inputUsdPerMillion and models.outputUsdPerMillion.",
    );
  }
  const costOf = (inputTokens: number, outputTokens: number): number =>
    (inputTokens * inputUsdPerMillion + outputTokens * outputUsdPerMillion) / 1_000_000;
  let tokens = spent.inputTokens + spent.outputTokens;
  let costUsd = spent.costUsd;

  const check = (): void => {
    if (tokenBudget > 0 && tokens >= tokenBudget) {
      throw new ProviderError("provider.budget", `The round has used up its ${tokenBudget} tokens.`, {
        data: { tokens, tokenBudget },
      });
    }
    if (costBudgetUsd > 0 && costUsd >= costBudgetUsd) {
      throw new ProviderError("provider.budget", `The round has used up its ${costBudgetUsd} US dollars.`, {
        data: { costUsd, costBudgetUsd },
      });
    }
  };
  const usedPercent = (): number =>
    100 *
    Math.max(tokenBudget > 0 ? tokens / tokenBudget : 0, costBudgetUsd > 0 ? costUsd / costBudgetUsd : 0);
  // What was passed before this part of the round was told then.
  const untold = budgetMarks.filter((mark) => mark > usedPercent());
  const tellMarks = (): void => {
    while (untold[0] !== undefined && usedPercent() >= untold[0]) {
      const mark = untold.shift();
      if (mark !== undefined) passed(mark);
    }
  };
  const add = (moreTokens: number, moreUsd: number): void => {
    tokens += moreTokens;
    costUsd += moreUsd;
  };

  return async (name, version) => {
    const model = await find(name, version);
    return {
      name: model.name,
      ...(model.policyVersion === undefined ? {} : { policyVersion: model.policyVersion }),
      async call(call: ModelCall): Promise<ModelAnswer> {
        check();
        const asked = estimatedTokens(call.messages.map((message) => message.text).join("\n"));
        const askedUsd = costOf(asked, 0);
        add(asked, askedUsd);
        try {
          const answer = await model.call(call);
          const { inputTokens, outputTokens, costUsd: answerUsd } = answer.usage;
          const said = estimatedTokens(answer.text);
          // A provider that does not count must not make the budget endless.
          if (inputTokens + outputTokens > 0) add(inputTokens + outputTokens, answerUsd);
          else add(asked + said, costOf(asked, said));
          return answer;
        } finally {
          add(-asked, -askedUsd);
          tellMarks();
        }
      },
    };
  };
}

/** About four characters a token. */
function estimatedTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
