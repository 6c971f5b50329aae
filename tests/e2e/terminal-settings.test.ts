/** Settings that were changed in a chat hold in the terminal's chat too, and not for single command lines. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runInside } from "../support/inside.ts";

it("a budget that was set in the terminal's chat ends the next round there", async () => {
  const directory = mkdtempSync(join(tmpdir(), "spadework-settings-"));
  const data = ["--data", directory];
  const chat = await runInside(["serve", ...data], {
    directory,
    input: "/settings set token-budget:10\n/round envs:1 plays:1 seed:1\n",
  });
  expect(chat.stdout).toContain("10 tokens a round");
  expect(`${chat.stdout}${chat.stderr}`).toMatch(/budget/i);
  expect(chat.code).toBe(3);
  const alone = await runInside(["round", "--envs", "1", "--plays", "1", "--seed", "1", ...data], {
    directory,
  });
  expect(alone.code).toBe(0);
  rmSync(directory, { recursive: true });
});
