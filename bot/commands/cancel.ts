/** `cancel`: ends a round for good. */
import { card, text } from "../cards/card.ts";
import { defineCommand } from "./command.ts";
import { roundArgument } from "./shared.ts";

export const cancel = defineCommand({
  name: "cancel",
  summary: "End a round for good; what it designed and played is kept",
  role: "researcher",
  options: { id: roundArgument },
  async run({ id }, caller, context) {
    const services = await context.services();
    const { cancelRound } = await import("../../graph/control.ts");
    const record = await cancelRound(services, id, caller.name);
    return {
      card: card(`Round ${record.id}: ${record.status}`, {
        tone: "warning",
        blocks: [text("What it designed and played so far is kept.")],
        buttons: [{ label: "Read its episodes", command: "episodes", options: { id: record.id } }],
      }),
      json: { roundId: record.id, status: record.status },
    };
  },
});
