/** How far a campaign is, as text: what the command line shows of its rounds while it works on one. */
import type { CampaignEvent, RoundEvent } from "../../graph/events.ts";
import { duration, score } from "../cards/numbers.ts";
import { progressOf, type TimedStage, timedStage } from "../stage-clock.ts";

const doings: Readonly<Record<CampaignEvent["doing"], string>> = {
  "design-pool": "designing the pool",
  round: "playing",
  update: "training",
  evaluate: "evaluating on held-out environments",
  stopping: "letting go",
};

export class CampaignProgress {
  readonly #now: () => number;
  readonly #told = new Set<string>();
  #latest: CampaignEvent | null = null;
  #rounds: TimedStage | null = null;
  /** Of the round that is played now. */
  #stage: string | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether a campaign is worked on, so that its rounds are its steps and no news of their own. */
  get isOn(): boolean {
    return this.#latest !== null && this.#latest.doing !== "stopping";
  }

  get id(): string | null {
    return this.#latest?.campaignId ?? null;
  }

  /** What is new, in sentences. */
  take(event: CampaignEvent): string[] {
    const isFirst = this.#latest?.campaignId !== event.campaignId;
    this.#latest = event;
    this.#stage = null;
    const { done, total } = event;
    if (isFirst) this.#rounds = null;
    this.#rounds = timedStage(this.#rounds ?? undefined, { stage: "play", done, total }, this.#now());
    const verb = done === 0 ? "starts" : "goes on";
    const news = isFirst
      ? [`Campaign ${event.campaignId} ${verb}: ${done} of ${total} rounds are done.`]
      : [];
    const open = new Set(event.warnings.map(({ kind }) => kind));
    for (const kind of this.#told) if (!open.has(kind)) this.#told.delete(kind);
    for (const { kind, message } of event.warnings) {
      if (this.#told.has(kind)) continue;
      this.#told.add(kind);
      news.push(`Warning: ${message}`);
    }
    return news;
  }

  /** A stage of the round that is played now. */
  stage({ stage, done, total }: Extract<RoundEvent, { type: "stage" }>): void {
    if (total > 0) this.#stage = `${stage} ${done}/${total}`;
  }

  /** `12/400, 1 min 03 s, about 20 min 10 s left`. */
  get count(): string {
    const { done, total } = this.#latest ?? { done: 0, total: 0 };
    return `${done}/${total}, ${this.times}`;
  }

  get times(): string {
    if (this.#rounds === null) return "";
    const { elapsedMs, remainingMs } = progressOf(this.#rounds, this.#now());
    const left = remainingMs === null ? "" : `, about ${duration(remainingMs)} left`;
    return `${duration(elapsedMs)}${left}`;
  }

  /** `plain 0.31, regret 0.14, held-out 42.0 %`; empty before there is any. */
  get numbers(): string {
    if (this.#latest === null) return "";
    const { plainReturn, regret, heldOut } = this.#latest;
    return [
      plainReturn === null ? null : `plain ${score(plainReturn)}`,
      regret === null ? null : `regret ${score(regret)}`,
      heldOut === null ? null : `held-out ${(100 * heldOut).toFixed(1)} %`,
    ]
      .filter((part) => part !== null)
      .join(", ");
  }

  /** What it does now, with the stage of its round. */
  get now(): string {
    const { doing } = this.#latest ?? { doing: "round" as const };
    return this.#stage === null ? doings[doing] : `${doings[doing]}: ${this.#stage}`;
  }

  /** Done and total, for a bar. */
  get bar(): { readonly done: number; readonly total: number } {
    return { done: this.#latest?.done ?? 0, total: this.#latest?.total ?? 0 };
  }
}
