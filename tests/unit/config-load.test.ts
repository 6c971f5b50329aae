import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InputError } from "../../config/errors.ts";
import { type Layers, loadConfig, readEnvironment } from "../../config/load.ts";
import { settings, variableOf } from "../../config/settings.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "spadework-config-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);

const load = (layers: Partial<Layers> = {}) => loadConfig({ directory, environment: {}, ...layers });

async function refusal(layers: Partial<Layers>): Promise<string> {
  const error = await load(layers).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof InputError)) throw new Error(`expected an InputError, got ${String(error)}`);
  expect(error.exit).toBe(2);
  return `${error.code}: ${error.message}`;
}

describe("layers", () => {
  it("starts from the defaults", async () => {
    const config = await load();
    expect(config).toMatchObject({ dataDir: "var", model: "embedded", round: { envs: 4, plays: 8 } });
  });

  it("lets each later layer win: preset, file, variables, flags", async () => {
    const values: number[] = [];
    values.push((await load()).round.envs);
    values.push((await load({ preset: "paper-games" })).round.envs);
    write("spadework.yaml", "round:\n  envs: 5\n");
    values.push((await load({ preset: "paper-games" })).round.envs);
    const environment = { SPADEWORK_ROUND_ENVS: "6" };
    values.push((await load({ preset: "paper-games", environment })).round.envs);
    values.push((await load({ preset: "paper-games", environment, flags: { "round.envs": 7 } })).round.envs);
    expect(values).toEqual([4, 24, 5, 6, 7]);
  });

  it("keeps what a layer does not name", async () => {
    write("spadework.yaml", "round:\n  envs: 5\nlog:\n");
    const config = await load({ environment: { SPADEWORK_ROUND_PLAYS: "3" }, flags: { dataDir: undefined } });
    expect(config.round).toMatchObject({ envs: 5, plays: 3, repairs: 2 });
    expect(config.dataDir).toBe("var");
    expect(config.log.level).toBe("info");
  });

  it("reads every type of variable", async () => {
    const config = await load({
      environment: {
        SPADEWORK_DATA_DIR: "/data",
        SPADEWORK_SANDBOX_JIT: "true",
        SPADEWORK_SANDBOX_STEP_TIMEOUT_MS: "250",
        SPADEWORK_ROUND_TEMPERATURE: "0.25",
        SPADEWORK_LOG_LEVEL: "warn",
        OTHER: "ignored",
      },
    });
    expect(config.dataDir).toBe("/data");
    expect(config.sandbox).toMatchObject({ jit: true, stepTimeoutMs: 250 });
    expect(config.round.temperature).toBe(0.25);
    expect(config.log.level).toBe("warn");
  });

  it("takes another settings file from SPADEWORK_CONFIG", async () => {
    write("spadework.yaml", "model: one:a\n");
    write("other.yaml", "model: two:b\n");
    const config = await load({ environment: { SPADEWORK_CONFIG: "other.yaml" } });
    expect(config.model).toBe("two:b");
  });

  it("puts .env beneath the real environment", () => {
    write(".env", "A=from-file\nB=from-file\n# a comment\nC='quoted text'\n");
    const read = readEnvironment(directory, { A: "real" });
    expect(read).toMatchObject({ A: "real", B: "from-file", C: "quoted text" });
  });

  it("freezes what it gives", async () => {
    const config = await load();
    expect(() => Object.assign(config.round, { envs: 1 })).toThrow(TypeError);
    expect(() => Object.assign(config, { model: "x" })).toThrow(TypeError);
  });
});

describe("refusals name the setting, the value, what it takes and where it came from", () => {
  it.each([
    [
      "round:\n  plays: many",
      'spadework.yaml: round.plays is "many"; it takes a whole number from 1 to 1024.',
    ],
    ["round:\n  plays: 0", "spadework.yaml: round.plays is 0; it takes a whole number from 1 to 1024."],
    ["round:\n  temperature: 3", "spadework.yaml: round.temperature is 3; it takes a number from 0 to 2."],
    [
      "round:\n  kind: games",
      'spadework.yaml: round.kind is "games"; it takes one of mixed, game, tool-use.',
    ],
    ["sandbox:\n  jit: 1", "spadework.yaml: sandbox.jit is 1; it takes true or false."],
    ["round:\n  play: 3", 'spadework.yaml: there is no setting "round.play". Did you mean "round.plays"?'],
    ["colour: red", 'spadework.yaml: there is no setting "colour".'],
    ["round: 3", "spadework.yaml: round is 3; it takes a group of settings."],
    [
      "round:\n  envs: [1, 2]",
      "spadework.yaml: round.envs is [1,2]; it takes a whole number from 1 to 1000.",
    ],
    ["- a list", 'spadework.yaml holds no settings; it takes "name: value" lines.'],
  ])("%j", async (yaml, message) => {
    write("spadework.yaml", yaml);
    expect(await refusal({})).toBe(`input.bad-config: ${message}`);
  });

  it("says where YAML is broken", async () => {
    write("spadework.yaml", "round: [1\n");
    expect(await refusal({})).toMatch(/^input\.bad-config: spadework\.yaml is no valid YAML: .*line/);
  });

  it.each([
    [
      { SPADEWORK_ROUND_ENVS: "abc" },
      'SPADEWORK_ROUND_ENVS: round.envs is "abc"; it takes a whole number from 1 to 1000.',
    ],
    [
      { SPADEWORK_ROUND_ENVS: "" },
      'SPADEWORK_ROUND_ENVS: round.envs is ""; it takes a whole number from 1 to 1000.',
    ],
    [
      { SPADEWORK_ROUND_ENV: "3" },
      'There is no setting for the variable SPADEWORK_ROUND_ENV. Did you mean "SPADEWORK_ROUND_ENVS"?',
    ],
    [
      { SPADEWORK_SANDBOX_JIT: "maybe" },
      'SPADEWORK_SANDBOX_JIT: sandbox.jit is "maybe"; it takes true or false.',
    ],
    [{ SPADEWORK_CONFIG: "gone.yaml" }, "SPADEWORK_CONFIG names gone.yaml, and there is no such file."],
  ])("%j", async (environment, message) => {
    expect(await refusal({ environment })).toBe(`input.bad-config: ${message}`);
  });

  it("names the presets that there are", async () => {
    expect(await refusal({ preset: "paper-game" })).toBe(
      'input.bad-option: There is no preset "paper-game"; it takes one of paper-games, paper-tool-use, demo. Did you mean "paper-games"?',
    );
  });
});

describe("settings", () => {
  it("has a variable and a sentence for each, and no two share a variable", () => {
    const all = settings();
    expect(all.length).toBeGreaterThan(30);
    expect(new Set(all.map(({ variable }) => variable)).size).toBe(all.length);
    expect(all.filter(({ summary, fallback }) => summary === "" || fallback === undefined)).toEqual([]);
  });

  it("names variables by their path in upper snake case", () => {
    expect(variableOf("dataDir")).toBe("SPADEWORK_DATA_DIR");
    expect(variableOf("sandbox.stepTimeoutMs")).toBe("SPADEWORK_SANDBOX_STEP_TIMEOUT_MS");
  });
});
