/** People and the model side by side, seed by seed. */
import { describe, expect, it } from "vitest";
import { compareCard, compareSeeds } from "../../bot/cards/compare-card.ts";
import type { EpisodeRecord } from "../../store/records.ts";
import { anEnvironment, anEpisode } from "../contract/store-records.ts";
import { drawn } from "../support/memory-room.ts";

let next = 0;
const human = (player: string, seed: number, got: number | null, hinted = false): EpisodeRecord =>
  anEpisode({
    roundId: `h${++next}`,
    arm: "human",
    player,
    seed,
    return: got,
    hintId: hinted ? "1".repeat(64) : null,
  });
const model = (arm: "plain" | "hinted", seed: number, got: number | null, index = 0): EpisodeRecord =>
  anEpisode({ arm, seed, return: got, index });

describe("comparing", () => {
  const episodes = [
    human("Ada", 7, 1),
    model("plain", 7, 0.5),
    model("plain", 7, 0, 1),
    model("hinted", 7, null),
    model("plain", 9, 1),
    human("Bo", 3, -0.5),
    human("Ada", 7, 0.25),
    human("Bo", 7, 1, true),
    human("Bo", 7, 1),
    human("Bo", 7, 1, true),
  ];

  it("gives each person's latest and best on a seed beside the model's mean", () => {
    const [seven, three, ...others] = compareSeeds(episodes);
    expect(others).toEqual([]);
    expect(seven?.seed).toBe(7);
    expect(seven?.people).toMatchObject([
      { player: "Ada", plays: 2, latest: { return: 0.25 }, best: { return: 1, hintSeen: false } },
      {
        player: "Bo",
        plays: 3,
        latest: { return: 1, hintSeen: true },
        best: { return: 1, hintSeen: false },
      },
    ]);
    expect(seven?.model).toEqual([
      { arm: "plain", plays: 2, mean: 0.25 },
      { arm: "hinted", plays: 1, mean: null },
    ]);
    expect(three).toMatchObject({ seed: 3, people: [{ player: "Bo", plays: 1 }], model: [] });
  });

  it("takes the newest of equals as the best", () => {
    const [only] = compareSeeds([human("Ada", 1, 0.5), human("Ada", 1, 0.5)]);
    expect(only?.people[0]?.best.episodeId).toBe(only?.people[0]?.latest.episodeId);
  });

  it("shows one seed, whether or not anybody played it", () => {
    expect(compareSeeds(episodes, 9)).toEqual([
      { seed: 9, people: [], model: [{ arm: "plain", plays: 1, mean: 1 }] },
    ]);
    const shown = compareCard(anEnvironment({ id: "e1" }), compareSeeds(episodes, 9), 9);
    expect(drawn(shown)).toContain("Nobody has played seed 9 yet.");
    expect(shown.buttons[0]).toMatchObject({ command: "env play", options: { id: "e1", seed: 9 } });
  });

  it("marks returns for which the hint was seen", () => {
    const shown = drawn(compareCard(anEnvironment({ id: "e1" }), compareSeeds(episodes)));
    expect(shown).toContain("1.00 (hint)");
    expect(shown).toMatch(/model, plain .* 0\.25/);
    expect(shown).not.toContain("Nobody");
  });

  it("says so when there is nothing yet", () => {
    expect(compareSeeds([model("plain", 1, 1)])).toEqual([]);
    expect(drawn(compareCard(anEnvironment({ id: "e1" }), []))).toContain("Nobody has played it yet.");
  });
});
