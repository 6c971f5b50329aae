/** The card of the lab's status. */
import type { LabStatus, OpenRound } from "../commands/status.ts";
import { campaignsTable } from "./campaign-card.ts";
import { type Block, type Button, type Card, card, field, fields, table, text } from "./card.ts";
import { counted, moment, unknown } from "./numbers.ts";
import { purposeOf } from "./round-card.ts";

/** Failed rounds that are shown at most: old ones are history. */
const shownRounds = 20;

function stateOf({ round, worked, ahead }: OpenRound): string {
  if (ahead !== null) return ahead === 0 ? "queued, the next one" : `queued, ${ahead} before it`;
  if (round.status === "running" && !worked) return "interrupted";
  return round.error === null ? round.status : `${round.status}: ${round.error.message}`;
}

/** `withPaths`: whether whoever reads it sits at the machine, so that its paths mean something. */
export function statusCard({ campaigns, open, waiting, facts }: LabStatus, withPaths: boolean): Card {
  const blocks: Block[] = [];
  const buttons: Button[] = [];
  if (campaigns.length > 0) {
    const stated = campaigns.map(({ campaign, worked }) => ({
      record: campaign,
      state: campaign.status === "running" && !worked ? ("interrupted" as const) : campaign.status,
    }));
    blocks.push(campaignsTable(stated.slice(0, shownRounds)));
  }
  if (open.length === 0) blocks.push(text("No round runs or waits."));
  else {
    const isShown = open.some(({ link }) => link !== null);
    blocks.push(
      table(
        [
          { title: "round" },
          { title: "state", squeezeTo: 12, plain: true },
          { title: "started" },
          { title: "what", squeezeTo: 12, plain: true },
          { title: "episodes", align: "right" },
          ...(isShown ? [{ title: "shown", plain: true as const }] : []),
        ],
        open.slice(0, shownRounds).map((one) => ({
          cells: [
            one.round.id,
            stateOf(one),
            moment(one.round.startedAt),
            purposeOf(one.round),
            String(one.episodes),
            ...(isShown ? [one.link ?? unknown] : []),
          ],
        })),
      ),
    );
    if (open.length > shownRounds) blocks.push(text(`And ${open.length - shownRounds} more.`));
  }
  if (waiting.length > 0) {
    blocks.push(
      text(`${counted(waiting.length, "environment waits", "environments wait")} for a person's approval:`),
      table(
        [
          { title: "environment" },
          { title: "name", squeezeTo: 12, plain: true },
          { title: "round" },
          { title: "asked" },
        ],
        waiting.map((one) => ({ cells: [one.environmentId, one.name, one.roundId, moment(one.askedAt)] })),
      ),
    );
  }
  const { admitted, rejected, retired } = facts.environments;
  const { hosts, livePerHost, stepTimeoutMs, memoryMb } = facts.sandbox;
  blocks.push(
    fields(
      withPaths ? field("data", facts.dataDir) : null,
      field("rounds", String(facts.rounds)),
      field("environments", `${admitted} admitted, ${rejected} rejected, ${retired} retired`),
      field("documents", String(facts.documents)),
      field("model", facts.model),
      field("embedded policy", facts.policyVersion === null ? unknown : `version ${facts.policyVersion}`),
      field(
        "sandbox",
        `${counted(hosts, "host")}, ${livePerHost} live environments each; ${stepTimeoutMs} ms and ${memoryMb} MB a call`,
      ),
    ),
  );
  const first = waiting[0];
  if (first !== undefined) {
    buttons.push(
      { label: `Look at ${first.environmentId}`, command: "env show", options: { id: first.environmentId } },
      {
        label: `Approve ${first.environmentId}`,
        command: "approve",
        options: { id: first.environmentId },
        tone: "good",
      },
    );
  }
  const stopped = open.find(
    ({ round, worked, ahead }) => !worked && ahead === null && round.status !== "waiting",
  );
  if (stopped !== undefined) {
    buttons.push({
      label: `Go on with ${stopped.round.id}`,
      command: "resume",
      options: { id: stopped.round.id },
    });
  }
  const campaignId = campaigns[0]?.campaign.id;
  if (campaignId !== undefined) {
    buttons.push({ label: `Look at ${campaignId}`, command: "campaign status", options: { id: campaignId } });
  }
  if (buttons.length === 0) buttons.push({ label: "Start a round", command: "round", options: {} });
  return card("Status", { tone: waiting.length > 0 ? "warning" : "plain", blocks, buttons });
}
