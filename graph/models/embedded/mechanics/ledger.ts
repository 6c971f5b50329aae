/** Ledger: pages of records to be read one by one, and a number to be made of the rows that count. */
import { type Aggregate, aggregatePhrase } from "./conventions.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "./mechanic.ts";
import { constant } from "./theme.ts";
import { type Tool, toolSource } from "./tool-use.ts";
import { js, quote, quoteAll } from "./write.ts";

const operations = ["sum", "count", "largest"] as const;

export const ledger: Mechanic = {
  name: "ledger",
  kind: "tool-use",
  concept: "sweep",
  cueOffset: 3,
  skills: { "Data Retrieval": 2, "Tool Selection": 1, "API Orchestration": 0.5 },
  topics: "account ledger tax bank population statistics census data sales report survey count".split(" "),
  rules: [
    { name: "operation", options: operations },
    { name: "filter", options: ["kind", "other", "least"] },
    { name: "access", options: ["page", "section"] },
    { name: "faults", options: ["none", "busy"] },
    { name: "detail", options: ["plain", "twice"] },
  ],
  heldOut: false,
  phases: [
    "read every page once, from the first to the last",
    "note the rows that the question is about",
    "work the number out at the end and give it",
  ],
  answerFormat: "one tool call a turn, at last the number as the answer",
  write,
};

function write(design: Design): string {
  const { random, theme } = design;
  const operation = operations.find((one) => one === branch(design, "operation")) ?? "sum";
  const filter = branch(design, "filter");
  const sections = branch(design, "access") === "section";
  const busy = branch(design, "faults") === "busy" ? 1 + random.below(2) : 0;
  const twice = branch(design, "detail") === "twice";
  const pages = Math.max(2, stepsNeeded(design.size) - 1 - busy);
  const field = random.pick(["amount", "weight", "hours", "price"]);
  const key = random.pick(["kind", "state", "region", "grade"]);
  const kinds = theme.names.slice(0, constant(theme, random, 2, 4));
  const items = theme.names.slice(8, 8 + 2 * pages);
  const names = theme.names.slice(30, 30 + pages);
  const rows = constant(theme, random, 3, 5);
  const [low, high] = [constant(theme, random, 2, 20), constant(theme, random, 40, 120)];
  const least = low + constant(theme, random, 8, 20);
  const question: Aggregate =
    filter === "least"
      ? { operation, field, key: field, relation: "is at least", value: String(least) }
      : { operation, field, key, relation: filter === "kind" ? "is" : "is not", value: "{{this.wanted}}" };
  const counts =
    filter === "least"
      ? `row.${field} >= ${least}`
      : `row.${key} ${filter === "kind" ? "===" : "!=="} this.wanted`;
  const result =
    operation === "sum"
      ? `rows.reduce((sum, row) => sum + row.${field}, 0)`
      : operation === "count"
        ? "rows.length"
        : `Math.max(...rows.map((row) => row.${field}))`;
  const tool = random.pick(sections ? ["read_section", "open_section"] : ["get_page", "read_page"]);
  const unit = sections ? "section" : "page";
  const tools: Tool[] = [
    {
      name: tool,
      description: `Shows the rows of one ${unit}.`,
      parameters: [
        sections
          ? { name: "section", type: "string", values: "this.sections" }
          : { name: "page", type: "integer", range: ["1", String(pages)] },
      ],
      body: js`
        const index = ${sections ? "this.sections.indexOf(section)" : "Number(page) - 1"};
        const rows = this.pages[index];
        if (!rows) return { error: "there is no such ${unit}" };
        ${
          busy > 0 &&
          js`
            if (this.busy.includes(index)) {
              this.busy = this.busy.filter((other) => other !== index);
              return { error: "the ${unit} is being written", retry: true };
            }
          `
        }
        return { ${unit}, rows };
      `,
    },
    ...(twice
      ? [
          {
            name: "count_rows",
            description: "Says how many rows there are in all, whatever they are.",
            parameters: [],
            body: "return { rows_in_all: this.pages.flat().length };",
          },
        ]
      : []),
  ];
  return toolSource(design, {
    goal: `answer a question about all ${pages} ${unit}s of the ${theme.thing}.`,
    rules: [
      `Every ${unit} has rows with item, ${field} and ${key}.`,
      `The question is about the rows of all ${unit}s together.`,
      ...(busy > 0 ? [`A ${unit} may be written at the moment; the same call works afterwards.`] : []),
      "There is one answer, and it is final.",
    ],
    facts: [],
    answer: aggregatePhrase(question),
    tools,
    setup: js`
      const items = ${quoteAll(items)};
      const kinds = ${quoteAll(kinds)};
      ${sections && `this.sections = this.shuffled(${quoteAll(names)});`}
      this.wanted = kinds[this.below(kinds.length)];
      this.pages = Array.from({ length: ${pages} }, () =>
        Array.from({ length: 1 + this.below(${2 * rows}) }, () => ({
          item: items[this.below(items.length)],
          ${field}: ${low} + this.below(${high}),
          ${key}: kinds[this.below(kinds.length)],
        })),
      );
      Object.assign(this.pages[this.below(${pages})][0], { ${filter === "least" ? `${field}: ${least} + this.below(${high})` : `${key}: ${filter === "kind" ? "this.wanted" : "kinds.find((kind) => kind !== this.wanted)"}`} });
      ${busy > 0 && `this.busy = this.shuffled(this.pages.map((_, i) => i)).slice(0, ${busy});`}
      const rows = this.pages.flat().filter((row) => ${counts});
      this.expectedAnswer = String(${result});
    `.replace(filter === "least" ? /this\.wanted = .*\n/ : /$^/, ""),
    methods: "",
    helpers: sections || busy > 0 ? ["below", "shuffled"] : ["below"],
    solution: js`
      const calls = [];
      for (let i = 0; i < ${pages}; i += 1) {
        const call = this.call(${quote(tool)}, { ${sections ? "section: this.sections[i]" : "page: i + 1"} });
        calls.push(call);
        ${busy > 0 && "if (this.busy.includes(i)) calls.push(call);"}
      }
      return calls.concat(this.answer(this.expectedAnswer));
    `,
  });
}
