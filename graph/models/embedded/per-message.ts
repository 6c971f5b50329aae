/**
 * Reading a message once: a player is shown the whole conversation again at every turn, and what an old message says
 * is worked out only the first time.
 */
import type { BaseMessage } from "@langchain/core/messages";

/** `work`, done once for each object and kept as long as the object lives. The result must depend on nothing else. */
export function oncePer<K extends object, T>(work: (of: K) => T): (of: K) => T {
  const known = new WeakMap<K, { readonly value: T }>();
  return (of) => {
    let found = known.get(of);
    if (found === undefined) {
      found = { value: work(of) };
      known.set(of, found);
    }
    return found.value;
  };
}

/** What was made of a text, kept with the message that it stands in, and made anew should the text be another one. */
export class PerMessage<T> {
  readonly #known = new WeakMap<BaseMessage, { readonly text: string; readonly value: T }>();

  of(message: BaseMessage, text: string, work: (text: string) => T): T {
    const known = this.#known.get(message);
    if (known !== undefined && known.text === text) return known.value;
    const value = work(text);
    this.#known.set(message, { text, value });
    return value;
  }
}
