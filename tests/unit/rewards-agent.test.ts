/** Groups and advantages of the agent, on examples worked out by hand. */
import { describe, expect, it } from "vitest";
import { agentAdvantages, crossArmGroups, plainGroups, type Trajectory } from "../../graph/rewards/agent.ts";

function episodes(
  environmentId: string,
  arm: Trajectory["arm"],
  returns: readonly (number | null)[],
  perSeed = 1,
): Trajectory[] {
  return returns.map((value, index) => ({
    id: `${environmentId}.${arm}.${index}`,
    environmentId,
    arm,
    seed: Math.floor(index / perSeed),
    return: value,
  }));
}

const advantagesOf = (groups: Parameters<typeof agentAdvantages>[0]): number[] =>
  agentAdvantages(groups).advantages.map(({ advantage }) => advantage);

describe("advantages of the agent", () => {
  it("are deviations from the group's mean over its population deviation", () => {
    // Returns 1, 0, 0, 0: mean 0.25, population variance (0.5625 + 3 · 0.0625) / 4 = 0.1875, deviation √0.1875.
    const deviation = Math.sqrt(0.1875) + 1e-8;
    const got = advantagesOf(plainGroups(episodes("e1", "plain", [1, 0, 0, 0])));
    expect(got).toEqual([0.75 / deviation, -0.25 / deviation, -0.25 / deviation, -0.25 / deviation]);
  });

  it("add 1e-8 to the deviation", () => {
    // Returns 2e-8 apart: mean 1e-8, deviation 1e-8, so the advantages are ± 1e-8 / 2e-8.
    const got = advantagesOf(plainGroups(episodes("e1", "plain", [2e-8, 0])));
    expect(got).toEqual([expect.closeTo(0.5, 6), expect.closeTo(-0.5, 6)]);
  });

  it("drop groups without spread, and count them", () => {
    const groups = plainGroups([
      ...episodes("e1", "plain", [0.1, 0.1, 0.1]),
      ...episodes("e2", "plain", [1, 0]),
      ...episodes("e3", "plain", [1]),
    ]);
    const result = agentAdvantages(groups);
    expect(result).toMatchObject({ kept: 1, dropped: 2 });
    expect(result.advantages.map(({ episodeId }) => episodeId)).toEqual(["e2.plain.0", "e2.plain.1"]);
  });
});

describe("plain groups", () => {
  it("hold one environment's plain episodes; hinted and human ones don't train", () => {
    const groups = plainGroups([
      ...episodes("e1", "plain", [1, 0]),
      ...episodes("e1", "hinted", [1, 1]),
      ...episodes("e1", "hinted-human", [1, 1]),
      ...episodes("e1", "human", [1]),
      ...episodes("e2", "plain", [0, 0]),
    ]);
    expect(
      groups.map(({ environmentId, members, prompt }) => [environmentId, members.length, prompt]),
    ).toEqual([
      ["e1", 2, "plain"],
      ["e2", 2, "plain"],
    ]);
  });

  it("leave out what has no return, and groups that nothing is left of", () => {
    const groups = plainGroups([
      ...episodes("e1", "plain", [1, null, 0]),
      ...episodes("e2", "plain", [null]),
    ]);
    expect(groups).toHaveLength(1);
    expect(groups[0]?.members.map((member) => member.return)).toEqual([1, 0]);
    expect(agentAdvantages(groups).dropped).toBe(0);
  });

  it("mix instances, or hold one seed each when plays share seeds", () => {
    const played = episodes("e1", "plain", [1, 0, 0, 0], 2);
    expect(plainGroups(played)).toHaveLength(1);
    const bySeed = plainGroups(played, "same-instance");
    expect(bySeed.map(({ members }) => members.map((member) => member.return))).toEqual([
      [1, 0],
      [0, 0],
    ]);
    expect(agentAdvantages(bySeed)).toMatchObject({ kept: 1, dropped: 1 });
  });
});

describe("cross-arm groups", () => {
  const played = [...episodes("e1", "plain", [0, 0]), ...episodes("e1", "hinted", [1, 1])];

  it("hold all trajectories under the plain prompt, and the hinted ones again under theirs", () => {
    const groups = crossArmGroups(played);
    expect(groups.map(({ prompt, members }) => [prompt, members.map(({ episodeId }) => episodeId)])).toEqual([
      ["plain", ["e1.plain.0", "e1.plain.1", "e1.hinted.0", "e1.hinted.1"]],
      ["hinted", ["e1.hinted.0", "e1.hinted.1"]],
    ]);
  });

  it("learn from what the hint made possible where plain play alone has no spread", () => {
    expect(agentAdvantages(plainGroups(played))).toMatchObject({ kept: 0, dropped: 1 });
    // Returns 0, 0, 1, 1: mean 0.5, deviation 0.5.
    const result = agentAdvantages(crossArmGroups(played));
    expect(result).toMatchObject({ kept: 1, dropped: 1 });
    expect(result.advantages.map(({ advantage }) => advantage)).toEqual([
      expect.closeTo(-1, 6),
      expect.closeTo(-1, 6),
      expect.closeTo(1, 6),
      expect.closeTo(1, 6),
    ]);
  });

  it("give a hinted episode an advantage in each of its groups", () => {
    const result = agentAdvantages(
      crossArmGroups([...episodes("e1", "plain", [0, 0]), ...episodes("e1", "hinted", [1, 0])]),
    );
    const ofFirst = result.advantages.filter(({ episodeId }) => episodeId === "e1.hinted.0");
    // All four: mean 0.25, deviation √0.1875. The hinted two: mean 0.5, deviation 0.5.
    expect(ofFirst.map(({ prompt, advantage }) => [prompt, advantage])).toEqual([
      ["plain", expect.closeTo(0.75 / Math.sqrt(0.1875), 6)],
      ["hinted", expect.closeTo(1, 6)],
    ]);
    expect(new Set(ofFirst.map(({ groupId }) => groupId)).size).toBe(2);
  });
});
