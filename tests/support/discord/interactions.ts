/** Interactions: what people did and how the bot answers it, with the times, tokens and orders that Discord insists on. */
import { randomBytes } from "node:crypto";
import type { ModalBody } from "./shapes.ts";
import { snowflake } from "./snowflake.ts";
import type { Json } from "./wire.ts";
import type { Message, User } from "./world.ts";

export const interactionType = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;
export type InteractionType = 2 | 3 | 4 | 5;

/** Milliseconds. */
export const firstAnswerWithin = 3000;
export const tokenLasts = 15 * 60_000;

export interface Choice {
  readonly name: string;
  readonly value: string | number;
}

/** One thing that a person did, and what came of it. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly type: InteractionType;
  readonly user: User;
  readonly channelId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Time that a test let pass, milliseconds. */
  skippedMs: number;
  /** How often its event was sent. */
  sent: number;
  /** Whether its event had to wait for a client to connect: then a late answer is nobody's fault. */
  waited: boolean;
  readonly payload: Json;
  /** The message whose component was used, or that its modal came from. */
  readonly source: Message | null;
  /** The type of the option that is completed. */
  readonly completes: number | null;
  /** The bot's first answer: the callback's type, and how long it took in milliseconds. */
  acknowledged: { readonly type: number; readonly ms: number } | null;
  /** What `@original` means. */
  original: Message | null;
  readonly followUps: Message[];
  modal: ModalBody | null;
  choices: readonly Choice[] | null;
  /** Edits of the original by the token. */
  edits: number;
}

export class Desk {
  readonly #interactions = new Map<string, Interaction>();
  readonly #byToken = new Map<string, Interaction>();

  open(
    given: Pick<Interaction, "type" | "user" | "channelId" | "source" | "completes"> & {
      readonly payload: (id: string, token: string) => Json;
    },
  ): Interaction {
    const id = snowflake();
    const token = randomBytes(48).toString("base64url");
    const interaction: Interaction = {
      id,
      token,
      type: given.type,
      user: given.user,
      channelId: given.channelId,
      source: given.source,
      completes: given.completes,
      payload: given.payload(id, token),
      createdAt: Date.now(),
      skippedMs: 0,
      sent: 0,
      waited: false,
      acknowledged: null,
      original: null,
      followUps: [],
      modal: null,
      choices: null,
      edits: 0,
    };
    this.#interactions.set(id, interaction);
    this.#byToken.set(token, interaction);
    return interaction;
  }

  byId(id: string): Interaction | null {
    return this.#interactions.get(id) ?? null;
  }

  byToken(token: string): Interaction | null {
    return this.#byToken.get(token) ?? null;
  }

  all(): readonly Interaction[] {
    return [...this.#interactions.values()];
  }
}

/** How old an interaction is, milliseconds, time that was skipped included. */
export function ageOf({ createdAt, skippedMs }: Interaction): number {
  return Date.now() - createdAt + skippedMs;
}
