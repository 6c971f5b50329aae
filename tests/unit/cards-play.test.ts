import { describe, expect, it } from "vitest";
import { playedCard } from "../../bot/cards/play-card.ts";
import { anEnvironment, anEpisode } from "../contract/store-records.ts";

describe("the end of a person's play", () => {
  const next = (status: "admitted" | "rejected" | "retired"): string[] =>
    playedCard(anEpisode({ arm: "human" }), anEnvironment({ id: "f1", status, score: null })).buttons.map(
      ({ command }) => command,
    );

  it("offers to measure what was never measured, unless it can't be", () => {
    expect(next("admitted")).toContain("env measure");
    expect(next("rejected")).not.toContain("env measure");
    expect(next("retired")).not.toContain("env measure");
  });
});
