/** remember: what the round found out goes into the environment memory and the running numbers of each skill. */
import type { Role } from "../../config/words.ts";
import type { EpisodeRecord, SkillAverages } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { emptyAverages, withReturns, withRewards } from "../rewards/averages.ts";
import { scoreOf } from "../rewards/statistics.ts";
import type { RoundNode, Work } from "../state.ts";

/** Rounds a skill's numbers remember having counted: more than can be open at once. */
const rememberedRounds = 50;
const averagesLeaseMs = 10_000;

export const remember: RoundNode = async (state, work) => {
  const { store } = work.services;
  const plan = await work.plan();
  const total = state.playable.length;
  let done = 0;
  work.progress("remember", done, total);
  for (const slot of state.playable) {
    const planned = plan.slots[slot];
    if (planned !== undefined) await rememberOne(state.roundId, planned.environmentId, store);
    done += 1;
    work.progress("remember", done, total);
  }
  if (work.options.mode === "self-play") await countSkills(state.roundId, work);
  return {};
};

/** The environment's score over its whole life, counted anew from every episode that was ever played of it. */
async function rememberOne(roundId: string, environmentId: string, store: Store): Promise<void> {
  const round = await store.rounds.get(roundId);
  const episodes: EpisodeRecord[] = [];
  let after: string | undefined;
  do {
    const page = await store.episodes.ofEnvironment(environmentId, { limit: 1_000, after });
    episodes.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  const human = episodes.filter(({ arm }) => arm === "hinted-human");
  const score = scoreOf({
    plain: episodes.filter(({ arm }) => arm === "plain"),
    hinted: episodes.filter(({ arm }) => arm === "hinted"),
    hintedHuman: human.length === 0 ? null : human,
  });
  const own = round?.scores[environmentId];
  await store.environments.update(environmentId, (record) => ({
    ...record,
    score: {
      ...score,
      // What the designer earned was settled by the round that designed it.
      designerReward:
        record.roundId === roundId ? (own?.designerReward ?? null) : (record.score?.designerReward ?? null),
      designerAdvantage:
        record.roundId === roundId
          ? (own?.designerAdvantage ?? null)
          : (record.score?.designerAdvantage ?? null),
    },
  }));
}

/**
 * Adds the round's returns and rewards to the running numbers of each skill, each once: a skill's record names the
 * rounds that went in, and a lease keeps two rounds from reading it at the same time.
 */
async function countSkills(roundId: string, work: Work): Promise<void> {
  const { store } = work.services;
  const round = await store.rounds.get(roundId);
  if (round === null) return;
  const plan = await work.plan();
  const returns = new Map<string, (number | null)[]>();
  const rewards = new Map<string, (number | null)[]>();
  for (const { environmentId, task } of plan.slots) {
    const score = round.scores[environmentId];
    if (task === null || score === undefined) continue;
    const { skill } = task;
    returns.set(skill, [...(returns.get(skill) ?? []), ...score.plain.returns]);
    rewards.set(skill, [...(rewards.get(skill) ?? []), score.designerReward]);
  }
  await alone(work, async () => {
    for (const [skill, values] of returns) {
      await count(store, roundId, "agent", skill, (averages) => withReturns(averages, values));
    }
    for (const [skill, values] of rewards) {
      await count(store, roundId, "designer", skill, (averages) => withRewards(averages, values));
    }
  });
}

async function count(
  store: Store,
  roundId: string,
  role: Role,
  skill: string,
  change: (averages: SkillAverages) => SkillAverages,
): Promise<void> {
  const averages = (await store.averages.get(role, skill)) ?? emptyAverages(role, skill);
  const rounds = averages.rounds ?? [];
  if (rounds.includes(roundId)) return;
  await store.averages.put({ ...change(averages), rounds: [...rounds, roundId].slice(-rememberedRounds) });
}

/** Runs `change` while no other round changes the running numbers. */
async function alone({ services, signal }: Work, change: () => Promise<void>): Promise<void> {
  const { leases } = services.store;
  for (;;) {
    signal.throwIfAborted();
    const lease = await leases.acquire("averages", averagesLeaseMs);
    if (lease !== null) {
      try {
        return await change();
      } finally {
        await leases.release(lease);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
