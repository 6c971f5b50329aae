/** Parcel trace, held out: a parcel followed from depot to depot, each of which asks for the seal of the one before. */
import { knownLine } from "../conventions.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "../mechanic.ts";
import { type Tool, toolSource } from "../tool-use.ts";
import { js, quoteAll } from "../write.ts";

export const parcelTrace: Mechanic = {
  name: "parcel-trace",
  kind: "tool-use",
  concept: "explore",
  cueOffset: 5,
  skills: { "Data Retrieval": 1 },
  topics: [],
  rules: [
    { name: "faults", options: ["busy", "toll", "both"] },
    { name: "patience", options: ["endless", "limited"] },
    { name: "clerks", options: ["one", "two"] },
  ],
  heldOut: true,
  phases: [
    "visit the depot that the task names, with its seal",
    "take the depot and the seal that it names to the next visit",
    "after an error do what it says: call again, or call first what it names",
  ],
  answerFormat: "one tool call a turn, at last the value that is asked for as the answer",
  write,
};

/** A visit takes one call; a busy depot takes one more, and a toll two. */
function plan(calls: number, faults: string): { hops: number; busy: number; tolls: number } {
  const tolls = faults === "busy" ? 0 : Math.max(1, Math.floor(calls / 5));
  const busy = faults === "toll" ? 0 : Math.max(1, Math.floor((calls - 2 * tolls) / 4));
  const hops = calls - busy - 2 * tolls;
  return hops >= Math.max(busy, tolls) ? { hops, busy, tolls } : { hops: calls - 1, busy: 1, tolls: 0 };
}

function write(design: Design): string {
  const { random, theme } = design;
  const { hops, busy, tolls } = plan(Math.max(2, stepsNeeded(design.size) - 1), branch(design, "faults"));
  const limited = branch(design, "patience") === "limited";
  const patience = busy + tolls + 2 + random.below(2);
  const fail = (fields: string) => (limited ? `return this.fail({ ${fields} });` : `return { ${fields} };`);
  const tools: Tool[] = [
    {
      name: "visit_depot",
      description: "Asks at a depot where the parcel went from there.",
      parameters: [
        { name: "depot", type: "string" },
        { name: "seal", type: "string" },
      ],
      body: js`
        ${limited && 'if (this.errors > this.patience) return { error: "nobody answers you any more" };'}
        const place = this.depots.indexOf(depot);
        if (place < 0) ${fail('error: "there is no such depot"')}
        if (place >= ${hops} || seal !== this.seals[place]) ${fail('error: "the seal does not belong to this depot"')}
        ${tolls > 0 && `if (this.owing.includes(place)) ${fail('error: "there is a toll to pay", first: "pay_toll"')}`}
        ${
          busy > 0 &&
          js`
            if (this.busy.includes(place)) {
              this.busy = this.busy.filter((other) => other !== place);
              ${fail('error: "the depot is busy", retry: true')}
            }
          `
        }
        if (place === ${hops - 1}) return { parcel_code: this.expectedAnswer };
        return { depot: this.depots[place + 1], seal: this.seals[place + 1] };
      `,
    },
  ];
  if (tolls > 0) {
    tools.push({
      name: "pay_toll",
      description: "Pays what a depot asks for.",
      parameters: [{ name: "depot", type: "string" }],
      body: js`
        this.owing = this.owing.filter((other) => other !== this.depots.indexOf(depot));
        return { paid: true };
      `,
    });
  }
  if (branch(design, "clerks") === "two") {
    tools.push({
      name: "ask_driver",
      description: "Asks a driver which depots there are.",
      parameters: [],
      body: "return { depots: this.depots.slice().sort() };",
    });
  }
  return toolSource(design, {
    goal: `trace the parcel of the ${theme.thing} from depot to depot and get its parcel_code.`,
    rules: [
      "Each depot names the one to which the parcel went, with the seal that is asked for there; the last one has its code.",
      "A depot answers only to its own seal.",
      ...(busy > 0 ? ["A depot may be busy for a moment; the same call works afterwards."] : []),
      ...(tolls > 0 ? ["Some depots ask for a toll before they answer."] : []),
      ...(limited ? [`After ${patience + 1} errors nobody answers any more.`] : []),
    ],
    facts: [knownLine({ depot: "{{this.depots[0]}}", seal: "{{this.seals[0]}}" })],
    answer: "parcel_code",
    tools,
    setup: js`
      this.depots = this.shuffled(${quoteAll(theme.names.slice(0, hops + 3))});
      this.seals = this.depots.map(() => this.token("seal"));
      const places = Array.from({ length: ${hops} }, (_, i) => i);
      ${busy > 0 && `this.busy = this.shuffled(places).slice(0, ${busy});`}
      ${tolls > 0 && `this.owing = this.shuffled(places).slice(0, ${tolls});`}
      ${limited && `this.errors = 0;\nthis.patience = ${patience};`}
      this.expectedAnswer = this.code("parcel", 90);
    `,
    methods: limited
      ? js`
        fail(answer) {
          this.errors += 1;
          return answer;
        }
      `
      : "",
    helpers: ["shuffled", "code", "token"],
    solution: js`
      const calls = [];
      for (let place = 0; place < ${hops}; place += 1) {
        const depot = this.depots[place];
        ${tolls > 0 && 'if (this.owing.includes(place)) calls.push(this.call("pay_toll", { depot }));'}
        const visit = this.call("visit_depot", { depot, seal: this.seals[place] });
        calls.push(visit);
        ${busy > 0 && "if (this.busy.includes(place)) calls.push(visit);"}
      }
      return calls.concat(this.answer(this.expectedAnswer));
    `,
  });
}
