/** What a person's hint is worth beside the designer's, in words. */
import { score, withError } from "./numbers.ts";

/** Mean hinted-human return − mean hinted return with its standard error; null where it can't be said. */
export interface Lift {
  readonly humanLift: number | null;
  readonly humanLiftStderr: number | null;
}

/** One sentence; null where there is nothing to compare. */
export function liftText({ humanLift, humanLiftStderr }: Lift): string | null {
  if (humanLift === null) return null;
  if (Number(score(humanLift)) === 0) {
    return `A person's hint returns as much as its designer's (${withError(0, humanLiftStderr)}).`;
  }
  const size = withError(Math.abs(humanLift), humanLiftStderr);
  return `A person's hint returns ${size} ${humanLift > 0 ? "more" : "less"} than its designer's.`;
}
