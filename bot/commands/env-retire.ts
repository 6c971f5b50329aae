/** `env retire`: takes an environment out of play. */
import { z } from "zod";
import { card, text } from "../cards/card.ts";
import { defineCommand } from "./command.ts";
import { environmentArgument } from "./shared.ts";

export const envRetire = defineCommand({
  name: "env retire",
  summary: "Take an environment out of play; what is known of it stays",
  role: "admin",
  options: {
    id: environmentArgument,
    reason: {
      kind: "long-text",
      summary: "why, in words",
      schema: z.string().trim().min(1).max(2_000).optional(),
      placeholder: "TEXT",
    },
  },
  async run({ id, reason }, caller, context) {
    const services = await context.services();
    const { retire } = await import("../../graph/decisions.ts");
    const record = await retire(services, id, caller.name, reason ?? null);
    return {
      card: card(`${record.id} ${record.name}: ${record.status}`, {
        tone: "warning",
        blocks: [
          text(
            `By ${caller.name}${reason === undefined ? "." : `: ${reason}`}\nNo round plays it any more, and no designer is shown it as an example.`,
          ),
        ],
      }),
      json: { id: record.id, status: record.status, reason: record.reason },
    };
  },
});
