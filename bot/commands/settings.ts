/** `settings show` and `settings set`: the model, budgets and approval policy of the lab, as chat uses them. */
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import type { SettingRecord } from "../../store/chat-records.ts";
import type { Store } from "../../store/store.ts";
import { settingName, settingsCard, settingValue } from "../cards/settings-card.ts";
import {
  type ChangeableSetting,
  changeableSettings,
  changedSettings,
  settingSchemas,
  valueIn,
  withChanges,
} from "../settings.ts";
import { type Answer, type CommandContext, defineCommand } from "./command.ts";
import type { OptionDefinition } from "./option.ts";

const everything = "all";

async function shown(context: CommandContext): Promise<Answer> {
  const { store } = await context.services();
  const changes = await changedSettings(store, context.log);
  // Outside chat the configuration comes without the changes.
  const config = withChanges(await context.config(), changes);
  const change = { label: "Change the budget", command: "settings set", options: {}, ask: ["tokenBudget"] };
  return {
    card: settingsCard(config, changes, [change]),
    json: {
      settings: changeableSettings.map((path) => {
        const record = changes.find(({ id }) => id === path);
        return {
          path,
          value: valueIn(config, path),
          setBy: record?.setBy ?? null,
          setAt: record === undefined ? null : new Date(record.setAt).toISOString(),
        };
      }),
    },
  };
}

export const settingsShow = defineCommand({
  name: "settings show",
  summary: "Show the model, the budgets and the approval policy of the lab",
  role: "researcher",
  options: {},
  run: (_options, _caller, context) => shown(context),
});

const options = {
  model: {
    kind: "model",
    summary: "the lab's model: embedded, or provider:model",
    schema: settingSchemas.model.trim().optional(),
  },
  tokenBudget: {
    kind: "whole-number",
    summary: "tokens that a round may use; 0 = no limit",
    schema: settingSchemas.tokenBudget.optional(),
    placeholder: "N",
  },
  costBudget: {
    kind: "text",
    summary: "US dollars that a round may cost; 0 = no limit",
    schema: z.coerce.number().pipe(settingSchemas.costBudgetUsd).optional(),
    placeholder: "USD",
  },
  approvals: {
    kind: "choice",
    summary: "when admitted environments wait for a person's approval",
    schema: settingSchemas.approvals.optional(),
  },
  reset: {
    kind: "choice",
    summary: "a setting that goes back to the configuration",
    schema: z.enum(["model", "token-budget", "cost-budget", "approvals", everything]).optional(),
  },
} as const satisfies Record<string, OptionDefinition>;

const resets: Readonly<Record<string, readonly ChangeableSetting[]>> = {
  model: ["model"],
  "token-budget": ["models.tokenBudget"],
  "cost-budget": ["models.costBudgetUsd"],
  approvals: ["approvals.policy"],
  [everything]: changeableSettings,
};

async function put(store: Store, record: SettingRecord): Promise<void> {
  if (await store.settings.insert(record)) return;
  await store.settings.update(record.id, () => record);
}

export const settingsSet = defineCommand({
  name: "settings set",
  summary: "Change the model, the budgets or the approval policy of the lab",
  details: "What is set here stands above the configuration for everything that is asked for in chat.",
  examples: ["settings set --token-budget 2000000", "settings set --reset all"],
  role: "admin",
  options,
  async run({ model, tokenBudget, costBudget, approvals, reset }, caller, context) {
    const given: readonly (readonly [ChangeableSetting, string | number | undefined])[] = [
      ["model", model],
      ["models.tokenBudget", tokenBudget],
      ["models.costBudgetUsd", costBudget],
      ["approvals.policy", approvals],
    ];
    const changed = given.flatMap(([path, value]) => (value === undefined ? [] : [{ path, value }]));
    if (changed.length === 0 && reset === undefined) {
      throw new InputError("input.bad-option", "Nothing to change was named.");
    }
    const services = await context.services();
    const { store, now } = services;
    // A model that can't be had must not become the lab's.
    if (model !== undefined) await services.model(model);
    const { audit } = await import("../../graph/decisions.ts");
    for (const path of reset === undefined ? [] : (resets[reset] ?? [])) {
      if (!(await store.settings.remove(path))) continue;
      await audit(services, caller.name, "setting.reset", settingName(path), "back to the configuration");
    }
    for (const { path, value } of changed) {
      await put(store, { id: path, value, setBy: caller.name, setAt: now() });
      await audit(services, caller.name, "setting.set", settingName(path), settingValue(path, value));
    }
    return shown(context);
  },
});
