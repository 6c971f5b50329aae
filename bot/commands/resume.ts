/** `resume`: goes on with a round that was interrupted, waits, or failed. */
import { defineCommand } from "./command.ts";
import { runAndAnswer } from "./run-round.ts";
import { roundArgument } from "./shared.ts";

export const resume = defineCommand({
  name: "resume",
  summary: "Go on with a round that was interrupted, waited or failed; show a finished one",
  details: "Finished episodes are kept and never played again.",
  role: "researcher",
  options: { id: roundArgument },
  async run({ id }, caller, context) {
    return runAndAnswer(context, await context.services(), id, caller);
  },
});
