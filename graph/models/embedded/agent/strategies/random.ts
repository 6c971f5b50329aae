/** Random: no plan at all; any legal action will do. */
import type { View } from "../view.ts";

export function random(_view: View): string | null {
  return null;
}
