/** A team's chat, opened: its desks, each with one thing to take care of, behind the one interface that commands use. */
import type { Logger } from "pino";
import type { Services } from "../../graph/services.ts";
import { requestCard } from "../cards/request-card.ts";
import { createWatchDesk } from "../watch/watch-desk.ts";
import { createApprovalDesk } from "./approval-desk.ts";
import { createCampaignDesk } from "./campaign-desk.ts";
import type { Desk } from "./desk.ts";
import type { Hub } from "./hub.ts";
import { createPlayDesk } from "./play-desk.ts";
import type { Room } from "./room.ts";
import { createRoundDesk } from "./round-desk.ts";
import type { Team } from "./team.ts";

export interface OpenTeam extends Team {
  /** Takes up what was going on when the last process ended. */
  resume(): Promise<void>;
  /** Finishes what is in flight and keeps the rest for the next process. */
  close(): Promise<void>;
}

export interface TeamOptions {
  readonly services: Services;
  /** What the services emit to. */
  readonly hub: Hub;
  readonly room: Room;
  readonly log: Logger;
}

/** Nothing is taken up before `resume` is called. */
export async function openTeam({ services, hub, room, log }: TeamOptions): Promise<OpenTeam> {
  const rounds = createRoundDesk({ services, room, log, requestCard });
  const campaigns = createCampaignDesk({ services, room, log });
  const plays = createPlayDesk({ services, log });
  const approvals = createApprovalDesk({ services, room, log, goOn: (id) => rounds.decided(id) });
  const watch = createWatchDesk({ services, room, log });
  /** In the order in which they hear, resume and close: what rounds still do when they end is heard by the others. */
  const desks: readonly Desk[] = [rounds, campaigns, plays, approvals, watch];
  const stop = desks.map((desk) =>
    hub.add((event) => (event.type === "campaign" ? desk.hear?.(event) : desk.listen?.(event))),
  );
  return {
    startRound: (...given) => rounds.startRound(...given),
    startCampaign: (...given) => campaigns.startCampaign(...given),
    linkTo: (channelId) => room.linkTo({ channelId }),
    moment: (at, style) => room.moment(at, style),
    whereabouts: (roundId) => rounds.whereabouts(roundId),
    startPlay: (...given) => plays.startPlay(...given),
    playStep: (...given) => plays.playStep(...given),
    async resume() {
      for (const desk of desks) await desk.resume?.();
    },
    async close() {
      for (const desk of desks) {
        try {
          await desk.close?.();
        } catch (error) {
          // One that fails must not keep the others from closing.
          log.error({ err: error }, "a desk could not be closed");
        }
      }
      for (const end of stop) end();
    },
  };
}
