/** Webhooks: everything the bot says to an interaction after its first answer, by the interaction's token. */
import { compose, edit } from "./compose.ts";
import { type Call, type Core, param, type Reply, type Route } from "./core.ts";
import { ageOf, type Interaction, tokenLasts } from "./interactions.ts";
import { refusals } from "./refusal.ts";
import { flag } from "./rules-messages.ts";
import { messageShape } from "./shapes.ts";
import { messageJson } from "./wire.ts";
import type { Message } from "./world.ts";

function interactionOf(core: Core, call: Call): Interaction {
  const interaction = core.desk.byToken(param(call, "token"));
  if (interaction === null || param(call, "app") !== core.world.applicationId)
    throw refusals.unknownWebhook();
  if (ageOf(interaction) > tokenLasts) throw refusals.expiredToken();
  if (interaction.acknowledged === null) throw refusals.unknownWebhook();
  return interaction;
}

function messageOf(core: Core, call: Call): { interaction: Interaction; message: Message } {
  const interaction = interactionOf(core, call);
  const id = param(call, "message");
  const own = [interaction.original, interaction.source, ...interaction.followUps];
  const message = id === "@original" ? interaction.original : own.find((one) => one?.id === id);
  if (message === null || message === undefined || message.deleted) throw refusals.unknownMessage();
  return { interaction, message };
}

function followUp(core: Core, call: Call): Reply {
  const interaction = interactionOf(core, call);
  const channel = core.world.channels.get(interaction.channelId);
  if (channel === undefined || channel.deleted) throw refusals.unknownChannel();
  const waiting = interaction.original?.loading === true && !interaction.original.deleted;
  if (waiting && interaction.original !== null) {
    // Discord turns the first follow-up of a deferred reply into that reply.
    edit(core, call, call.body, interaction.original, "IncomingWebhookRequestPartial");
    return { status: 200, body: messageJson(core.world, interaction.original) };
  }
  const flags = messageShape.safeParse(call.body).data?.flags ?? 0;
  const message = compose(core, call, call.body, {
    schema: "IncomingWebhookRequestPartial",
    channel,
    ephemeralFor: (flags & flag.ephemeral) === 0 ? null : interaction.user.id,
    interactionId: interaction.id,
  });
  interaction.followUps.push(message);
  return { status: 200, body: messageJson(core.world, message) };
}

function show(core: Core, call: Call): Reply {
  return { status: 200, body: messageJson(core.world, messageOf(core, call).message) };
}

function change(core: Core, call: Call): Reply {
  const { interaction, message } = messageOf(core, call);
  edit(core, call, call.body, message, "IncomingWebhookUpdateRequestPartial");
  interaction.edits += 1;
  return { status: 200, body: messageJson(core.world, message) };
}

function remove(core: Core, call: Call): Reply {
  const { message } = messageOf(core, call);
  message.deleted = true;
  return { status: 204 };
}

const message = "/webhooks/:app/:token/messages/:message";

export const webhookRoutes: readonly Route[] = [
  { method: "POST", pattern: "/webhooks/:app/:token", open: true, handle: followUp },
  { method: "GET", pattern: message, open: true, handle: show },
  { method: "PATCH", pattern: message, open: true, handle: change },
  { method: "DELETE", pattern: message, open: true, handle: remove },
];
