/** What the scripted server says: it recognises its role and the situation from the messages, as a model does. */
import { keyedRandom } from "../../../config/random.ts";
import { agentRole } from "../../../graph/prompts/agent.ts";
import { designerRole } from "../../../graph/prompts/designer.ts";
import { readFields, readSections } from "../../../graph/prompts/sections.ts";
import { brokenCode, codeWithoutClass, hugeCode, nothing, prose } from "./bad.ts";
import type { Design } from "./design.ts";
import { dialConsole, ropeBridge, shelfSearch } from "./games.ts";
import { badgeOffice, orderDesk } from "./tool-use.ts";

/** Every design there is a script for. */
export const designs = {
  shelfSearch,
  dialConsole,
  /** Fails a gate at first, and is admitted once repaired. */
  ropeBridge,
  orderDesk,
  badgeOffice,
  prose,
  brokenCode,
  codeWithoutClass,
  hugeCode,
  nothing,
} as const satisfies Record<string, Design>;

/** What is dealt when nothing else is asked for: environments of the asked kind that differ from each other. */
const dealtByKind = {
  game: [shelfSearch, dialConsole, ropeBridge],
  "tool-use": [orderDesk, badgeOffice],
} as const;

export type Situation = "design" | "repair" | "hint" | "hint-again" | "play" | "unknown";

export interface Said {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** What a conversation asks for. */
export function situationOf(messages: readonly Said[]): Situation {
  const system = messages[0]?.content ?? "";
  const answered = messages.some(({ role }) => role === "assistant");
  if (system.startsWith(agentRole)) return "play";
  if (!system.startsWith(designerRole)) return "unknown";
  const asksForHint = readSections(messages[1]?.content ?? "").some(({ name }) => name === "source");
  if (asksForHint) return answered ? "hint-again" : "hint";
  return answered ? "repair" : "design";
}

/** Deals designs and answers as both roles. */
export class Script {
  readonly #dealt: readonly Design[] | null;
  readonly #count = new Map<string, number>();

  /** `dealt`: the designs in the order in which they are asked for, from the start again at the end. */
  constructor(dealt: readonly Design[] | null) {
    this.#dealt = dealt;
  }

  /** The answer; it follows from the messages and the seed, and for a new design from how many were dealt before. */
  answer(messages: readonly Said[], seed: number): string {
    const asked = messages[1]?.content ?? "";
    switch (situationOf(messages)) {
      case "design":
        return this.#deal(readFields(asked).kind === "tool-use" ? "tool-use" : "game").answers[0] ?? "";
      case "repair":
        return repaired(messages);
      case "hint":
      case "hint-again": {
        const source = readSections(asked).find(({ name }) => name === "source")?.body ?? "";
        return (
          Object.values(designs).find(({ name }) => source.includes(`class ${name} `))?.hint ??
          "Look closely."
        );
      }
      case "play":
        return played(messages, seed);
      case "unknown":
        return "I was told neither to design nor to play.";
    }
  }

  #deal(kind: keyof typeof dealtByKind): Design {
    const key = this.#dealt === null ? kind : "all";
    const list = this.#dealt ?? dealtByKind[kind];
    const count = this.#count.get(key) ?? 0;
    this.#count.set(key, count + 1);
    const design = list[count % list.length];
    if (design === undefined) throw new RangeError("a script needs a design");
    return design;
  }
}

/** The next answer of the design that the first one belongs to. */
function repaired(messages: readonly Said[]): string {
  const answers = messages.filter(({ role }) => role === "assistant").map(({ content }) => content.trim());
  const first = answers[0] ?? "";
  const design = Object.values<Design>(designs).find(({ answers: [own = ""] }) =>
    own === "" ? first === "(empty answer)" : first.startsWith(own.trim().slice(0, 1_000)),
  );
  return design?.answers[answers.length] ?? design?.answers.at(-1) ?? "I don't know what to repair.";
}

/** With a hint it plays well in every turn, without one in about half of them. */
function played(messages: readonly Said[], seed: number): string {
  const opening = messages[1]?.content ?? "";
  const hinted = readSections(opening).some(({ name }) => name === "hint");
  const random = keyedRandom("scripted play", seed);
  const first = opening.split("\n\n<hint>")[0] ?? "";
  const rest = messages.slice(2);
  const design = Object.values<Design>(designs).find(({ knows }) => knows(first));
  if (design === undefined) return "I don't know this environment.\n\\boxed{look}";
  return design.play({
    first,
    said: rest.filter(({ role }) => role === "assistant").map(({ content }) => content),
    heard: rest.filter(({ role }) => role === "user").map(({ content }) => content),
    careful: hinted || random.next() < 0.5,
    random,
  });
}
