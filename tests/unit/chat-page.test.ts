import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../../bot/commands/all.ts";
import { isOffered } from "../../bot/commands/command.ts";
import { watchEvent } from "../../bot/watch/alert.ts";

const page = readFileSync(new URL("../../docs/chat.md", import.meta.url), "utf8");

test("the page of the chat names every command of Discord and the terminal, and no other", () => {
  const offered = commands
    .filter((command) => isOffered(command, "discord") || isOffered(command, "terminal"))
    .map(({ name }) => `/${name}`);
  const rows = page.split("\n").filter((line) => line.startsWith("| `/"));
  const named = rows.flatMap((row) => (row.split("|")[1] ?? "").match(/\/[a-z]+(?: [a-z]+)?/g) ?? []);
  expect(named.toSorted()).toEqual(offered.toSorted());
});

test("it says the role of every command", () => {
  for (const { name, role } of commands.filter((command) => isOffered(command, "discord"))) {
    const row = page.split("\n").find((line) => line.includes(`\`/${name}\``)) ?? "";
    expect(row.split("|")[2], name).toContain(role === "viewer" ? "viewer" : role);
  }
});

test("it names everything that can be watched", () => {
  for (const event of watchEvent.options) expect(page).toContain(`\`${event}\``);
});
