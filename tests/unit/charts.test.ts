import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { afterAll, describe, expect, test } from "vitest";
import type { ChartArm, RoundChart } from "../../bot/cards/chart.ts";
import { drawPng } from "../../bot/charts/draw.ts";
import { createPainter } from "../../bot/charts/painter.ts";
import { mostEnvironments, roundSpec } from "../../bot/charts/round-spec.ts";

const arm = (mean: number | null, stderr: number | null = 0.1): ChartArm => ({ mean, stderr });

function chartOf(names: readonly string[]): RoundChart {
  return {
    type: "round",
    title: "Round r1: environments played",
    alt: "what it shows",
    environments: names.map((name, at) => ({
      name,
      plain: arm(at % 2 === 0 ? 0.25 : -0.5),
      hinted: arm(0.75),
      hintedHuman: at === 0 ? arm(1) : null,
      regret: arm(0.5),
      winRate: at === 1 ? null : 0.5,
    })),
  };
}

/** Width and height from the header of a PNG. */
function sizeOf(png: Uint8Array): { readonly width: number; readonly height: number } {
  const bytes = Buffer.from(png);
  expect(bytes.subarray(1, 4).toString("latin1")).toBe("PNG");
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

const painter = createPainter({ log: pino({ level: "silent" }) });
afterAll(() => painter.close());

describe("a chart", () => {
  const chart = chartOf(["VaultDialEnv", "HarbourEnv"]);

  test("is a picture with its text in it, the same each time", async () => {
    const first = await painter.draw(chart);
    const second = await painter.draw(chart);
    expect(Buffer.from(second).equals(Buffer.from(first))).toBe(true);
    expect(sizeOf(first).width).toBeGreaterThan(1_000);
    // Where the font is missing all text vanishes without an error.
    const fontless = await drawPng(roundSpec(chart), []);
    expect(sizeOf(fontless)).toEqual(sizeOf(first));
    expect(first.length).toBeGreaterThan(fontless.length * 1.5);
  });

  test("says what environments are called", async () => {
    const named = await painter.draw(chart);
    const others = await painter.draw(chartOf(["KnapsackEnv", "LedgerEnv"]));
    expect(Buffer.from(others).equals(Buffer.from(named))).toBe(false);
  });

  test("leaves this thread to others while it is drawn", async () => {
    let turns = 0;
    let drawing = true;
    const count = (): void => {
      turns += 1;
      if (drawing) setImmediate(count);
    };
    setImmediate(count);
    const fresh = createPainter({ log: pino({ level: "silent" }) });
    await fresh.draw(chart);
    drawing = false;
    await fresh.close();
    // A drawing on this thread would be a handful of turns.
    expect(turns).toBeGreaterThan(1_000);
  });

  test.each([
    ["one environment", ["A"]],
    ["equal names", ["A", "A", "A"]],
    ["names that are no names", ["", "\ud800", "‮evil@everyone", "x".repeat(10_000), "<svg>&amp;</svg>"]],
    ["more than fit", Array.from({ length: 200 }, (_, at) => `Environment${at}Env`)],
  ])("takes %s", async (_what, names) => {
    const { width, height } = sizeOf(await painter.draw(chartOf(names)));
    expect(width).toBeLessThan(2_500);
    expect(height).toBeLessThan(mostEnvironments * 150);
  });

  test("takes an environment that nobody played", async () => {
    const nothing = { mean: null, stderr: null };
    await painter.draw({
      type: "round",
      title: "nothing",
      alt: "",
      environments: [
        { name: "A", plain: nothing, hinted: nothing, hintedHuman: null, regret: nothing, winRate: null },
      ],
    });
  });
});

test("a chart that takes too long fails, and the next one is drawn", async () => {
  const hasty = createPainter({ log: pino({ level: "silent" }), timeoutMs: 1 });
  await expect(hasty.draw(chartOf(["A"]))).rejects.toMatchObject({ code: "chat.no-chart" });
  await hasty.close();
  expect(sizeOf(await painter.draw(chartOf(["A"]))).width).toBeGreaterThan(0);
});

test("the fonts are those of the package, not the machine's", async () => {
  const { fontFiles } = await import("../../bot/charts/draw.ts");
  const packages = fileURLToPath(new URL("../../node_modules/@expo-google-fonts/", import.meta.url));
  expect(fontFiles.every((file) => file.startsWith(packages))).toBe(true);
});
