/** The card of the settings that admins change in chat. */
import type { Config } from "../../config/schema.ts";
import type { SettingRecord } from "../../store/chat-records.ts";
import { type ChangeableSetting, changeableSettings, valueIn } from "../settings.ts";
import { type Button, type Card, card, table, text } from "./card.ts";
import { grouped, moment } from "./numbers.ts";

const names: Readonly<Record<ChangeableSetting, string>> = {
  model: "model",
  "models.tokenBudget": "token budget",
  "models.costBudgetUsd": "cost budget",
  "approvals.policy": "approvals",
};

/** What a setting is called in chat. */
export const settingName = (path: ChangeableSetting): string => names[path];

/** A setting's value as people read it. */
export function settingValue(path: ChangeableSetting, value: string | number): string {
  if (typeof value === "string") return value;
  if (value === 0) return "no limit";
  return path === "models.costBudgetUsd" ? `$${value} a round` : `${grouped(value)} tokens a round`;
}

/** `config` is what applies now, `changes` what of it was changed in chat. */
export function settingsCard(
  config: Config,
  changes: readonly SettingRecord[],
  buttons: readonly Button[],
): Card {
  const rows = changeableSettings.map((path) => {
    const change = changes.find(({ id }) => id === path);
    const by = change === undefined ? "the configuration" : `${change.setBy}, ${moment(change.setAt)}`;
    return { cells: [settingName(path), settingValue(path, valueIn(config, path)), by] };
  });
  const unpriced =
    config.models.costBudgetUsd > 0 &&
    config.models.inputUsdPerMillion === 0 &&
    config.models.outputUsdPerMillion === 0;
  const warning =
    "The cost budget has no effect: set models.inputUsdPerMillion and models.outputUsdPerMillion in the configuration.";
  return card("Settings of the lab", {
    tone: unpriced ? "warning" : "plain",
    blocks: [
      table(
        [
          { title: "setting" },
          { title: "value", squeezeTo: 12, plain: true },
          { title: "set by", squeezeTo: 12 },
        ],
        rows,
      ),
      ...(unpriced ? [text(warning)] : []),
      text("They hold for what is asked for in chat. Everything else is in docs/configuration.md."),
    ],
    buttons,
  });
}
