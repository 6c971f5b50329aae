/** Held-out environments: relatives of what the designer writes, in half sizes and unseen themes, for evaluation alone. */
import { keyedRandom } from "../../../../../config/random.ts";
import type { Design, Level, Mechanic } from "../mechanic.ts";
import { themeOf } from "../theme.ts";
import { hiring } from "./hiring.ts";
import { labDesk } from "./lab-desk.ts";
import { nightWatch } from "./night-watch.ts";
import { parcelTrace } from "./parcel-trace.ts";
import { rehearsal } from "./rehearsal.ts";
import { signalBox } from "./signal-box.ts";
import { slowLock } from "./slow-lock.ts";
import { stressTest } from "./stress-test.ts";
import { heldOutThemes } from "./themes.ts";
import { tideNets } from "./tide-nets.ts";
import { tunnelRescue } from "./tunnel-rescue.ts";

export const heldOutMechanics: readonly Mechanic[] = [
  stressTest,
  slowLock,
  hiring,
  tideNets,
  signalBox,
  labDesk,
  nightWatch,
  tunnelRescue,
  rehearsal,
  parcelTrace,
];

/** Turns at most, as in the default round. */
const turnCap = 25;

/**
 * The source of held-out environment number `index`, from 0: the mechanics take turns, and each of them goes through
 * the sizes 1.5 to 15.5 and the thirty themes; `seed` draws the rest. Equal arguments give an equal source.
 */
export function heldOutSource(index: number, seed: number): string {
  return heldOutDesign(index, seed).source;
}

/** The same with what it was written from. */
export function heldOutDesign(
  index: number,
  seed: number,
): { readonly mechanic: Mechanic; readonly size: number; readonly source: string } {
  const random = keyedRandom("held-out", seed, index);
  const mechanic = heldOutMechanics[index % heldOutMechanics.length] ?? stressTest;
  const turn = Math.floor(index / heldOutMechanics.length);
  const size = 1.5 + (turn % 15);
  const level = (): Level => {
    const drawn = random.below(3);
    return drawn === 0 ? 0 : drawn === 1 ? 1 : 2;
  };
  const design: Design = {
    mechanic,
    size,
    hidden: level(),
    distractors: level(),
    budget: level(),
    turnCap,
    rules: Object.fromEntries(mechanic.rules.map((rule) => [rule.name, random.pick(rule.options)])),
    // Mechanics of one turn have themes of their own.
    theme: themeOf(heldOutThemes[(turn + 3 * index) % heldOutThemes.length] ?? "", random),
    random,
  };
  return { mechanic, size, source: mechanic.write(design) };
}
