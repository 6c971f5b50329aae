/** What every store promises about its texts, its smaller records and its checkpoints. */
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { describe, expect, test } from "vitest";
import { type OpenedStore, pages } from "./store-opened.ts";
import { aDocument, aRound } from "./store-records.ts";

export function recordsContract(opened: OpenedStore): void {
  test("keeps what was written when it is opened again", async () => {
    await opened.store.rounds.insert(aRound({ id: "r1" }));
    const textId = await opened.store.texts.put("a text");
    await opened.reopen();
    expect(await opened.store.rounds.get("r1")).toEqual(aRound({ id: "r1" }));
    expect(await opened.store.texts.get(textId)).toBe("a text");
  });

  describe("texts", () => {
    test.each([
      ["empty", ""],
      ["short", "VaultDialEnv"],
      ["with a NUL, an emoji and line ends", "a\0b 🗝️\r\n\t"],
      ["long", "the dial turns higher or lower\n".repeat(20_000)],
      [
        "long without a pattern",
        Array.from({ length: 20_000 }, (_, i) => (i * 2_654_435_761) >>> 0).join(" "),
      ],
    ])("%s comes back as it went in, once however often it is put", async (_name, text) => {
      const id = await opened.store.texts.put(text);
      expect(id).toMatch(/^[0-9a-f]{64}$/);
      expect(await opened.store.texts.put(text)).toBe(id);
      expect(await opened.store.texts.get(id)).toBe(text);
    });

    test("different texts have different ids", async () => {
      expect(await opened.store.texts.put("a")).not.toBe(await opened.store.texts.put("b"));
    });

    test("an unknown one is not found", async () => {
      await expect(opened.store.texts.get("f".repeat(64))).rejects.toMatchObject({ code: "store.not-found" });
    });
  });

  test("rounds are inserted once, changed, and listed newest first", async () => {
    for (let i = 1; i <= 11; i += 1) {
      expect(await opened.store.rounds.insert(aRound({ id: `r${i}`, startedAt: Math.min(i, 10) }))).toBe(
        true,
      );
    }
    expect(await opened.store.rounds.insert(aRound({ id: "r1", status: "failed" }))).toBe(false);
    await opened.store.rounds.update("r1", (round) => ({ ...round, status: "finished", endedAt: 9 }));
    expect(await opened.store.rounds.get("r1")).toMatchObject({ status: "finished", endedAt: 9 });
    expect(await opened.store.rounds.get("r12")).toBeNull();
    const paged = await pages((page) => opened.store.rounds.list(page), 4);
    expect(paged.map((page) => page.map((it) => it.id))).toEqual([
      ["r11", "r10", "r9", "r8"],
      ["r7", "r6", "r5", "r4"],
      ["r3", "r2", "r1"],
    ]);
  });

  test("rounds are listed and counted by the beginning of their id", async () => {
    for (const [i, id] of ["r1", "c1r1", "c1p1", "r2", "c1r2", "c10r1"].entries()) {
      await opened.store.rounds.insert(aRound({ id, startedAt: i }));
    }
    const idsOf = async (prefix: string): Promise<string[][]> => {
      const paged = await pages((page) => opened.store.rounds.list(page, prefix), 1);
      return paged.map((page) => page.map(({ id }) => id));
    };
    expect(await idsOf("r")).toEqual([["r2"], ["r1"]]);
    expect(await idsOf("c1r")).toEqual([["c1r2"], ["c1r1"]]);
    expect(await opened.store.rounds.count("c1")).toBe(4);
    expect(await opened.store.rounds.count("")).toBe(6);
  });

  test("documents are kept once, listed by id, counted and removed", async () => {
    for (const id of ["c", "a", "b"]) expect(await opened.store.documents.insert(aDocument(id))).toBe(true);
    expect(await opened.store.documents.insert(aDocument("a"))).toBe(false);
    expect(await opened.store.documents.count()).toBe(3);
    expect(await opened.store.documents.ids()).toEqual(["a", "b", "c"]);
    const paged = await pages((page) => opened.store.documents.list(page), 2);
    expect(paged.map((page) => page.map((it) => it.id))).toEqual([["a", "b"], ["c"]]);
    expect(await opened.store.documents.get("b")).toEqual(aDocument("b"));
    expect(await opened.store.documents.remove("b")).toBe(true);
    expect(await opened.store.documents.remove("b")).toBe(false);
    expect(await opened.store.documents.get("b")).toBeNull();
    expect(await opened.store.documents.ids()).toEqual(["a", "c"]);
    expect(await opened.store.documents.count()).toBe(2);
  });

  test("hints of an environment come oldest first", async () => {
    const hint = (id: string, environmentId: string) => ({
      id,
      environmentId,
      author: "somebody",
      textId: "0".repeat(64),
      createdAt: 5,
    });
    expect(await opened.store.hints.insert(hint("h2", "e1"))).toBe(true);
    expect(await opened.store.hints.insert(hint("h1", "e1"))).toBe(true);
    expect(await opened.store.hints.insert(hint("h1", "e1"))).toBe(false);
    await opened.store.hints.insert(hint("h3", "e2"));
    expect((await opened.store.hints.ofEnvironment("e1")).map((it) => it.id)).toEqual(["h2", "h1"]);
    expect(await opened.store.hints.ofEnvironment("e3")).toEqual([]);
  });

  test("an approval is asked once and decided once", async () => {
    const no = { status: "rejected", by: "ada", reason: "a quiz", at: 20 } as const;
    const yes = { status: "approved", by: "bob", reason: null, at: 30 } as const;
    expect(await opened.store.approvals.decide("r1", "e1", no)).toBe(false);
    await opened.store.approvals.ask("r1", "e2", 10);
    await opened.store.approvals.ask("r1", "e1", 11);
    await opened.store.approvals.ask("r2", "e9", 12);
    expect(await opened.store.approvals.get("r1", "e1")).toEqual({
      roundId: "r1",
      environmentId: "e1",
      status: "waiting",
      decidedBy: null,
      reason: null,
      askedAt: 11,
      decidedAt: null,
    });
    expect(await opened.store.approvals.decide("r1", "e1", no)).toBe(true);
    expect(await opened.store.approvals.decide("r1", "e1", yes)).toBe(false);
    await opened.store.approvals.ask("r1", "e1", 40);
    expect(await opened.store.approvals.get("r1", "e1")).toMatchObject({
      status: "rejected",
      decidedBy: "ada",
      reason: "a quiz",
      askedAt: 11,
      decidedAt: 20,
    });
    expect((await opened.store.approvals.waiting()).map((it) => it.environmentId)).toEqual(["e2", "e9"]);
    expect((await opened.store.approvals.ofRound("r1")).map((it) => it.environmentId)).toEqual(["e2", "e1"]);
    expect(await opened.store.approvals.get("r3", "e1")).toBeNull();
  });

  test("policies have a newest version per provider", async () => {
    const policy = (version: string, provider: string, parent: string | null) => ({
      version,
      parent,
      provider,
      weightsId: "0".repeat(64),
      note: "",
      createdAt: 5,
    });
    expect(await opened.store.policies.latest("embedded")).toBeNull();
    expect(await opened.store.policies.insert(policy("p2", "embedded", null))).toBe(true);
    expect(await opened.store.policies.insert(policy("p1", "embedded", "p2"))).toBe(true);
    expect(await opened.store.policies.insert(policy("p1", "embedded", null))).toBe(false);
    // Somebody was faster, and made p1 of p2.
    expect(await opened.store.policies.insert(policy("p5", "embedded", "p2"))).toBe(false);
    expect(await opened.store.policies.insert(policy("p5", "embedded", null))).toBe(false);
    await opened.store.policies.insert(policy("p3", "other", null));
    expect(await opened.store.policies.latest("embedded")).toEqual(policy("p1", "embedded", "p2"));
    expect((await opened.store.policies.get("p2"))?.parent).toBeNull();
    expect(await opened.store.policies.get("p4")).toBeNull();
  });

  test("averages are replaced per role and skill", async () => {
    const average = {
      role: "agent",
      skill: "Optimization",
      fast: null,
      slow: 0.1,
      meanReward: null,
    } as const;
    expect(await opened.store.averages.get("agent", "Optimization")).toBeNull();
    await opened.store.averages.put({ ...average, count: 1 });
    await opened.store.averages.put({ ...average, count: 2 });
    await opened.store.averages.put({ ...average, role: "designer", count: 9 });
    expect(await opened.store.averages.get("agent", "Optimization")).toEqual({ ...average, count: 2 });
  });

  test("the audit log is read newest first", async () => {
    for (let i = 0; i < 5; i += 1) {
      await opened.store.audit.append({ at: 1, who: "ada", what: "retire", subject: `e${i}`, detail: "" });
    }
    const paged = await pages((page) => opened.store.audit.list(page), 2);
    expect(paged.map((page) => page.map((it) => it.subject))).toEqual([["e4", "e3"], ["e2", "e1"], ["e0"]]);
  });

  test("counters count each for itself, from 1", async () => {
    expect(await opened.store.nextNumber("round")).toBe(1);
    expect(await opened.store.nextNumber("round")).toBe(2);
    expect(await opened.store.nextNumber("file")).toBe(1);
  });

  test("checkpoints are kept with the rest", async () => {
    const thread = { configurable: { thread_id: "r1" } };
    const saver = await opened.store.checkpoints();
    const checkpoint = {
      ...emptyCheckpoint(),
      channel_values: { stage: "play" },
      channel_versions: { stage: 1 },
    };
    await saver.put(thread, checkpoint, { source: "loop", step: 0, parents: {} }, { stage: 1 });
    await opened.reopen();
    const again = await (await opened.store.checkpoints()).getTuple(thread);
    expect(again?.checkpoint.channel_values).toEqual({ stage: "play" });
  });
}
