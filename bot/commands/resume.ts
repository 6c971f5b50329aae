/** `resume`: goes on with a round that was interrupted, waits, or failed. */
import { defineCommand } from "./command.ts";
import { runAndAnswer } from "./run-round.ts";
import { roundArgument, roundOf } from "./shared.ts";

export const resume = defineCommand({
  name: "resume",
  summary: "Go on with a round that was interrupted, waited or failed; show a finished one",
  details: "Finished episodes are kept and never played again.",
  role: "researcher",
  options: { id: roundArgument },
  async run({ id }, caller, context) {
    const services = await context.services();
    const { status } = await roundOf(services.store, id);
    if (status !== "finished" && status !== "cancelled") {
      const { audit } = await import("../../graph/decisions.ts");
      await audit(services, caller.name, "round.resume", id, status);
    }
    return runAndAnswer(context, services, id, caller);
  },
});
