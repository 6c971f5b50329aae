/** `hint edit`: changes the designer's hint of an environment that waits for approval. */
import { card, verbatim } from "../cards/card.ts";
import { defineCommand } from "./command.ts";
import { hintOptions } from "./shared.ts";

export const hintEdit = defineCommand({
  name: "hint edit",
  summary: "Change the designer's hint; its environment must wait for approval",
  details:
    "The hint is checked as the designer's own is: one that gives a solution away is refused. Later, `hint add` gives an environment another hint beside the designer's.",
  examples: ["hint edit r1-1 'Halve the interval with every guess.'"],
  role: "researcher",
  options: hintOptions,
  async run({ id, text }, caller, context) {
    const services = await context.services();
    const { editHint } = await import("../../graph/hints/edit.ts");
    const record = await editHint(services, id, text, caller.name);
    const json = { environmentId: record.id, hintId: record.hintId, editedBy: caller.name };
    if (context.team !== null) {
      const { approvalCardOf } = await import("../chat/approval-desk.ts");
      const asked = (await services.store.approvals.waiting()).find((one) => one.environmentId === id);
      const drawn = asked === undefined ? null : await approvalCardOf(services, asked, context.team.moment);
      if (drawn !== null) return { card: drawn, json, replaces: true };
    }
    return {
      card: card(`Hint of ${record.id} ${record.name}`, {
        tone: "good",
        blocks: [verbatim(`As ${caller.name} wrote it`, text)],
        buttons: [{ label: "Approve it", command: "approve", options: { id } }],
      }),
      json,
    };
  },
});
