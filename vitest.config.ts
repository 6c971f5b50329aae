import { defineConfig } from "vitest/config";

const report = process.env.TEST_REPORT;

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    // The official checkpoint validation suite calls describe/it as globals.
    globals: true,
    pool: "forks",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores: more forks than that only make sandbox hosts wait for each other.
    maxWorkers: 2,
    reporters: report === undefined ? ["default"] : ["default", "json"],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
  },
});
