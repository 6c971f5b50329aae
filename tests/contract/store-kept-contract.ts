/** What every store promises about what is also listed and removed: posts, subscriptions, sessions, settings and campaigns. */
import { describe, expect, test } from "vitest";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import type { PostRecord, SessionRecord, SubscriptionRecord } from "../../store/chat-records.ts";
import { aCampaign } from "../support/campaigns.ts";
import { type OpenedStore, pages } from "./store-opened.ts";

const aPost = (id: string): PostRecord => ({
  id,
  channelId: "100000000000000001",
  messageId: null,
  threadId: null,
  personId: null,
  facts: { asked: true, list: [1, "two", null] },
  updatedAt: 5,
});

const aSubscription = (id: string): SubscriptionRecord => ({
  id,
  target: { kind: "channel", id: "1" },
  events: ["round-finished"],
  quiet: { from: 22, to: 7 },
  createdBy: "somebody",
  createdAt: 5,
});

const aSession = (id: string): SessionRecord => ({
  id,
  environmentId: "e1",
  seed: 7,
  player: { id: "1", name: "somebody" },
  shared: false,
  channelId: "1",
  messageId: null,
  actions: ["look", "open \0 🗝️"],
  hintAfter: null,
  status: "open",
  episodeId: null,
  updatedAt: 5,
});

/** One with a round of every state, an evaluation and a warning. */
const played: CampaignRecord = {
  ...aCampaign(),
  pool: ["e1"],
  poolRounds: ["c1p1"],
  rounds: [
    {
      roundId: "c1r1",
      window: 0,
      designs: true,
      before: { "Logical Deduction": { slow: 0.5, meanReward: null } },
      policyVersion: "v1",
      summary: {
        admitted: 1,
        rejected: 2,
        plainReturn: 0.25,
        hintedReturn: null,
        regret: null,
        designerReward: -0.5,
        rewardBySkill: { "Logical Deduction": -0.5 },
        mechanics: 1,
        keptGroups: 1,
        droppedGroups: 0,
        episodes: 4,
        atCap: 0,
        costUsd: 0.5,
        tokens: 12,
      },
      update: { version: "v2", batchId: "b1", statistics: { clipFraction: 0.5, metrics: null }, at: 3 },
    },
    { roundId: "c1r2", window: 0, designs: false, policyVersion: null, summary: null, update: null },
  ],
  evaluations: [
    {
      after: 0,
      policyVersion: "v1",
      setId: "held-out-1",
      success: 0.5,
      meanReturn: 0.25,
      episodes: 4,
      failed: 1,
      at: 2,
    },
  ],
  warnings: [{ kind: "entropy", since: 1, until: null, message: "It fell. 🗝️" }],
  error: { code: "round.failed", message: "why" },
};

export function keptContract(opened: OpenedStore): void {
  describe("what chat keeps", () => {
    test("is inserted once, changed, listed by the beginning of its id, and removed", async () => {
      const ids = ["round:r10", "alert:x", "round:r2", "round:r1", "session:s1", "rounds", "🗝️"];
      for (const id of ids) expect(await opened.store.posts.insert(aPost(id))).toBe(true);
      expect(await opened.store.posts.insert({ ...aPost("round:r1"), messageId: "9" })).toBe(false);
      expect(await opened.store.posts.get("round:r1")).toEqual(aPost("round:r1"));
      await opened.store.posts.update("round:r1", (post) => ({ ...post, messageId: "8" }));
      await opened.reopen();
      expect(await opened.store.posts.get("round:r1")).toEqual({ ...aPost("round:r1"), messageId: "8" });
      const rounds = await pages((page) => opened.store.posts.list("round:", page), 2);
      expect(rounds.map((page) => page.map(({ id }) => id))).toEqual([
        ["round:r1", "round:r10"],
        ["round:r2"],
      ]);
      const all = await pages((page) => opened.store.posts.list("", page), 100);
      expect(all.flat().map(({ id }) => id)).toEqual([...ids].sort());
      expect(await opened.store.posts.remove("round:r1")).toBe(true);
      expect(await opened.store.posts.remove("round:r1")).toBe(false);
      expect(await opened.store.posts.get("round:r1")).toBeNull();
      await expect(opened.store.posts.update("round:r1", (post) => post)).rejects.toMatchObject({
        code: "store.not-found",
      });
    });

    test("each kind lives by itself", async () => {
      await opened.store.subscriptions.insert(aSubscription("1"));
      await opened.store.sessions.insert(aSession("1"));
      await opened.store.settings.insert({ id: "1", value: 1.5, setBy: "somebody", setAt: 5 });
      expect(await opened.store.posts.get("1")).toBeNull();
      expect(await opened.store.subscriptions.get("1")).toEqual(aSubscription("1"));
      expect(await opened.store.sessions.get("1")).toEqual(aSession("1"));
      expect(await opened.store.settings.get("1")).toMatchObject({ value: 1.5 });
      await opened.store.subscriptions.remove("1");
      expect(await opened.store.sessions.get("1")).not.toBeNull();
    });

    test("campaigns with everything that they hold come back as they went in", async () => {
      const { store } = opened;
      for (const id of ["c1", "c2", "c10"])
        expect(await store.campaigns.insert({ ...played, id })).toBe(true);
      expect(await store.campaigns.insert(aCampaign())).toBe(false);
      await store.campaigns.update("c2", (campaign) => ({ ...campaign, status: "paused", endedAt: 7 }));
      await opened.reopen();
      expect(await opened.store.campaigns.get("c1")).toEqual({ ...played, id: "c1" });
      expect(await opened.store.campaigns.get("c2")).toMatchObject({ status: "paused", endedAt: 7 });
      const all = await pages((page) => opened.store.campaigns.list("", page), 2);
      expect(all.map((page) => page.map(({ id }) => id))).toEqual([["c1", "c10"], ["c2"]]);
      expect(await opened.store.campaigns.remove("c10")).toBe(true);
      expect(await opened.store.campaigns.get("c10")).toBeNull();
      expect(await opened.store.posts.get("c1")).toBeNull();
    });

    test("a campaign that does not fit its schema does not get in", async () => {
      await opened.store.campaigns.insert(aCampaign());
      const broken = opened.store.campaigns.update("c1", (campaign) => ({ ...campaign, wallMs: -1 }));
      await expect(broken).rejects.toThrow();
      expect(await opened.store.campaigns.get("c1")).toEqual(aCampaign());
    });

    test("two changes at once both count", async () => {
      await opened.store.sessions.insert(aSession("1"));
      const add = (action: string) =>
        opened.store.sessions.update("1", (session) => ({
          ...session,
          actions: [...session.actions, action],
        }));
      await Promise.all(["a", "b", "c"].map(add));
      expect((await opened.store.sessions.get("1"))?.actions.toSorted()).toEqual(
        [...aSession("1").actions, "a", "b", "c"].sort(),
      );
    });
  });
}
