/** The frame of every tool-use environment: the task's text, the list of tools, and calls for `solution`. */
import { gradeLine, taskKeys } from "./conventions.ts";
import { className } from "./game.ts";
import { type Design, tagsLine, turnsOf } from "./mechanic.ts";
import { proseLines } from "./prose.ts";
import { js, quote, quoteAll, say } from "./write.ts";

export interface ToolParameter {
  readonly name: string;
  readonly type: "string" | "integer";
  /** A JavaScript expression for the allowed values of a string. */
  readonly values?: string;
  /** JavaScript expressions for the range of an integer. */
  readonly range?: readonly [string, string];
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly ToolParameter[];
  /** Statements; the parameters are variables of their names. */
  readonly body: string;
}

/** What a tool-use mechanic contributes. Texts may hold run-time expressions in double braces. */
export interface ToolParts {
  readonly goal: string;
  readonly rules: readonly string[];
  /** Lines between the rules and `Answer with`. */
  readonly facts: readonly string[];
  readonly answer: string;
  readonly tools: readonly Tool[];
  /** Statements of `reset`; they set `this.expectedAnswer`. */
  readonly setup: string;
  readonly methods: string;
  readonly helpers: readonly ("below" | "shuffled" | "code" | "token")[];
  /** Statements of `solution`; `this.call(name, arguments)` writes a call, `this.answer(value)` an answer. */
  readonly solution: string;
}

const helperSources = {
  below: js`
    below(count) {
      return Math.floor(Math.random() * count);
    }
  `,
  shuffled: js`
    shuffled(list) {
      const copy = list.slice();
      for (let last = copy.length - 1; last > 0; last -= 1) {
        const other = Math.floor(Math.random() * (last + 1));
        [copy[last], copy[other]] = [copy[other], copy[last]];
      }
      return copy;
    }
  `,
  code: js`
    code(prefix, count) {
      return prefix + "-" + (10 + Math.floor(Math.random() * count));
    }
  `,
  token: js`
    token(prefix) {
      return prefix + "-" + (1000 + Math.floor(Math.random() * 9000));
    }
  `,
} as const;

const idleTools: readonly { readonly name: string; readonly description: string }[] = [
  { name: "read_notice", description: "Reads what is pinned to the board." },
  { name: "ask_colleague", description: "Asks whoever is about." },
  { name: "show_calendar", description: "Shows what the day holds." },
  { name: "list_rooms", description: "Lists the rooms of the house." },
];

/** How many codes a final code is drawn from: few in the smallest sizes, where it can be guessed. */
export function codesAt(size: number): number {
  return Math.max(2, Math.round(1.6 * size));
}

/** The source of a tool-use environment. */
export function toolSource(design: Design, parts: ToolParts): string {
  const { random, theme } = design;
  const turns = turnsOf(design);
  const idle: Tool[] = random
    .shuffle(idleTools)
    .slice(0, design.distractors)
    .map(({ name, description }) => ({
      name,
      description,
      parameters: [],
      body: `return { notes: ${quoteAll(random.shuffle(theme.names.slice(0, 30)).slice(0, 2 + random.below(3)))} };`,
    }));
  const tools = random.shuffle([...parts.tools, ...idle]);
  const lines = [
    ...proseLines(design),
    `Goal: ${parts.goal}`,
    "Rules:",
    ...parts.rules.map((rule) => `- ${rule}`),
    ...parts.facts,
    `${taskKeys.answer}: ${parts.answer}`,
    gradeLine(design.size, turns),
  ];
  return `${js`
    ${tagsLine(design)}
    class ${className(theme.title)} extends ToolUseBaseEnv {
      static maxTurns = ${turns};

      reset(seed) {
        ${parts.setup}
        return { observation: this.task(), info: {} };
      }

      task() {
        return [
          ${lines.map((line) => `${say(line)},`)}
        ].join("\n");
      }

      tools() {
        return [
          ${tools.map((tool) => `${definition(tool)},`)}
        ];
      }

      tool(name, description, properties) {
        return { name, description, parameters: { type: "object", properties, required: Object.keys(properties) } };
      }

      ${tools.map(method).join("\n\n")}

      ${parts.methods}

      solution() {
        ${parts.solution}
      }

      call(name, args) {
        return "<tool_call>" + JSON.stringify({ name, arguments: args }) + "</tool_call>";
      }

      answer(value) {
        return "<answer>" + value + "</answer>";
      }

      ${parts.helpers.map((name) => helperSources[name]).join("\n\n")}
    }
  `}\n`;
}

function definition(tool: Tool): string {
  const properties = tool.parameters.map((parameter) => `${parameter.name}: ${schemaOf(parameter)}`);
  const written = properties.length === 0 ? "{}" : `{ ${properties.join(", ")} }`;
  return `this.tool(${quote(tool.name)}, ${quote(tool.description)}, ${written})`;
}

function schemaOf({ type, values, range }: ToolParameter): string {
  if (values !== undefined) return `{ type: ${quote(type)}, enum: ${values} }`;
  if (range !== undefined) return `{ type: ${quote(type)}, minimum: ${range[0]}, maximum: ${range[1]} }`;
  return `{ type: ${quote(type)} }`;
}

function method(tool: Tool): string {
  const names = tool.parameters.map((parameter) => parameter.name);
  return js`
    tool_${tool.name}(${names.length === 0 ? "" : `{ ${names.join(", ")} }`}) {
      ${tool.body}
    }
  `;
}
