/**
 * Settings that admins change in chat: the model, the budgets and the approval policy. They are kept in the store and
 * stand above the configuration for everything that is asked for in chat.
 */
import type { Logger } from "pino";
import { type Config, configSchema } from "../config/schema.ts";
import type { Services } from "../graph/services.ts";
import type { SettingRecord } from "../store/chat-records.ts";
import type { Store } from "../store/store.ts";

const { model } = configSchema.shape;
const budgets = configSchema.shape.models.unwrap().shape;
const approvals = configSchema.shape.approvals.unwrap().shape;

/** A setting by its path in the configuration, with what it takes and where it goes. */
const changeable = {
  model: {
    schema: model.unwrap(),
    read: (config: Config) => config.model,
  },
  "models.tokenBudget": {
    schema: budgets.tokenBudget.unwrap(),
    read: (config: Config) => config.models.tokenBudget,
  },
  "models.costBudgetUsd": {
    schema: budgets.costBudgetUsd.unwrap(),
    read: (config: Config) => config.models.costBudgetUsd,
  },
  "approvals.policy": {
    schema: approvals.policy.unwrap(),
    read: (config: Config) => config.approvals.policy,
  },
} as const;

export type ChangeableSetting = keyof typeof changeable;
export const changeableSettings = Object.keys(changeable) as readonly ChangeableSetting[];

export const settingSchemas = {
  model: changeable.model.schema,
  tokenBudget: changeable["models.tokenBudget"].schema,
  costBudgetUsd: changeable["models.costBudgetUsd"].schema,
  approvals: changeable["approvals.policy"].schema,
} as const;

function isChangeable(path: string): path is ChangeableSetting {
  return Object.hasOwn(changeable, path);
}

/** The value that the configuration gives the setting. */
export function valueIn(config: Config, path: ChangeableSetting): string | number {
  return changeable[path].read(config);
}

/** What was changed in chat, by path. A record of a setting that is gone, or that does not fit any more, is left out and logged. */
export async function changedSettings(store: Store, log: Logger): Promise<readonly SettingRecord[]> {
  const { items } = await store.settings.list("", { limit: 1_000 });
  return items.filter((record) => {
    const fits = isChangeable(record.id) && changeable[record.id].schema.safeParse(record.value).success;
    if (!fits) log.warn({ setting: record.id }, "a changed setting does not fit any more and is left out");
    return fits;
  });
}

/** The configuration with the changes above it. */
export function withChanges(config: Config, changes: readonly SettingRecord[]): Config {
  if (changes.length === 0) return config;
  const value = <T>(path: ChangeableSetting, schema: { parse(given: unknown): T }, fallback: T): T => {
    const changed = changes.find(({ id }) => id === path);
    return changed === undefined ? fallback : schema.parse(changed.value);
  };
  const { models, approvals: policies } = config;
  return {
    ...config,
    model: value("model", settingSchemas.model, config.model),
    models: {
      ...models,
      tokenBudget: value("models.tokenBudget", settingSchemas.tokenBudget, models.tokenBudget),
      costBudgetUsd: value("models.costBudgetUsd", settingSchemas.costBudgetUsd, models.costBudgetUsd),
    },
    approvals: { ...policies, policy: value("approvals.policy", settingSchemas.approvals, policies.policy) },
  };
}

/** The lab as chat sees it: services and configuration with the changed settings in force. */
export interface ChatSettings {
  /** The configuration now. Throws what `load` throws. */
  config(preset?: string | null): Promise<Config>;
  /** Services whose configuration is the one of the latest look at the store. */
  readonly services: Services;
  /** Looks at the store, so that the services know what was changed, here or by another process. */
  refresh(): Promise<Services>;
}

/**
 * Puts the changed settings in force over services. `load` gives the configuration without them.
 */
export async function openChatSettings(
  services: Services,
  load: (preset?: string | null) => Promise<Config>,
): Promise<ChatSettings> {
  let changes = await changedSettings(services.store, services.log);
  const look = async (): Promise<void> => {
    changes = await changedSettings(services.store, services.log);
  };
  const live: Services = {
    ...services,
    get config() {
      return withChanges(services.config, changes);
    },
  };
  return {
    async config(preset = null) {
      await look();
      return withChanges(await load(preset), changes);
    },
    services: live,
    async refresh() {
      await look();
      return live;
    },
  };
}
