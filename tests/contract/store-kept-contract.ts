/** What every store promises about what chat keeps: posts, subscriptions, sessions and settings. */
import { describe, expect, test } from "vitest";
import type { PostRecord, SessionRecord, SubscriptionRecord } from "../../store/chat-records.ts";
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
