/** Order desk: tools that each need what an earlier one gave, from a name to a final code. */
import { knownLine } from "./conventions.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "./mechanic.ts";
import { constant } from "./theme.ts";
import { codesAt, type Tool, toolSource } from "./tool-use.ts";
import { js, quote } from "./write.ts";

export const orderDesk: Mechanic = {
  name: "order-desk",
  kind: "tool-use",
  concept: "dependency",
  cueOffset: 3,
  skills: {
    "API Orchestration": 1.5,
    "Multi-Step Workflows": 1,
    "State Modification": 1,
    "Tool Selection": 0.7,
  },
  topics: "order customer shop delivery payment office permit travel ticket client service parcel".split(" "),
  rules: [
    { name: "desk", options: ["orders", "permits", "trips"] },
    { name: "links", options: ["chain", "fork"] },
    { name: "guard", options: ["tells", "cancels"] },
    { name: "expiry", options: ["none", "stale"] },
    { name: "consent", options: ["none", "manager"] },
  ],
  heldOut: false,
  phases: [
    "begin with the tool that needs only what the task names",
    "pass every value on, under its name, to the tool that asks for it",
    "when a call is refused, call first what the error names",
  ],
  answerFormat: "one tool call a turn, at last the value that is asked for as the answer",
  write,
};

/** A desk: what it is given, and its stages in order with what each gives. */
export interface Desk {
  readonly given: string;
  readonly stages: readonly (readonly [tool: string, gives: string, description: string])[];
}

const desks: Readonly<Record<string, Desk>> = {
  orders: {
    given: "customer",
    stages: [
      ["find_customer", "customer_id", "Finds a customer by name."],
      ["open_order", "order_id", "Opens an order."],
      ["check_stock", "shelf", "Says on which shelf the goods are."],
      ["reserve_goods", "reservation", "Puts goods aside."],
      ["make_quote", "quote", "Works out a price."],
      ["take_payment", "payment", "Takes the money."],
      ["pack_parcel", "parcel", "Packs what was put aside."],
      ["print_label", "label", "Prints a label."],
      ["hand_over", "tracking", "Hands the parcel to the carrier."],
      ["close_order", "receipt_code", "Closes the order and gives its receipt."],
    ],
  },
  permits: {
    given: "applicant",
    stages: [
      ["look_up_applicant", "applicant_id", "Looks an applicant up by name."],
      ["start_case", "case_number", "Starts a case."],
      ["choose_form", "form", "Picks the form that the case asks for."],
      ["file_form", "filing", "Files a form."],
      ["review_filing", "review", "Has a filing reviewed."],
      ["collect_fee", "fee_slip", "Collects the fee."],
      ["book_hearing", "hearing", "Books a hearing."],
      ["sign_paper", "signature", "Has the paper signed."],
      ["seal_paper", "stamp", "Puts the stamp on it."],
      ["issue_permit", "permit_code", "Issues the permit."],
    ],
  },
  trips: {
    given: "traveller",
    stages: [
      ["search_traveller", "profile", "Searches a traveller by name."],
      ["plan_trip", "trip", "Sets a trip up."],
      ["pick_route", "route", "Picks a route for a trip."],
      ["hold_seat", "hold", "Holds a seat on a route."],
      ["price_seat", "fare", "Prices a held seat."],
      ["charge_card", "charge", "Charges the fare."],
      ["check_papers", "clearance", "Checks the traveller's papers."],
      ["print_pass", "pass", "Prints a boarding pass."],
      ["load_baggage", "baggage_tag", "Takes the baggage in."],
      ["board_traveller", "boarding_code", "Lets the traveller board."],
    ],
  },
};

function write(design: Design): string {
  return deskSource(design, desks[branch(design, "desk")] ?? { given: "customer", stages: [] });
}

/** The source of a desk; a held-out relative has stages of its own. */
export function deskSource(design: Design, desk: Desk): string {
  const { random, theme } = design;
  const consent = branch(design, "consent") === "manager";
  const fork = branch(design, "links") === "fork";
  const cancels = branch(design, "guard") === "cancels";
  const stale = branch(design, "expiry") === "stale" ? constant(theme, random, 3, 5) : 0;
  // The answer takes a turn, and so does the consent.
  const calls = Math.max(2, stepsNeeded(design.size) - 1 - (consent ? 1 : 0));
  const middle = desk.stages.slice(1, -1);
  const kept = new Set(random.shuffle(middle.map(([tool]) => tool)).slice(0, calls - 2));
  const ends = [desk.stages[0], desk.stages.at(-1)].filter((stage) => stage !== undefined);
  const stages = [...ends.slice(0, 1), ...middle.filter(([tool]) => kept.has(tool)), ...ends.slice(1)];
  const consentAt = 1 + random.below(Math.max(1, stages.length - 1));
  const needs = stages.map((_, i) => {
    if (i === 0) return [];
    const back = fork && i >= 2 && random.next() < 0.6 ? i - 2 - random.below(Math.min(2, i - 1)) : null;
    const gives = (index: number) => stages[index]?.[1] ?? "";
    return back === null ? [gives(i - 1)] : [gives(i - 1), gives(back)];
  });
  const names = theme.names.slice(0, 12);
  const last = stages.at(-1)?.[1] ?? "";
  const tools: Tool[] = stages.map(([tool, gives, description], i) => {
    const takes = i === 0 ? [desk.given] : (needs[i] ?? []);
    const check =
      i === 0
        ? `if (String(${desk.given}).toLowerCase() !== this.name) return { error: "nobody of that name" };`
        : js`
          const problem = this.problem({ ${takes.join(", ")} });
          if (problem) return problem;
        `;
    return {
      name: tool,
      description,
      parameters: takes.map((name) => ({ name, type: "string" as const })),
      body: js`
        ${stale > 0 && "this.calls += 1;"}
        ${cancels && 'if (this.cancelled) return { error: "the case was cancelled" };'}
        ${check}
        ${consent && i === consentAt && 'if (!this.consent) return { error: "the manager has not agreed", first: "ask_manager" };'}
        return this.give(${quote(gives)});
      `,
    };
  });
  if (consent) {
    tools.push({
      name: "ask_manager",
      description: "Asks the manager to agree.",
      parameters: [],
      body: js`
        ${stale > 0 && "this.calls += 1;"}
        this.consent = true;
        return { agreed: true };
      `,
    });
  }
  return toolSource(design, {
    goal: `bring the matter of {{this.name}} to its end and give the ${last}.`,
    rules: [
      "A tool works only with values that another tool has given in this episode.",
      cancels
        ? "A wrong value cancels the case, and nothing can be done any more."
        : "A refused call says which tool has to be called first.",
      ...(stale > 0
        ? [`A value is good for ${stale + 1} calls after it was given; then it has to be asked for anew.`]
        : []),
      ...(consent ? ["One of the tools wants the manager to agree first."] : []),
    ],
    facts: [knownLine({ [desk.given]: "{{this.name}}" })],
    answer: last,
    tools,
    setup: js`
      this.name = this.shuffled([${names.map(quote).join(", ")}])[0];
      ${consent && "this.consent = false;"}
      ${cancels && "this.cancelled = false;"}
      ${stale > 0 && "this.calls = 0;"}
      this.given = {};
      this.tokens = {};
      for (const key of [${stages.map(([, gives]) => quote(gives)).join(", ")}]) this.tokens[key] = this.code(key.charAt(0), ${codesAt(design.size)});
      this.expectedAnswer = this.tokens.${last};
    `,
    methods: js`
      give(key) {
        this.given[key] = ${stale > 0 ? "this.calls" : "true"};
        return { [key]: this.tokens[key] };
      }

      problem(values) {
        const sources = { ${stages.map(([tool, gives]) => `${gives}: ${quote(tool)}`).join(", ")} };
        for (const [key, value] of Object.entries(values)) {
          if (this.given[key] === undefined || value !== this.tokens[key]) {
            ${cancels && "this.cancelled = value !== undefined;"}
            return { error: "no valid " + key, first: sources[key] };
          }
          ${stale > 0 && `if (this.calls - this.given[key] > ${stale + 1}) return { error: key + " is out of date", first: sources[key] };`}
        }
        return null;
      }
    `,
    helpers: ["shuffled", "code"],
    solution: js`
      const t = this.tokens;
      return [
        ${stages.map(([tool], i) => {
          const args =
            i === 0
              ? `${desk.given}: this.name`
              : (needs[i] ?? []).map((name) => `${name}: t.${name}`).join(", ");
          const call = `this.call(${quote(tool)}, { ${args} }),`;
          return consent && i === consentAt ? `this.call("ask_manager", {}),\n${call}` : call;
        })}
        this.answer(t.${last}),
      ];
    `,
  });
}
