/** `watch add`, `watch list`, `watch remove`: who is told of what, where, and when not. */
import { z } from "zod";
import { InputError } from "../../config/errors.ts";
import type { SubscriptionRecord } from "../../store/chat-records.ts";
import type { Caller } from "../caller.ts";
import { hasRole } from "../caller.ts";
import { type Card, card, table, text } from "../cards/card.ts";
import { counted } from "../cards/numbers.ts";
import { type WatchEvent, watchEvent, watchEvents } from "../watch/alert.ts";
import { type CommandContext, defineCommand } from "./command.ts";
import { collect } from "./shared.ts";

const surfaces = ["discord"] as const;
const hours = /^([01]?\d|2[0-3])-([01]?\d|2[0-3])$/;

const everything: readonly WatchEvent[] = watchEvent.options;

function quietOf(given: string | undefined): SubscriptionRecord["quiet"] {
  const match = given === undefined ? null : hours.exec(given);
  return match === null ? null : { from: Number(match[1]), to: Number(match[2]) };
}

/** Whoever reads a subscription, and where. */
interface Reader {
  readonly caller: Caller;
  readonly context: CommandContext;
}

function targetText({ target }: SubscriptionRecord, { caller, context }: Reader): string {
  if (target.kind === "person") {
    return target.id === caller.id ? "direct messages to you" : "direct messages to somebody else";
  }
  if (target.id === context.place?.channelId) return "this channel";
  return context.team?.linkTo(target.id) ?? `channel ${target.id}`;
}

function quietText({ quiet }: SubscriptionRecord): string {
  return quiet === null ? "at any hour" : `not from ${quiet.from} to ${quiet.to} h UTC`;
}

function eventsText({ events }: SubscriptionRecord): string {
  return events.length === everything.length ? "everything" : events.join(", ");
}

export const watchAdd = defineCommand({
  name: "watch add",
  summary: "Be told of what matters, in this channel or by direct message",
  details: `What there is: ${Object.entries(watchEvents)
    .map(([name, what]) => `${name} (${what})`)
    .join("; ")}.`,
  role: "researcher",
  surfaces,
  options: {
    events: {
      kind: "choice",
      summary: "what of",
      schema: z.array(watchEvent).min(1).optional(),
      many: true,
      fallback: "everything",
    },
    where: {
      kind: "choice",
      summary: "this channel, or a direct message to you",
      schema: z.enum(["here", "me"]).default("here"),
      fallback: "here",
    },
    quiet: {
      kind: "text",
      summary: "hours in which to stay silent, UTC, e.g. 22-7",
      schema: z.string().trim().regex(hours).describe("two hours from 0 to 23, e.g. 22-7").optional(),
      placeholder: "HOURS",
    },
  },
  async run({ events, where, quiet }, caller, context) {
    const services = await context.services();
    const { store, now } = services;
    const { place } = context;
    if (place === null) throw new InputError("input.bad-option", "where needs a channel of a chat.");
    const record: SubscriptionRecord = {
      id: `w${await store.nextNumber("subscription")}`,
      target:
        where === "me" || !place.shared
          ? { kind: "person", id: caller.id }
          : { kind: "channel", id: place.channelId },
      events: [...new Set(events ?? everything)],
      quiet: quietOf(quiet),
      createdBy: caller.id,
      createdAt: now(),
    };
    await store.subscriptions.insert(record);
    const { audit } = await import("../../graph/decisions.ts");
    await audit(services, caller.name, "watch.add", record.id, record.events.join(", "));
    const at = record.target.kind === "person" ? "by direct message" : "in this channel";
    return {
      card: card(`Watching: ${record.id}`, {
        tone: "good",
        blocks: [text(`You will be told ${at} of ${eventsText(record)}, ${quietText(record)}.`)],
        buttons: [{ label: "Stop it", command: "watch remove", options: { id: record.id } }],
      }),
      json: record,
    };
  },
});

function listCard(records: readonly SubscriptionRecord[], reader: Reader): Card {
  if (records.length === 0) {
    return card("Nobody watches", {
      blocks: [text("Nothing is told to anybody yet.")],
      buttons: [{ label: "Watch everything here", command: "watch add", options: {} }],
    });
  }
  return card(counted(records.length, "subscription"), {
    blocks: [
      table(
        [
          { title: "id" },
          { title: "what", squeezeTo: 16, plain: true },
          { title: "where", squeezeTo: 12, plain: true },
          { title: "when", squeezeTo: 8, plain: true },
        ],
        records.map((record) => ({
          cells: [record.id, eventsText(record), targetText(record, reader), quietText(record)],
        })),
      ),
    ],
    buttons: records
      .filter((record) => mayEnd(reader.caller, record))
      .slice(0, shownStops)
      .map(({ id }) => ({ label: `Stop ${id}`, command: "watch remove", options: { id } })),
  });
}

/** Subscriptions of a list that have a button. */
const shownStops = 5;

export const watchList = defineCommand({
  name: "watch list",
  summary: "Show who is told of what",
  role: "viewer",
  surfaces,
  audience: "caller",
  options: {},
  async run(_options, caller, context) {
    const { store } = await context.services();
    const { items } = await collect((page) => store.subscriptions.list("", page));
    return { card: listCard(items, { caller, context }), json: { subscriptions: items } };
  },
});

/** People end what they began; admins end everything. */
function mayEnd(caller: Caller, { createdBy }: SubscriptionRecord): boolean {
  return createdBy === caller.id || hasRole(caller, "admin");
}

function requireOwner(caller: Caller, record: SubscriptionRecord): void {
  if (mayEnd(caller, record)) return;
  throw new InputError(
    "input.not-allowed",
    `${record.id} is somebody else's; only they and admins can end it.`,
  );
}

export const watchRemove = defineCommand({
  name: "watch remove",
  summary: "Stop being told",
  role: "researcher",
  surfaces,
  options: {
    id: {
      kind: "text",
      summary: "the subscription's id, as `watch list` shows it",
      schema: z.string().trim().min(1).max(100),
      argument: true,
      placeholder: "ID",
    },
  },
  async run({ id }, caller, context) {
    const services = await context.services();
    const record = await services.store.subscriptions.get(id);
    if (record === null) throw new InputError("input.not-found", `There is no subscription "${id}".`);
    requireOwner(caller, record);
    await services.store.subscriptions.remove(id);
    const { audit } = await import("../../graph/decisions.ts");
    await audit(services, caller.name, "watch.remove", id);
    return {
      card: card(`${id} is ended`, {
        blocks: [
          text(`No more of ${eventsText(record)} is told in ${targetText(record, { caller, context })}.`),
        ],
      }),
      json: { removed: id },
    };
  },
});
