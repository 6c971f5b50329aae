/** Callbacks: the bot's first answer to an interaction. */
import { z } from "zod";
import { add, compose, edit, emptyMessage } from "./compose.ts";
import { type Call, type Core, checked, note, param, type Reply, type Route, without } from "./core.ts";
import { ageOf, firstAnswerWithin, type Interaction, interactionType } from "./interactions.ts";
import { refusals } from "./refusal.ts";
import { completionFaults, modalFaults } from "./rules-commands.ts";
import { flag } from "./rules-messages.ts";
import { modalShape } from "./shapes.ts";
import { messageJson } from "./wire.ts";
import type { Channel } from "./world.ts";

const callback = { pong: 1, reply: 4, defer: 5, deferUpdate: 6, update: 7, complete: 8, modal: 9 } as const;

const frameShape = z.looseObject({ type: z.number(), data: z.unknown().optional() });
const deferShape = z.looseObject({
  data: z.looseObject({ flags: z.number().nullish() }).nullish(),
});
const choicesShape = z.looseObject({
  data: z.looseObject({
    choices: z.array(z.looseObject({ name: z.string(), value: z.union([z.string(), z.number()]) })).nullish(),
  }),
});
const modalFrame = z.looseObject({ data: modalShape });

/** Which callbacks answer which interaction. */
function allowed(interaction: Interaction): readonly number[] {
  if (interaction.type === interactionType.autocomplete) return [callback.complete];
  const always = [callback.reply, callback.defer];
  if (interaction.type === interactionType.command) return [...always, callback.modal];
  const update = interaction.source === null ? [] : [callback.deferUpdate, callback.update];
  if (interaction.type === interactionType.component) return [...always, ...update, callback.modal];
  return [...always, ...update];
}

function answer(core: Core, call: Call): Reply {
  const interaction = core.desk.byId(param(call, "interaction"));
  if (interaction === null || interaction.token !== param(call, "token")) throw refusals.unknownInteraction();
  refuseUntimely(core, call, interaction);
  const frame = frameOf(core, call, interaction);
  const channel = core.world.channels.get(interaction.channelId);
  if (channel === undefined) throw refusals.unknownChannel();
  carryOut(core, call, interaction, channel, frame);
  // Marked when it was carried out: what was refused may be tried again.
  interaction.acknowledged = { type: frame.type, ms: Date.now() - interaction.createdAt };
  if (call.query.get("with_response") !== "true") return { status: 204 };
  return { status: 200, body: responseJson(core, interaction, frame.type) };
}

function frameOf(core: Core, call: Call, interaction: Interaction): z.infer<typeof frameShape> {
  const frame = frameShape.safeParse(call.body);
  const faults = frame.success ? [] : ["a callback without a type"];
  if (frame.success && !allowed(interaction).includes(frame.data.type)) {
    faults.push(
      `a callback of type ${frame.data.type} can't answer an interaction of type ${interaction.type}`,
    );
  }
  if (faults.length > 0 || !frame.success) {
    note(core, call, faults);
    throw refusals.invalidForm(faults);
  }
  return frame.data;
}

function refuseUntimely(core: Core, call: Call, interaction: Interaction): void {
  if (interaction.acknowledged !== null) {
    // A test that sends an event twice expects the second answer to be refused.
    if (interaction.sent < 2) note(core, call, ["the interaction was answered twice (40060)"]);
    throw refusals.alreadyAcknowledged();
  }
  if (ageOf(interaction) > firstAnswerWithin) {
    const isOwnFault = interaction.skippedMs === 0 && !interaction.waited;
    if (isOwnFault) note(core, call, [`the first answer took ${ageOf(interaction)} ms (10062)`]);
    throw refusals.unknownInteraction();
  }
}

function carryOut(
  core: Core,
  call: Call,
  interaction: Interaction,
  channel: Channel,
  { type, data }: z.infer<typeof frameShape>,
): void {
  const bare = { type, ...(data === undefined ? {} : { data: without(data, "tts") }) };
  if (type === callback.reply) {
    const flags = z.looseObject({ flags: z.number().nullish() }).safeParse(data).data?.flags ?? 0;
    interaction.original = compose(core, call, data ?? {}, {
      schema: "IncomingWebhookInteractionRequest",
      channel,
      ephemeralFor: (flags & flag.ephemeral) === 0 ? null : interaction.user.id,
      interactionId: interaction.id,
    });
  } else if (type === callback.defer) {
    const given = checked(
      core,
      call,
      bare,
      "CreateMessageInteractionCallbackRequest",
      deferShape,
      ({ data: only }) => {
        const wrong = Object.keys(only ?? {}).filter((key) => key !== "flags");
        const flags = (only?.flags ?? 0) & ~flag.ephemeral;
        return [
          ...wrong.map((key) => `a deferred reply carries ${key}; it may only carry flags`),
          ...(flags === 0 ? [] : [`a deferred reply carries flags ${flags}; it may only carry EPHEMERAL`]),
        ];
      },
    );
    const ephemeral = ((given.data?.flags ?? 0) & flag.ephemeral) !== 0;
    const message = emptyMessage(core, channel, ephemeral ? interaction.user.id : null, interaction.id);
    message.loading = true;
    add(channel, message);
    interaction.original = message;
  } else if (type === callback.deferUpdate) {
    checked(core, call, bare, "UpdateMessageInteractionCallbackRequest", frameShape, () => []);
    interaction.original = interaction.source;
  } else if (type === callback.update) {
    if (interaction.source === null || interaction.source.deleted) throw refusals.unknownMessage();
    edit(
      core,
      call,
      data ?? {},
      interaction.source,
      "IncomingWebhookUpdateForInteractionCallbackRequestPartial",
    );
    interaction.original = interaction.source;
  } else if (type === callback.complete) {
    const { data: completed } = checked(
      core,
      call,
      bare,
      "ApplicationCommandAutocompleteCallbackRequest",
      choicesShape,
      (body) => completionFaults(body.data.choices ?? [], interaction.completes ?? 3),
    );
    interaction.choices = completed.choices ?? [];
  } else {
    const { data: modal } = checked(core, call, bare, "ModalInteractionCallbackRequest", modalFrame, (body) =>
      modalFaults(body.data),
    );
    interaction.modal = modal;
  }
}

function responseJson(core: Core, { id, type, original }: Interaction, answeredWith: number): unknown {
  const message = original === null ? null : messageJson(core.world, original);
  return {
    interaction: {
      id,
      type,
      response_message_id: original?.id ?? null,
      response_message_loading: original?.loading ?? false,
      response_message_ephemeral: (original?.ephemeralFor ?? null) !== null,
    },
    ...(message === null ? {} : { resource: { type: answeredWith, message } }),
  };
}

export const callbackRoutes: readonly Route[] = [
  { method: "POST", pattern: "/interactions/:interaction/:token/callback", open: true, handle: answer },
];
