/** Shapes: what this server reads of the bodies that a bot sends, after the schemas have had their say. */
import { z } from "zod";

const media = z.looseObject({ url: z.string() });
const choice = z.looseObject({ label: z.string(), value: z.string() });

/** One component of a message or a modal, nested ones included. */
export interface Component {
  type: number;
  id?: number | null | undefined;
  custom_id?: string | null | undefined;
  label?: string | null | undefined;
  description?: string | null | undefined;
  style?: number | null | undefined;
  url?: string | null | undefined;
  disabled?: boolean | null | undefined;
  content?: string | null | undefined;
  placeholder?: string | null | undefined;
  value?: string | null | undefined;
  required?: boolean | null | undefined;
  min_values?: number | null | undefined;
  max_values?: number | null | undefined;
  min_length?: number | null | undefined;
  max_length?: number | null | undefined;
  options?: z.infer<typeof choice>[] | null | undefined;
  file?: z.infer<typeof media> | null | undefined;
  media?: z.infer<typeof media> | null | undefined;
  items?: { media: z.infer<typeof media> }[] | null | undefined;
  components?: Component[] | null | undefined;
  component?: Component | null | undefined;
  accessory?: Component | null | undefined;
  [other: string]: unknown;
}

export const componentShape: z.ZodType<Component> = z.looseObject({
  type: z.number(),
  id: z.number().nullish(),
  custom_id: z.string().nullish(),
  label: z.string().nullish(),
  description: z.string().nullish(),
  style: z.number().nullish(),
  url: z.string().nullish(),
  disabled: z.boolean().nullish(),
  content: z.string().nullish(),
  placeholder: z.string().nullish(),
  value: z.string().nullish(),
  required: z.boolean().nullish(),
  min_values: z.number().nullish(),
  max_values: z.number().nullish(),
  min_length: z.number().nullish(),
  max_length: z.number().nullish(),
  options: z.array(choice).nullish(),
  file: media.nullish(),
  media: media.nullish(),
  items: z.array(z.looseObject({ media })).nullish(),
  components: z.array(z.lazy(() => componentShape)).nullish(),
  component: z.lazy(() => componentShape).nullish(),
  accessory: z.lazy(() => componentShape).nullish(),
});

export const embedShape = z.looseObject({
  title: z.string().nullish(),
  description: z.string().nullish(),
  url: z.string().nullish(),
  footer: z.looseObject({ text: z.string() }).nullish(),
  author: z.looseObject({ name: z.string().nullish() }).nullish(),
  fields: z.array(z.looseObject({ name: z.string(), value: z.string() })).nullish(),
  image: z.looseObject({ url: z.string().nullish() }).nullish(),
  thumbnail: z.looseObject({ url: z.string().nullish() }).nullish(),
});
export type Embed = z.infer<typeof embedShape>;

/** The body of a message, of an edit, and of the data of an answer. */
export const messageShape = z.looseObject({
  content: z.string().nullish(),
  embeds: z.array(embedShape).nullish(),
  components: z.array(componentShape).nullish(),
  flags: z.number().nullish(),
  attachments: z
    .array(
      z.looseObject({
        id: z.union([z.string(), z.number()]).transform(String),
        filename: z.string().nullish(),
        description: z.string().nullish(),
      }),
    )
    .nullish(),
  allowed_mentions: z
    .looseObject({
      parse: z.array(z.string()).nullish(),
      users: z.array(z.string()).nullish(),
      roles: z.array(z.string()).nullish(),
    })
    .nullish(),
  nonce: z.union([z.string(), z.number()]).nullish(),
  enforce_nonce: z.boolean().nullish(),
  poll: z.unknown().optional(),
  sticker_ids: z.array(z.string()).nullish(),
  message_reference: z.looseObject({ message_id: z.string().nullish() }).nullish(),
});
export type MessageBody = z.infer<typeof messageShape>;

export const modalShape = z.looseObject({
  custom_id: z.string(),
  title: z.string(),
  components: z.array(componentShape),
});
export type ModalBody = z.infer<typeof modalShape>;

export interface CommandOption {
  type: number;
  name: string;
  description: string;
  required?: boolean | null | undefined;
  autocomplete?: boolean | null | undefined;
  choices?: { name: string; value: string | number }[] | null | undefined;
  min_value?: number | null | undefined;
  max_value?: number | null | undefined;
  min_length?: number | null | undefined;
  max_length?: number | null | undefined;
  options?: CommandOption[] | null | undefined;
}

const optionShape: z.ZodType<CommandOption> = z.looseObject({
  type: z.number(),
  name: z.string(),
  description: z.string(),
  required: z.boolean().nullish(),
  autocomplete: z.boolean().nullish(),
  choices: z.array(z.looseObject({ name: z.string(), value: z.union([z.string(), z.number()]) })).nullish(),
  min_value: z.number().nullish(),
  max_value: z.number().nullish(),
  min_length: z.number().nullish(),
  max_length: z.number().nullish(),
  options: z.array(z.lazy(() => optionShape)).nullish(),
});

export const commandShape = z.looseObject({
  name: z.string(),
  type: z.number().nullish(),
  description: z.string().nullish(),
  options: z.array(optionShape).nullish(),
  default_member_permissions: z.union([z.string(), z.number()]).nullish(),
  contexts: z.array(z.number()).nullish(),
  dm_permission: z.boolean().nullish(),
});
export type CommandBody = z.infer<typeof commandShape>;

/** Every component, nested ones included, outer before inner. */
export function everyComponent(components: readonly Component[]): Component[] {
  return components.flatMap((one) => [
    one,
    ...everyComponent(one.components ?? []),
    ...everyComponent(one.component ? [one.component] : []),
    ...everyComponent(one.accessory ? [one.accessory] : []),
  ]);
}

/** The addresses of pictures and files that a component shows. */
export function mediaOf(component: Component): string[] {
  return [component.file, component.media, ...(component.items ?? []).map((item) => item.media)].flatMap(
    (one) => (one ? [one.url] : []),
  );
}
