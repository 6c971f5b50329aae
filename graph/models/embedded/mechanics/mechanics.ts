/** All mechanics: those that the designer writes, and the held-out relatives that only evaluation plays. */
import type { EnvironmentKind } from "../../../../config/words.ts";
import { circuit } from "./circuit.ts";
import { codeLock } from "./code-lock.ts";
import { fileCabinet } from "./file-cabinet.ts";
import { glossary } from "./glossary.ts";
import { heldOutMechanics } from "./held-out/source.ts";
import { intervalSearch } from "./interval-search.ts";
import { keyMap } from "./key-map.ts";
import { knapsack } from "./knapsack.ts";
import { leakSweep } from "./leak-sweep.ts";
import { ledger } from "./ledger.ts";
import type { Mechanic } from "./mechanic.ts";
import { orderDesk } from "./order-desk.ts";
import { repairRound } from "./repair-round.ts";
import { schedule } from "./schedule.ts";
import { sequenceRecall } from "./sequence-recall.ts";
import { trading } from "./trading.ts";

export const mechanics: readonly Mechanic[] = [
  intervalSearch,
  codeLock,
  keyMap,
  trading,
  knapsack,
  circuit,
  sequenceRecall,
  schedule,
  glossary,
  leakSweep,
  orderDesk,
  fileCabinet,
  ledger,
  repairRound,
  ...heldOutMechanics,
];

/** The mechanics of a kind that the designer chooses among, in a fixed order. */
export function mechanicsOf(kind: EnvironmentKind): readonly Mechanic[] {
  return mechanics.filter((mechanic) => mechanic.kind === kind && !mechanic.heldOut);
}

/** A mechanic by name, held-out ones included; null if there is none. */
export function mechanicNamed(name: string): Mechanic | null {
  return mechanics.find((mechanic) => mechanic.name === name) ?? null;
}
