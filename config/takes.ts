/** What a schema takes, in words that a person can act on: "a whole number from 1 to 1024", "one of game, tool-use". */
import { z } from "zod";

const described = z.object({
  type: z.string().optional(),
  enum: z.array(z.union([z.string(), z.number()])).optional(),
  const: z.union([z.string(), z.number(), z.boolean()]).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  pattern: z.string().optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
  get items() {
    return described.optional();
  },
  get anyOf() {
    return z.array(described).optional();
  },
  get properties() {
    return z.record(z.string(), described).optional();
  },
});

/** The part of a JSON Schema that Spadework's own schemas use. */
export type Described = z.infer<typeof described>;

/** A zod schema as plain data. */
export function describe(schema: z.ZodType): Described {
  return described.parse(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
}

/** Discord's ids. */
export const idPattern = "^\\d{1,20}$";

/** Bounds that say nothing to a person: zod writes the limits of safe integers out. */
const boundless = Number.MAX_SAFE_INTEGER;

function range(minimum: number | undefined, maximum: number | undefined): string {
  const from = minimum === undefined || minimum <= -boundless ? null : minimum;
  const to = maximum === undefined || maximum >= boundless ? null : maximum;
  if (from !== null && to !== null) return ` from ${from} to ${to}`;
  if (from !== null) return ` of at least ${from}`;
  return to === null ? "" : ` of at most ${to}`;
}

/** What a value must be, as a noun phrase. */
export function takesOf(schema: Described): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(", ")}`;
  if (schema.const !== undefined) return String(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map(takesOf).join(" or ");
  switch (schema.type) {
    case "integer":
      return `a whole number${range(schema.minimum, schema.maximum)}`;
    case "number":
      return `a number${range(schema.minimum, schema.maximum)}`;
    case "boolean":
      return "true or false";
    case "array":
      return `a list, each ${schema.items === undefined ? "a text" : takesOf(schema.items)}`;
    case "object":
      return "a group of settings";
    case "string":
      if (schema.pattern !== undefined && schema.description !== undefined) return schema.description;
      if (schema.pattern === idPattern) return "an id of digits";
      if (schema.maxLength !== undefined) {
        const length = schema.minLength === undefined ? "at most" : `${schema.minLength} to`;
        return `a text of ${length} ${schema.maxLength} characters`;
      }
      return schema.minLength === undefined ? "a text" : "a text that is not empty";
    default:
      return "a value";
  }
}
