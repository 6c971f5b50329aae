/** Plays in a chat for tests: environments that are in the store, people who play, and cards read as people read them. */
import type { Caller } from "../../bot/caller.ts";
import type { Button, Card } from "../../bot/cards/card.ts";
import type { EnvironmentRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { anEnvironment } from "../contract/store-records.ts";

export const ada: Caller = { id: "11", name: "Ada", role: "researcher", surface: "discord" };
export const bo: Caller = { id: "22", name: "Bo", role: "viewer", surface: "discord" };

/** A door that opens after `open` was said three times; `slam` loses. Its seed is shown. */
export const door = `class DoorEnv {
  static maxTurns = 6;
  reset(seed) { this.n = 0; this.turn = 0; return { observation: "Door " + seed + ".\\nCommands: open | slam | wait", info: {} }; }
  step(action) {
    this.turn += 1;
    const said = /\\\\boxed\\{(.*)\\}/.exec(action)[1];
    if (said === "open") this.n += 1;
    const won = this.n >= 3, lost = said === "slam";
    return { observation: won ? "It is open." : lost ? "It is shut for good." : "Opened " + this.n + " of 3 after " + said + ".",
      reward: won ? 1 : this.n / 10, terminated: won || lost, truncated: !won && !lost && this.turn >= 6, info: {} };
  }
  solution() { return ["open", "open", "open"]; }
}`;

export async function keepEnvironment(
  store: Store,
  source: string,
  over: Partial<EnvironmentRecord> & { readonly id: string },
): Promise<EnvironmentRecord> {
  const record = anEnvironment({ maxTurns: 6, sourceId: await store.texts.put(source), ...over });
  await store.environments.insert(record);
  return record;
}

export function buttonOf(card: Card, label: string): Button {
  const found = card.buttons.find((button) => button.label === label);
  if (found === undefined)
    throw new Error(`no ${label} among ${card.buttons.map((one) => one.label).join(", ")}`);
  return found;
}
