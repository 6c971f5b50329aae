/** Buttons, forms and answers through the real client: who may press them, what they do, and what can go wrong between. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Person } from "../support/discord/people.ts";
import { textOf } from "../support/discord/server.ts";
import type { Message } from "../support/discord/world.ts";
import { createDeeds, type Deeds, testCommands } from "../support/discord-commands.ts";
import { type DiscordLab, openDiscordLab } from "../support/discord-lab.ts";

const deeds: Deeds = createDeeds();
let lab: DiscordLab;
let channel: string;
let ada: Person;
let panel: Message;

async function panelOf(person: Person): Promise<Message> {
  const { reply } = await person.command(channel, "panel");
  if (reply === null) throw new Error("there is no panel");
  return reply;
}

beforeAll(async () => {
  lab = await openDiscordLab({ mapped: true, commands: testCommands(deeds) });
  channel = lab.discord.channelId("lab");
  ada = lab.discord.user("ada", { roles: ["researcher"] });
});

afterAll(() => lab.close());

beforeEach(async () => {
  panel = await panelOf(ada);
  deeds.list.splice(0);
  deeds.gate = Promise.withResolvers();
});

describe("a button", () => {
  it("runs its command with its options as the person who presses it, also where they don't fit the id", async () => {
    const bob = lab.discord.user("bob", { roles: ["viewer"] });
    const answer = await bob.click(panel, "Press");
    await answer.answered();
    await lab.discord.until(() => answer.followUps.length === 1);
    expect(answer.text).toContain("press 1 0 by bob");
    await ada.click(panel, "Long");
    await lab.discord.until(() => deeds.list.includes("press 2 300 by ada"));
  });

  it("gives its answer a message of its own, to the caller alone where the command says so", async () => {
    const answer = await ada.click(panel, "Whisper");
    await lab.discord.until(() => answer.followUps.length === 1);
    expect(answer.followUps[0]?.ephemeralFor).toBe(ada.id);
    expect(textOf(panel)).toContain("panel by ada");
  });

  it("replaces its message where the command says so, and the message keeps nothing of before", async () => {
    await ada.click(panel, "Replace");
    await lab.discord.until(() => textOf(panel).includes("replace by ada"));
    expect(textOf(panel)).not.toContain("Whisper");
  });

  it("is refused to whoever has too low a role, without a word to the others", async () => {
    const answer = await ada.click(panel, "Retire");
    expect(answer.isEphemeral).toBe(true);
    expect(answer.text).toMatch(/ada may not use "retire": it needs the role admin/);
    expect(deeds.list).toEqual([]);
  });

  it("is refused when the role went between the drawing and the click", async () => {
    const eve = lab.discord.user("eve", { roles: ["admin"] });
    const message = await panelOf(eve);
    deeds.list.splice(0);
    lab.discord.removeRole(eve, "admin");
    const answer = await eve.click(message, "Retire");
    expect(answer.isEphemeral).toBe(true);
    expect(answer.text).toContain("The lab gives eve no role");
    expect(deeds.list).toEqual([]);
  });

  it("shows a failure to the caller alone, with no stack trace; the log has it", async () => {
    const answer = await ada.click(panel, "Fail");
    await lab.discord.until(() => answer.followUps.length === 1);
    expect(answer.followUps[0]?.ephemeralFor).toBe(ada.id);
    expect(answer.text).toContain("undefined is not a function");
    expect(answer.text).not.toContain("secret-place");
    expect(JSON.stringify(lab.log)).toContain("secret-place");
  });

  it.each([
    "nothing of ours",
    "p",
    'p["nowhere",{},[],0]',
    'p["press",{"number":"many"},[],0]',
    'p["press",{"number":{"a":1}},[],0]',
    `p${"0".repeat(64)}`,
    'f["press",{"number":1},[],0]',
  ])("that was forged as %s does nothing and is answered", async (id) => {
    const answer = await ada.click(panel, id, { force: true });
    expect(answer.isEphemeral).toBe(true);
    expect(answer.text).not.toContain("Something unexpected");
    expect(answer.text.length).toBeGreaterThan(20);
    expect(deeds.list).toEqual([]);
  });

  it("works on an old message, also after a restart of the bot", async () => {
    await lab.restart();
    await ada.click(panel, "Press");
    await lab.discord.until(() => deeds.list.includes("press 1 0 by ada"));
  });

  it("does its work once when Discord sends the event twice", async () => {
    const refused = lab.discord.refusals().length;
    const answer = await ada.click(panel, "Press");
    answer.replay();
    answer.replay();
    const next = await ada.click(panel, "Press");
    await lab.discord.until(() => next.followUps.length === 1);
    expect(deeds.list).toEqual(["press 1 0 by ada", "press 1 0 by ada"]);
    expect(answer.followUps).toHaveLength(1);
    expect(lab.discord.refusals()).toHaveLength(refused);
  });

  it("does nothing when it comes too late to be answered", async () => {
    await ada.click(panel, "Press", { lateMs: 3_100, wait: "none" });
    await lab.discord.until(() =>
      lab.lines.some((line) => line.includes("too late to answer; nothing was done")),
    );
    expect(deeds.list).toEqual([]);
  });

  it("on a message that was deleted meanwhile still gives its answer", async () => {
    const click = ada.click(panel, "Replace", { wait: "none" });
    lab.discord.deleteMessage(panel);
    await click;
    await lab.discord.until(() =>
      lab.discord.messages(channel).some((one) => textOf(one).includes("replace by ada")),
    );
  });
});

describe("a form", () => {
  it("asks for options by their kinds, with what was there before, and hands in what was filled in", async () => {
    const { modal } = await ada.click(panel, "Fill in");
    if (modal === null) throw new Error("no form came");
    expect(modal.title).toBe("Takes a form with every kind of field that t…");
    expect(modal.fields.map(({ label }) => label)).toEqual(["Text", "Choice", "Many", "Yes", "Files"]);
    expect(modal.fields[0]?.component.value).toBe("as it was");
    const answer = await ada.submit(modal, {
      Text: "as it is",
      Choice: ["b"],
      Many: "r1-1, r1-2 r2-1",
      Yes: ["true"],
      Files: [
        { name: "a.txt", content: "one" },
        { name: "b.txt", content: "two" },
      ],
    });
    await lab.discord.until(() => answer.followUps.length === 1);
    const [deed = ""] = deeds.list;
    expect(JSON.parse(deed.replace(/ by ada$/, ""))).toEqual({
      text: "as it is",
      choice: "b",
      many: ["r1-1", "r1-2", "r2-1"],
      yes: true,
      files: "a.txt=one+b.txt=two",
    });
  });

  it("takes an empty field as an option that was not given", async () => {
    const { modal } = await ada.click(panel, "Fill in");
    if (modal === null) throw new Error("no form came");
    await ada.submit(modal, { Choice: [], Many: "" });
    await lab.discord.until(() => deeds.list.length === 1);
    expect(JSON.parse((deeds.list[0] ?? "").replace(/ by ada$/, ""))).toEqual({
      text: "as it was",
      yes: false,
      files: null,
    });
  });

  it("asks for what a command needs and was not given", async () => {
    const { modal } = await ada.command(channel, "fill", { number: 7 }, { wait: "acknowledged" });
    if (modal === null) throw new Error("no form came");
    expect(modal.fields.map(({ label }) => label)).toEqual(["Text", "Choice", "Files"]);
    await ada.submit(modal, { Text: "given now" });
    expect(deeds.list[0]).toContain('"number":7');
    expect(deeds.list[0]).toContain("given now");
  });

  it("is not shown to whoever may not use its command", async () => {
    const bob = lab.discord.user("bert", { roles: ["viewer"] });
    const answer = await bob.click(panel, "Fill in");
    expect(answer.modal).toBeNull();
    expect(answer.text).toContain("needs the role researcher");
  });

  it("is checked again when it is sent: the role may have gone while it was filled in", async () => {
    const eve = lab.discord.user("eva", { roles: ["researcher"] });
    const { modal } = await eve.click(panel, "Fill in");
    if (modal === null) throw new Error("no form came");
    lab.discord.removeRole(eve, "researcher");
    const answer = await eve.submit(modal, { Text: "sneaky" });
    expect(answer.text).toContain("The lab gives eva no role");
    expect(deeds.list).toEqual([]);
  });
});

describe("an answer", () => {
  it("that comes after the 15 minutes of its token is posted in the channel and calls its caller", async () => {
    const answer = await ada.command(channel, "slow", {}, { wait: "acknowledged" });
    answer.skip(16 * 60_000);
    deeds.gate.resolve();
    const posted = await lab.discord.until(() =>
      lab.discord.messages(channel).find((one) => textOf(one).includes("slow is over")),
    );
    expect(posted.pings).toContain(ada.id);
  });

  it("whose reply was deleted is posted in the channel", async () => {
    const answer = await ada.command(channel, "slow", {}, { wait: "acknowledged" });
    if (answer.reply !== null) lab.discord.deleteMessage(answer.reply);
    deeds.gate.resolve();
    await lab.discord.until(() =>
      lab.discord
        .messages(channel)
        .some((one) => one.pings.includes(ada.id) && textOf(one).includes("slow is over")),
    );
  });

  it("survives a burst of 5xx, for the acknowledgement and for itself", async () => {
    lab.discord.faults.add("POST /interactions/**", { status: 502 }, 2);
    const { text } = await ada.command(channel, "replace", {}, { timeoutMs: 20_000 });
    expect(text).toContain("replace by ada");
    lab.discord.faults.add("PATCH /webhooks/**", { status: 503 }, 2);
    expect((await ada.command(channel, "replace", {}, { timeoutMs: 20_000 })).text).toContain(
      "replace by ada",
    );
  });

  it("is refused in one sentence while the bot stops", async () => {
    const slow = await ada.command(channel, "slow", {}, { wait: "acknowledged" });
    const restarted = lab.restart();
    const late = await ada.command(channel, "panel");
    expect(late.isEphemeral).toBe(true);
    expect(late.text).toContain("The lab is stopping");
    deeds.gate.resolve();
    await restarted;
    await slow.answered();
    expect(slow.text).toContain("slow is over");
  });
});
