/**
 * Schemas: what Discord's published description says of a request's body. The zod schemas of `discord-api-spec` are
 * turned to JSON Schema once a version (the result is kept beside the installed packages, because turning takes most
 * of a second), and validators are compiled once a process.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { z } from "zod";

/** The package ships no types for this entry, so it is imported by a name that the compiler doesn't follow. */
const untypedSpec: string = "discord-api-spec/zod";

type Schema = Readonly<Record<string, unknown>>;

const schemaShape = z.record(z.string(), z.unknown());
const definitionsShape = z.record(z.string(), schemaShape);
const installed = new URL("../../../node_modules/", import.meta.url);
const cacheFolder = new URL(".cache/spadework/", installed);

/** The schemas of the bodies that a bot sends. Compiled at the start, so that no request waits for it. */
const used = [
  "ApplicationCommandUpdateRequest",
  "ApplicationCommandAutocompleteCallbackRequest",
  "CreateMessageInteractionCallbackRequest",
  "UpdateMessageInteractionCallbackRequest",
  "ModalInteractionCallbackRequest",
  "IncomingWebhookInteractionRequest",
  "IncomingWebhookUpdateForInteractionCallbackRequestPartial",
  "IncomingWebhookRequestPartial",
  "IncomingWebhookUpdateRequestPartial",
  "MessageCreateRequest",
  "MessageEditRequestPartial",
  "CreateTextThreadWithMessageRequest",
  "CreateTextThreadWithoutMessageRequest",
  "UpdateThreadRequestPartial",
  "CreatePrivateChannelRequest",
] as const;

/** Raised when the turning below changes, so that an older result isn't read. */
const turning = 3;

/** What is wrong with a body by the schema of that name, one text a fault; empty when nothing is. */
export type SchemaName = (typeof used)[number];
export type CheckSchema = (name: SchemaName, body: unknown) => string[];

let loaded: Promise<CheckSchema> | null = null;

/** Loads the schemas, once a process. */
export function loadSchemas(): Promise<CheckSchema> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<CheckSchema> {
  const definitions = await definitionsOf();
  const ajv = new Ajv2020({
    allErrors: true,
    formats: {
      uri: (text: string) => URL.canParse(text),
      "date-time": (text: string) => !Number.isNaN(Date.parse(text)),
    },
    // The schemas are right by construction; checking them and tuning their code takes longer than a test uses them.
    strict: false,
    validateSchema: false,
    meta: false,
    code: { optimize: false },
  });
  ajv.addSchema({ $id: "discord", $defs: definitions });
  const validators = new Map<SchemaName, ValidateFunction>();
  for (const name of used) {
    if (definitions[name] === undefined) throw new Error(`discord-api-spec has no schema ${name}`);
    validators.set(name, ajv.compile({ $ref: `discord#/$defs/${name}` }));
  }
  return (name, body) => {
    const validate = validators.get(name);
    if (validate === undefined || validate(body)) return [];
    return [...new Set((validate.errors ?? []).filter(tells).map(sentenceOf))];
  };
}

/** The frames around a fault say nothing that the fault itself does not. */
function tells(error: ErrorObject): boolean {
  return error.keyword !== "if";
}

function sentenceOf({ instancePath, message, params }: ErrorObject): string {
  const more = "additionalProperty" in params ? ` (${String(params.additionalProperty)})` : "";
  const allowed = "allowedValues" in params ? ` (${JSON.stringify(params.allowedValues)})` : "";
  return `${instancePath === "" ? "body" : instancePath.slice(1)} ${message ?? "is wrong"}${more}${allowed}`;
}

async function definitionsOf(): Promise<Readonly<Record<string, Schema>>> {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(new URL("discord-api-spec/package.json", installed), "utf8")));
  const file = new URL(`discord-api-spec-${version}-${turning}.json`, cacheFolder);
  try {
    return definitionsShape.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    const definitions = await turn();
    try {
      mkdirSync(cacheFolder, { recursive: true });
      // Test files run at once: none may read a half-written file.
      const own = new URL(`${file.href}.${process.pid}`);
      writeFileSync(own, JSON.stringify(definitions));
      renameSync(own, file);
    } catch {
      // A folder that can't be written to only costs the time to turn them again.
    }
    return definitions;
  }
}

async function turn(): Promise<Readonly<Record<string, Schema>>> {
  const spec: Readonly<Record<string, unknown>> = await import(/* @vite-ignore */ untypedSpec);
  const registry = z.registry<{ id: string }>();
  for (const [name, value] of Object.entries(spec)) {
    if (name.endsWith("Schema") && value instanceof z.core.$ZodType) {
      registry.add(value, { id: name.slice(0, -"Schema".length) });
    }
  }
  const { schemas } = z.toJSONSchema(registry, {
    io: "input",
    unrepresentable: "any",
    uri: (id) => `#/$defs/${id}`,
  });
  const plain = definitionsShape.parse(schemas);
  return Object.fromEntries(
    Object.entries(plain).map(([name, schema]) => {
      const { $schema: _draft, $id: _id, ...rest } = schema;
      return [name, schemaShape.parse(strict(rest, plain))];
    }),
  );
}

/** Closes objects, and turns unions into conditions so that a fault is told of the one that was meant. */
function strict(node: unknown, all: Readonly<Record<string, Schema>>): unknown {
  if (Array.isArray(node)) return node.map((one) => strict(one, all));
  const parsed = schemaShape.safeParse(node);
  if (!parsed.success || node === null) return node;
  const turned: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(parsed.data)) turned[key] = strict(value, all);
  if (turned.type === "object" && turned.properties !== undefined && !("additionalProperties" in turned)) {
    turned.additionalProperties = false;
  }
  return Array.isArray(turned.anyOf) ? union(turned, z.array(schemaShape).parse(turned.anyOf), all) : turned;
}

function union(node: Schema, members: readonly Schema[], all: Readonly<Record<string, Schema>>): Schema {
  const { anyOf: _members, ...rest } = node;
  // `undefined` in a union turns into a schema that takes anything.
  const real = members.filter((member) => member.type !== "null" && Object.keys(member).length > 0);
  const nullable = members.some((member) => member.type === "null");
  const types = real.map((member) => typesOf(member, all));
  let meant: Schema;
  if (real.length === 1) meant = real[0] ?? {};
  else if (types.every((list) => list.length > 0)) {
    meant = {
      type: "object",
      required: ["type"],
      properties: { type: { enum: types.flat() } },
      allOf: real.map((member, index) => ({
        if: { required: ["type"], properties: { type: { enum: types[index] } } },
        // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word.
        then: member,
      })),
    };
  } else meant = { anyOf: real };
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word.
  return nullable ? { ...rest, if: { type: "null" }, then: true, else: meant } : { ...rest, ...meant };
}

/** The literal values of `type` that a member of a union takes; empty when it has none. */
function typesOf(member: Schema, all: Readonly<Record<string, Schema>>): unknown[] {
  const target = typeof member.$ref === "string" ? all[member.$ref.replace("#/$defs/", "")] : member;
  const shape = z.object({ properties: z.object({ type: schemaShape }) }).safeParse(target);
  if (!shape.success) return [];
  const { const: only, enum: several } = shape.data.properties.type;
  return only !== undefined ? [only] : Array.isArray(several) ? several : [];
}
