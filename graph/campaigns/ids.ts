/** Ids of what belongs to a campaign: `c1r7` is its seventh round, `c1p1` its first round of designs for a fixed pool. */

const ofCampaign = /^(c\d+)[rp]\d+$/;

/** The campaign that a round belongs to, by the round's id; null for a round of its own. */
export function campaignOf(roundId: string): string | null {
  return ofCampaign.exec(roundId)?.[1] ?? null;
}

/** What the ids of rounds begin with that belong to no campaign. */
export const ownRounds = "r";

/** What the ids of a campaign's rounds begin with that play: those of designs for its pool are not among them. */
export function roundsOf(campaignId: string): string {
  return `${campaignId}r`;
}
