/**
 * Human play in a chat: a play goes on from button to button. What it is made of (seed, actions, when the hint was seen) is
 * in the store before anything is played, so a restart, a late click or two clicks at once never lose or repeat a turn.
 */
import type { Logger } from "pino";
import { ChatError, InputError } from "../../config/errors.ts";
import { type HumanPlay, nextPlayId } from "../../graph/human-play.ts";
import type { Services } from "../../graph/services.ts";
import type { SessionRecord } from "../../store/chat-records.ts";
import type { Caller } from "../caller.ts";
import type { Card } from "../cards/card.ts";
import { oneLine, shorten } from "../cards/harmless.ts";
import { playedCard } from "../cards/play-card.ts";
import { sessionCard } from "../cards/play-session-card.ts";
import type { Desk } from "./desk.ts";
import { listedActions } from "./play-actions.ts";
import { LivePlays } from "./play-lives.ts";
import type { Place, PlayOptions, PlayStep, Team } from "./team.ts";

export interface PlayDeskOptions {
  readonly services: Services;
  readonly log: Logger;
  /** Isolates that plays hold at once between their steps. */
  readonly mostLive?: number;
  /** After so long without a step a play gives its isolate back, milliseconds. */
  readonly idleMs?: number;
}

export type PlayDesk = Pick<Team, "startPlay" | "playStep"> & Required<Pick<Desk, "resume" | "close">>;

const defaultMostLive = 8;
const defaultIdleMs = 300_000;

export function createPlayDesk(options: PlayDeskOptions): PlayDesk {
  return new SessionDesk(options);
}

class SessionDesk implements PlayDesk {
  readonly #services: Services;
  readonly #log: Logger;
  readonly #lives: LivePlays;

  constructor({ services, log, mostLive, idleMs }: PlayDeskOptions) {
    this.#services = services;
    this.#log = log;
    this.#lives = new LivePlays({
      services,
      most: mostLive ?? defaultMostLive,
      idleMs: idleMs ?? defaultIdleMs,
    });
  }

  async startPlay({ environmentId, seed, shared }: PlayOptions, caller: Caller, place: Place): Promise<Card> {
    const { store, now } = this.#services;
    const startedAt = now();
    const session: SessionRecord = {
      id: await nextPlayId(store),
      environmentId,
      seed,
      player: { id: caller.id, name: caller.name },
      shared,
      channelId: place.channelId,
      messageId: null,
      actions: [],
      took: [],
      startedAt,
      hintAfter: null,
      status: "open",
      episodeId: null,
      updatedAt: startedAt,
    };
    return this.#lives.exclusively(session.id, async () => {
      const play = await this.#lives.upTo(session);
      await store.sessions.insert(session);
      return drawn(session, play);
    });
  }

  playStep(sessionId: string, step: PlayStep, caller: Caller): Promise<Card> {
    return this.#lives.exclusively(sessionId, async () => {
      const session = await this.#sessionOf(sessionId, caller);
      if (session.status !== "open") return this.#ended(session);
      if (step.type === "act") return this.#act(session, step);
      if (step.type === "hint") return this.#revealHint(session);
      return this.#settle(await this.#change(session.id, (open) => ({ ...open, status: "given-up" })));
    });
  }

  async resume(): Promise<void> {
    const { sessions } = this.#services.store;
    let after: string | undefined;
    do {
      const page = await sessions.list("", { limit: 200, after });
      const unsettled = page.items.filter(({ status, episodeId }) => status !== "open" && episodeId === null);
      for (const session of unsettled) {
        try {
          await this.#lives.exclusively(session.id, () => this.#settle(session));
        } catch (error) {
          this.#log.error({ err: error, session: session.id }, "a play that is over could not be kept");
        }
      }
      after = page.next ?? undefined;
    } while (after !== undefined);
  }

  close(): Promise<void> {
    return this.#lives.close();
  }

  async #sessionOf(id: string, caller: Caller): Promise<SessionRecord> {
    const session = await this.#services.store.sessions.get(id);
    if (session === null) throw new InputError("input.not-found", `There is no play "${id}".`);
    if (session.player.id === caller.id) return session;
    const { environmentId, seed, player } = session;
    throw new ChatError(
      "chat.not-yours",
      `This is ${player.name}'s play of ${environmentId}, seed ${seed}; nobody else can take its turns.`,
    );
  }

  async #act(session: SessionRecord, { turn, action }: Extract<PlayStep, { type: "act" }>): Promise<Card> {
    const { now } = this.#services;
    let mine = false;
    const changed = await this.#change(session.id, (open) => {
      mine = open.actions.length === turn;
      if (!mine) return open;
      const took = open.took ?? [];
      const shownAt = (open.startedAt ?? open.updatedAt) + took.reduce((sum, ms) => sum + ms, 0);
      const thought = Math.max(0, now() - shownAt);
      return { ...open, actions: [...open.actions, action], took: [...took, thought], updatedAt: now() };
    });
    if (changed.status !== "open") return this.#ended(changed);
    const play = await this.#lives.upTo(changed);
    if (play.over) return this.#settle(changed);
    const first = changed.actions[turn];
    // The same button twice is one press; another action for a turn that is gone must not vanish unsaid.
    const lost = !mine && first !== action;
    return drawn(
      changed,
      play,
      lost
        ? `${quoted(action)} came late and was not played: ${first === undefined ? "the play is not there yet" : `turn ${turn + 1} was taken with ${quoted(first)}`}.`
        : null,
    );
  }

  async #revealHint(session: SessionRecord): Promise<Card> {
    const play = await this.#lives.upTo(session);
    if (!play.hasHint) throw new InputError("input.conflict", `${session.environmentId} has no hint.`);
    const changed = await this.#change(session.id, (open) => ({
      ...open,
      hintAfter: open.hintAfter ?? open.actions.length,
    }));
    if (changed.status !== "open") return this.#ended(changed);
    return drawn(changed, await this.#lives.upTo(changed));
  }

  /** Changes a session as long as it is open. */
  #change(id: string, change: (open: SessionRecord) => SessionRecord): Promise<SessionRecord> {
    return this.#services.store.sessions.update(id, (session) =>
      session.status === "open" ? change(session) : session,
    );
  }

  /** Keeps the episode of a play that is over, once, and shows how it ended. */
  async #settle(session: SessionRecord): Promise<Card> {
    const { store, now } = this.#services;
    const play = await this.#lives.upTo(session);
    await this.#change(session.id, (open) => ({ ...open, status: "finished" }));
    const { episode, environment } = await play.finish();
    await store.sessions.update(session.id, (over) => ({ ...over, episodeId: episode.id, updatedAt: now() }));
    await this.#lives.drop(session.id);
    return playedCard(episode, environment, session);
  }

  async #ended(session: SessionRecord): Promise<Card> {
    const { episodes, environments } = this.#services.store;
    const episode = session.episodeId === null ? null : await episodes.get(session.episodeId);
    const environment = await environments.get(session.environmentId);
    return episode === null || environment === null
      ? this.#settle(session)
      : playedCard(episode, environment, session);
  }
}

const quoted = (action: string): string => `“${shorten(oneLine(action), 60)}”`;

function drawn(session: SessionRecord, play: HumanPlay, note: string | null = null): Card {
  const last = play.taken.at(-1);
  const now = last === undefined ? [] : listedActions(last.observation, last.info, play.tools);
  const actions = now.length > 0 ? now : listedActions(play.firstObservation, play.firstInfo, play.tools);
  return sessionCard(session, play, { actions, note });
}
