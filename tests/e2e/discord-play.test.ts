/** People play on Discord: by buttons and forms, alone or watched, through clicks that come twice and a restart. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { door, keepEnvironment } from "../support/chat-play.ts";
import type { Answer } from "../support/discord/answer.ts";
import type { Person } from "../support/discord/people.ts";
import { controlsOf } from "../support/discord/server.ts";
import { type DiscordLab, openDiscordLab } from "../support/discord-lab.ts";
import { good } from "../support/environments/read.ts";
import { nastyText } from "../support/nasty-texts.ts";

let lab: DiscordLab;
let ada: Person;
let bo: Person;
let channel: string;

beforeAll(async () => {
  lab = await openDiscordLab({ mapped: true });
  ada = lab.discord.user("ada", { roles: ["researcher"] });
  bo = lab.discord.user("bo", { roles: ["viewer"] });
  channel = lab.discord.channelId("lab");
  const { store } = lab.services();
  const hintId = await store.texts.put("Say open.");
  await keepEnvironment(store, door, { id: "e1", name: "DoorEnv", hintId });
  await keepEnvironment(store, good("order-desk"), { id: "desk", name: "OrderDeskEnv", kind: "tool-use" });
});

afterAll(() => lab.close());

const labels = ({ reply }: Answer): string[] =>
  reply === null ? [] : controlsOf(reply).map(({ label }) => label);

const play = (person: Person, options: Parameters<Person["command"]>[2]): Promise<Answer> =>
  person.command(channel, "env play", options);

async function returnsOf(environmentId: string): Promise<unknown[]> {
  const { items } = await lab.services().store.episodes.ofEnvironment(environmentId, { limit: 100 });
  return items.filter(({ arm }) => arm === "human").map((one) => [one.player, one.seed, one.return]);
}

describe("a play on Discord", () => {
  it("is the player's own: seen by them alone, pressed from button to button in one message", async () => {
    const first = await play(ada, { id: "e1", seed: 5 });
    expect(first.isEphemeral).toBe(true);
    expect(bo.reads(channel)).not.toContain("Door 5.");
    expect(first.text).toContain("Door 5.");
    expect(labels(first)).toEqual(["open", "slam", "wait", "Type another", "Reveal hint", "Give up"]);

    const second = await ada.click(first.reply, "open");
    expect(second.reply?.id).toBe(first.reply?.id);
    expect(second.text).toContain("Opened 1 of 3 after open.");
    expect(second.text).toContain("turn 2 of 6");

    const form = await ada.click(first.reply, "Type another");
    expect(form.modal?.fields.map(({ customId }) => customId)).toEqual(["action"]);
    const typed = await ada.submit(form.modal, { action: "open" });
    expect(typed.reply?.id).toBe(first.reply?.id);
    expect(typed.text).toContain("Opened 2 of 3 after open.");

    const hinted = await ada.click(first.reply, "Reveal hint");
    expect(hinted.text).toContain("Say open.");
    expect(labels(hinted)).not.toContain("Reveal hint");

    const end = await ada.click(first.reply, "open");
    expect(end.text).toContain("return 1.00");
    expect(end.isEphemeral).toBe(true);
    expect(labels(end)).toEqual(expect.arrayContaining(["Play the same seed again", "Compare"]));
    expect(labels(end)).not.toContain("Give up");
    expect(await returnsOf("e1")).toEqual([["ada", 5, 1]]);
  });

  it("in the open is watched by all, and played by its player alone", async () => {
    const first = await play(ada, { id: "e1", seed: 6, shared: true });
    expect(first.isEphemeral).toBe(false);
    expect(bo.reads(channel)).toContain("Door 6.");
    const refused = await bo.click(first.reply, "slam");
    expect(refused.text).toContain("This is ada's play of e1, seed 6; nobody else can take its turns.");
    expect(refused.followUps[0]?.ephemeralFor).toBe(bo.id);
    await ada.click(first.reply, "wait");
    expect(bo.reads(channel)).toContain("Opened 0 of 3 after wait.");
    const end = await ada.click(first.reply, "Give up");
    expect(end.text).toContain("ada gave up.");
    expect(bo.reads(channel)).toContain("ada gave up.");
    const again = await bo.click(end.reply, "Play the same seed again");
    expect(again.shown?.ephemeralFor).toBeNull();
    expect(again.text).toContain("Door 6.");
    await bo.click(again.shown, "Give up");
  });

  it("takes each turn once, however often and however late it is pressed", async () => {
    const first = await play(ada, { id: "e1", seed: 7 });
    const before = controlsOf(first.reply ?? null);
    const late = before.find(({ label }) => label === "slam")?.customId ?? "";
    const [one, other] = await ada.clickTwice(first.reply, "open");
    expect(one.text).toContain("Opened 1 of 3 after open.");
    expect(other.text).toContain("Opened 1 of 3 after open.");
    const gone = await ada.click(first.reply, late, { force: true });
    expect(gone.text).toContain("came late and was not played");
    expect(gone.text).toContain("turn 2 of 6");
    await ada.click(first.reply, "slam");
    expect((await returnsOf("e1")).at(-1)).toEqual(["ada", 7, 0.1]);
  });

  it("goes on after a restart where it was", async () => {
    const first = await play(ada, { id: "e1", seed: 8 });
    await ada.click(first.reply, "open");
    await ada.click(first.reply, "wait");
    await lab.restart();
    const third = await ada.click(first.reply, "open");
    expect(third.text).toContain("turn 4 of 6");
    expect(third.text).toContain("Opened 2 of 3 after open.");
    const end = await ada.click(first.reply, "open");
    expect(end.text).toContain("return 1.00");
    expect((await returnsOf("e1")).at(-1)).toEqual(["ada", 8, 1]);
  });

  it("of two people on one seed is compared", async () => {
    const first = await play(bo, { id: "e1", seed: 5 });
    const end = await bo.click(first.reply, "slam");
    const compared = await bo.click(end.reply, "Compare");
    expect(compared.text).toMatch(/ada\*\* seed 5 · latest 1\.00 \(hint\)/);
    expect(compared.text).toMatch(/bo\*\* seed 5 · latest 0\.00/);
    expect(compared.text).toContain("The model has not been measured on it.");
    const typed = await ada.command(channel, "env compare", { id: "e1" });
    expect(typed.text).toMatch(/ada\*\* seed 8 · latest 1\.00/);
    expect(typed.text).toMatch(/bo\*\* seed 5/);
  });

  it("calls tools by name", async () => {
    const first = await play(bo, { id: "desk", seed: 1 });
    expect(first.text).toContain("Tools");
    const form = await bo.click(first.reply, "Type an action");
    const end = await bo.submit(form.modal, { action: "answer nothing at all" });
    expect(end.text).toContain("OrderDeskEnv: return");
    expect(await returnsOf("desk")).toHaveLength(1);
  });

  it("shows whatever an environment says, within Discord's limits", async () => {
    const { store } = lab.services();
    for (let at = 0; at < 12; at += 1) {
      const texts = Array.from({ length: 8 }, (_, i) => nastyText(at * 8 + i).slice(0, 6_000));
      const source = `class NastyEnv {
        static maxTurns = 3;
        reset() { return { observation: ${JSON.stringify(texts.join("\n"))}, info: { actions: ${JSON.stringify(texts)} } }; }
        step() { return { observation: ${JSON.stringify(texts[0])}, reward: 0, terminated: false, truncated: false, info: {} }; }
      }`;
      await keepEnvironment(store, source, { id: `nasty${at}`, name: `Nasty ${texts[1]}`, maxTurns: 3 });
      const first = await play(ada, { id: `nasty${at}` });
      expect(first.text).toContain("turn 1 of 3");
      const form = await ada.click(first.reply, controlsOf(first.reply).at(-2)?.customId ?? "");
      const second = await ada.submit(form.modal, { action: texts[2]?.trim().slice(0, 4_000) || "x" });
      expect(second.text).toContain("turn 2 of 3");
      const end = await ada.click(first.reply, "Give up");
      expect(end.text).toContain("ada gave up.");
    }
  });

  it("of something that is not there says so to the caller", async () => {
    const refused = await play(ada, { id: "e99" });
    expect(refused.isEphemeral).toBe(true);
    expect(refused.text).toContain("There is no environment e99.");
  });
});
