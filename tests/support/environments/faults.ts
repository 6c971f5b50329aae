/** Environments with one fault each: good ones with a line or two changed, so that exactly one gate fails. */
import type { Fault } from "./fault.ts";
import { faultsOfForm } from "./faults-of-form.ts";
import { faultsOfPlay } from "./faults-of-play.ts";

export const faults: readonly Fault[] = [...faultsOfForm, ...faultsOfPlay];
