/**
 * The random player: draws legal actions, knowing what any newcomer could know (the observations of its episode, the
 * tools) and how the solutions of other seeds are written. It never sees the solution of the seed that it plays.
 */
import type { Random } from "../../../config/random.ts";
import { wrapAction } from "../../actions.ts";
import type { EnvironmentShape, ToolDefinition } from "../../sandbox.ts";
import { type CallValues, learnCallValues, randomAnswer, randomCall } from "./calls.ts";
import { type Command, headOf, type Mined } from "./observation.ts";
import {
  areNames,
  isClosed,
  learnTemplates,
  Observations,
  type SlotValues,
  type Template,
  valuesOfOthers,
} from "./templates.ts";
import { Miner, Seen, type SlotView, slotView, valueForBlank, valueForSlot } from "./values.ts";

/**
 * `solutions`: commands as other seeds' solutions write them. `offered`: commands as the observations offer them.
 * `mixed`: both. Tool-use environments have one style, `calls`.
 */
export type PlayStyle = "solutions" | "offered" | "mixed" | "calls";

export class RandomPlayer {
  readonly #shape: EnvironmentShape;
  readonly #tools: readonly ToolDefinition[];
  readonly #templates: readonly Template[];
  readonly #values: CallValues;
  readonly #miner = new Miner();
  /** How often a command with this first word was understood, and how often it met the answer that junk gets. */
  readonly #heads = new Map<string, { understood: number; refused: number }>();
  readonly #observations: Observations;
  readonly #views = new Map<SlotValues, Map<number, SlotView>>();
  readonly #usable = new Map<number, readonly Template[]>();
  /** The commands of an observation that may be understood; all are forgotten when one turns out not to be. */
  #open = new Map<Mined, readonly Command[]>();

  /** `solutions[i]` and `observations[i]` are what `solution()` and `reset` say on seed i. */
  constructor(
    shape: EnvironmentShape,
    tools: readonly ToolDefinition[],
    solutions: readonly (readonly string[])[],
    observations: readonly string[],
  ) {
    this.#observations = new Observations(observations);
    this.#shape = shape;
    this.#tools = tools;
    // With one instance only, the solutions of other seeds are the solution itself.
    const known = shape.singleInstance ? [] : solutions;
    this.#templates = shape.kind === "game" ? learnTemplates(known) : [];
    this.#values = learnCallValues(shape.kind === "tool-use" ? known : []);
  }

  get styles(): readonly PlayStyle[] {
    if (this.#shape.kind === "tool-use") return ["calls"];
    return this.#templates.length === 0 ? ["offered"] : ["solutions", "offered", "mixed"];
  }

  /** An episode that was just reset. */
  begin(firstObservation: string): Seen {
    const seen = new Seen(this.#miner);
    seen.add(firstObservation);
    return seen;
  }

  /** A legal action in the format of the environment's kind; null if no legal action could be found at all. */
  draw(style: PlayStyle, own: number, seen: Seen, random: Random): string | null {
    if (this.#shape.kind === "tool-use") return this.#call(own, seen, random);
    const template = style === "solutions" || (style === "mixed" && random.next() < 0.5);
    const command = template
      ? (this.#fromTemplate(own, seen, random) ?? this.#offered(seen, random))
      : (this.#offered(seen, random) ?? this.#fromTemplate(own, seen, random));
    return command === null ? null : wrapAction("game", command);
  }

  /** A tool call only, never an answer; null for games and when there are no tools. */
  drawCall(own: number, seen: Seen, random: Random): string | null {
    if (this.#tools.length === 0) return null;
    return randomCall(random.pick(this.#tools), { values: this.#values, own, seen, random });
  }

  /** Whether it is still open if an action like this one is understood. */
  wondersAbout(action: string): boolean {
    const counts = this.#heads.get(headOf(unwrapped(action)));
    return counts === undefined || (counts.understood === 0 && counts.refused < refusalsBelieved);
  }

  /** Whether an action like this one was seen to be understood. */
  knows(action: string): boolean {
    return (this.#heads.get(headOf(unwrapped(action)))?.understood ?? 0) > 0;
  }

  /** Tells whether an action was understood, so that offers which turn out to be no commands are dropped. */
  learn(action: string, understood: boolean): void {
    const head = headOf(unwrapped(action));
    const counts = this.#heads.get(head) ?? { understood: 0, refused: 0 };
    const before = isOpen(counts);
    if (understood) counts.understood += 1;
    else counts.refused += 1;
    this.#heads.set(head, counts);
    if (isOpen(counts) !== before) this.#open = new Map();
  }

  #call(own: number, seen: Seen, random: Random): string {
    const context = { values: this.#values, own, seen, random };
    const choice = random.below(this.#tools.length + 1);
    const tool = this.#tools[choice];
    return tool === undefined ? randomAnswer(context) : randomCall(tool, context);
  }

  #fromTemplate(own: number, seen: Seen, random: Random): string | null {
    let usable = this.#usable.get(own);
    if (usable === undefined) {
      usable = this.#templates.filter((template) => this.#isOfOthers(template, own));
      this.#usable.set(own, usable);
    }
    if (usable.length === 0) return null;
    const { parts } = random.pick(usable);
    return parts
      .map((part) => (typeof part === "string" ? part : valueForSlot(this.#view(part, own), seen, random)))
      .join("");
  }

  /** Never with a value that only seed `own` used. */
  #view(slot: SlotValues, own: number): SlotView {
    const views = this.#views.get(slot) ?? new Map<number, SlotView>();
    this.#views.set(slot, views);
    let view = views.get(own);
    if (view === undefined) {
      view = slotView(valuesOfOthers(slot, own), isClosed(slot), areNames(slot, this.#observations));
      views.set(own, view);
    }
    return view;
  }

  /** What the own seed alone gave rise to would be its secret. */
  #isOfOthers({ parts, seeds }: Template, own: number): boolean {
    if (seeds.size === 1 && seeds.has(own)) return false;
    return parts.every((part) => typeof part === "string" || valuesOfOthers(part, own).length > 0);
  }

  #offered(seen: Seen, random: Random): string | null {
    const now = this.#openIn(seen.latest);
    const first = this.#openIn(seen.first);
    // A menu of the present moment is what can be done now; the first observation has the commands of all moments.
    const pool = now.length >= 2 && (first.length === 0 || random.next() < 0.6) ? now : first;
    if (pool.length === 0) return null;
    return random
      .pick(pool)
      .parts.map((part) => (typeof part === "string" ? part : valueForBlank(part, seen, random)))
      .join("");
  }

  #openIn(mined: Mined): readonly Command[] {
    let open = this.#open.get(mined);
    if (open === undefined) {
      open = mined.commands.filter(({ head }) => head === "" || isOpen(this.#heads.get(head)));
      this.#open.set(mined, open);
    }
    return open;
  }
}

/** A command that met the answer of junk so often, and never another one, is none. */
const refusalsBelieved = 2;

/** Whether commands with a first word of these counts may be understood. */
function isOpen(counts: { readonly understood: number; readonly refused: number } | undefined): boolean {
  return counts === undefined || counts.understood > 0 || counts.refused < refusalsBelieved;
}

function unwrapped(action: string): string {
  return action.replace(/^\\boxed\{/, "").replace(/\}$/, "");
}
