/** `audit`: who changed what in the lab. */
import { z } from "zod";
import { auditCard } from "../cards/audit-card.ts";
import { defineCommand } from "./command.ts";

/** Entries of a page: what a phone shows without an end of scrolling. */
const pageEntries = 20;

export const audit = defineCommand({
  name: "audit",
  summary: "Show who changed what in the lab, newest first",
  role: "admin",
  audience: "caller",
  options: {
    limit: {
      kind: "whole-number",
      summary: "entries of a page",
      schema: z.number().int().min(1).max(1_000).default(pageEntries),
      placeholder: "N",
      fallback: String(pageEntries),
    },
    after: {
      kind: "text",
      summary: "where the page before ended, as it says",
      schema: z.string().trim().min(1).max(200).optional(),
      placeholder: "MARK",
    },
  },
  async run({ limit, after }, _caller, context) {
    const { store } = await context.services();
    const { items, next } = await store.audit.list({ limit, after });
    const older =
      next === null ? null : { label: "Older entries", command: "audit", options: { limit, after: next } };
    return {
      card: auditCard(items, older),
      json: {
        entries: items.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() })),
        next,
      },
      ...(after === undefined ? {} : { replaces: true as const }),
    };
  },
});
