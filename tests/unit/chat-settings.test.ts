import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changedSettings, openChatSettings, withChanges } from "../../bot/settings.ts";
import { configSchema } from "../../config/schema.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { silent, type TestServices, testServices } from "../support/services.ts";

let services: TestServices;
const config = configSchema.parse({ model: "openai:base", models: { tokenBudget: 5 } });

const put = (id: string, value: string | number) =>
  services.store.settings.insert({ id, value, setBy: "ada", setAt: 1 });

beforeEach(async () => {
  services = await testServices({ model: scriptedModel({}) });
});

afterEach(() => services.close());

describe("settings that were changed in chat", () => {
  it("stand above the configuration, each by itself", async () => {
    await put("models.tokenBudget", 7);
    await put("approvals.policy", "always");
    const changed = withChanges(config, await changedSettings(services.store, silent));
    expect(changed.models).toEqual({ ...config.models, tokenBudget: 7 });
    expect(changed.approvals.policy).toBe("always");
    expect(changed.model).toBe("openai:base");
    expect(changed.round).toBe(config.round);
  });

  it("are left out when nothing takes them any more", async () => {
    await put("models.tokenBudget", "many");
    await put("sandbox.hosts", 3);
    expect(await changedSettings(services.store, silent)).toEqual([]);
  });

  it("reach the services' own configuration at the next look, whoever changed them", async () => {
    const settings = await openChatSettings(services, () => Promise.resolve(config));
    const { tokenBudget } = services.config.models;
    expect(settings.services.config.models.tokenBudget).toBe(tokenBudget);
    await put("models.tokenBudget", 9);
    expect((await settings.refresh()).config.models.tokenBudget).toBe(9);
    expect((await settings.config()).models.tokenBudget).toBe(9);
    // A copy, as a round takes one, holds what applied when it was made.
    const copy = { ...settings.services };
    await services.store.settings.remove("models.tokenBudget");
    await settings.refresh();
    expect(copy.config.models.tokenBudget).toBe(9);
    expect(settings.services.config.models.tokenBudget).toBe(tokenBudget);
  });
});
