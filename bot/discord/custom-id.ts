/**
 * What a button or a form stands for, written into its `custom_id`: a command, options, and which options are asked
 * for. Nothing has to be remembered for it, so buttons work after a restart. Anyone can send any id, so reading one
 * believes nothing.
 */
import { z } from "zod";
import { ChatError, InputError, SpadeworkError } from "../../config/errors.ts";
import type { TextStore } from "../../store/store.ts";
import { limits } from "./limits-of-text.ts";

/** `press` runs the command, or opens a form if something is asked for; `form` is the form that was sent back. */
export type IdKind = "press" | "form";

export interface Meaning {
  readonly kind: IdKind;
  readonly command: string;
  /** Options that are settled. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** Keys of options that whoever presses it is asked for. */
  readonly ask: readonly string[];
}

const letters = { press: "p", form: "f" } as const satisfies Record<IdKind, string>;

/** Command, options, what is asked for, and a number that tells apart buttons of one message that do the same. */
const written = z.tuple([
  z.string().min(1).max(65),
  z.record(z.string().max(100), z.union([z.string(), z.number(), z.boolean()])),
  z.array(z.string().max(100)).max(25),
  z.number().int().min(0).max(99),
]);

const kept = /^[0-9a-f]{64}$/;

/**
 * The `custom_id` for a meaning, 1 to 100 characters. What does not fit goes into `texts`, and the id names it.
 * `among`: how many with the same meaning stand before it in the message.
 */
export async function writeId(meaning: Meaning, texts: TextStore, among = 0): Promise<string> {
  const { kind, command, options, ask } = meaning;
  const json = JSON.stringify([command, options, ask, among]);
  if (json.length + 1 <= limits.customId) return letters[kind] + json;
  return letters[kind] + (await texts.put(json));
}

function notOurs(cause?: unknown): InputError {
  return new InputError("input.bad-option", "The lab did not make this button or form.", { cause });
}

async function keptText(id: string, texts: TextStore): Promise<string> {
  try {
    return await texts.get(id);
  } catch (error) {
    if (!(error instanceof SpadeworkError) || error.code !== "store.not-found") throw error;
    throw new ChatError("chat.gone", "What this button stood for is not kept here any more.", {
      cause: error,
    });
  }
}

/**
 * What a `custom_id` stands for. The command may not exist and the options may not fit it: running it checks both.
 * Throws `input.bad-option` for an id that the lab did not write, `chat.gone` for one whose text is no longer kept.
 */
export async function readId(customId: string, texts: TextStore): Promise<Meaning> {
  const kind = customId.startsWith(letters.press)
    ? "press"
    : customId.startsWith(letters.form)
      ? "form"
      : null;
  if (kind === null || customId.length > limits.customId) throw notOurs();
  const rest = customId.slice(1);
  const json = kept.test(rest) ? await keptText(rest, texts) : rest;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw notOurs(error);
  }
  const parsed = written.safeParse(value);
  if (!parsed.success) throw notOurs(parsed.error);
  const [command, options, ask] = parsed.data;
  return { kind, command, options, ask };
}
