/** The procedure of every strategy. */
import type { Strategy } from "../mechanics/concepts.ts";
import { bisect } from "./strategies/bisect.ts";
import { dependency } from "./strategies/dependency.ts";
import { eliminate } from "./strategies/eliminate.ts";
import { explore } from "./strategies/explore.ts";
import { random } from "./strategies/random.ts";
import { ratio } from "./strategies/ratio.ts";
import { recall } from "./strategies/recall.ts";
import { sweep } from "./strategies/sweep.ts";
import { toggle } from "./strategies/toggle.ts";
import { trend } from "./strategies/trend.ts";
import type { Procedure } from "./view.ts";

export const procedures: Readonly<Record<Strategy, Procedure>> = {
  random,
  sweep,
  bisect,
  eliminate,
  explore,
  ratio,
  trend,
  toggle,
  recall,
  dependency,
};
