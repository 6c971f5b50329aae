/** File cabinet: references to be followed from drawer to file to drawer, through tools that fail now and then. */
import { knownLine } from "./conventions.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "./mechanic.ts";
import { constant } from "./theme.ts";
import { codesAt, type Tool, toolSource } from "./tool-use.ts";
import { js, quoteAll } from "./write.ts";

export const fileCabinet: Mechanic = {
  name: "file-cabinet",
  kind: "tool-use",
  concept: "explore",
  cueOffset: 3,
  skills: { "Error Recovery": 2.2, "Data Retrieval": 1.3, "Multi-Step Workflows": 0.7 },
  topics: "archive file record library book history document letter museum catalogue paper".split(" "),
  rules: [
    { name: "faults", options: ["busy", "locked", "both"] },
    { name: "references", options: ["drawer", "both"] },
    { name: "session", options: ["none", "badge"] },
    { name: "patience", options: ["endless", "limited"] },
    { name: "labels", options: ["words", "codes"] },
    { name: "shutting", options: ["never", "soon"] },
  ],
  heldOut: false,
  phases: [
    "open the drawer that the task names and read what it holds",
    "follow every reference to the next drawer",
    "after an error do what it says: call again, or call first what it names",
  ],
  answerFormat: "one tool call a turn, at last the value that is asked for as the answer",
  write,
};

/** Hops from drawer to drawer and the faults on the way, so that the calls add up to `calls`. */
function route(calls: number, faults: string): { hops: number; busy: number; locked: number } {
  // A hop takes two calls, a busy tool one more, a locked drawer three more.
  for (let hops = Math.floor(calls / 2); hops >= 1; hops -= 1) {
    const rest = calls - 2 * hops;
    const locked =
      faults === "busy"
        ? 0
        : Math.min(hops, faults === "locked" ? Math.floor(rest / 3) : Math.min(1, Math.floor(rest / 3)));
    const busy = rest - 3 * locked;
    if (faults === "locked" && locked === 0 && calls >= 5) continue;
    if (faults === "both" && (locked === 0 || busy === 0) && calls >= 6) continue;
    if (busy <= hops && (faults !== "busy" || busy > 0)) return { hops, busy, locked };
  }
  return { hops: Math.max(1, Math.floor(calls / 2)), busy: calls % 2, locked: 0 };
}

function write(design: Design): string {
  const { random, theme } = design;
  const faults = branch(design, "faults");
  const both = branch(design, "references") === "both";
  const badge = branch(design, "session") === "badge";
  const limited = branch(design, "patience") === "limited";
  const codes = branch(design, "labels") === "codes";
  const { hops, busy, locked } = route(stepsNeeded(design.size) - 1 - (badge ? 1 : 0), faults);
  // Reading a file in use takes two calls.
  const shuts = branch(design, "shutting") === "soon" ? constant(theme, random, 3, 6) : 0;
  const drawers = theme.names.slice(0, hops + 3);
  const patience = busy + locked + 2 + random.below(2);
  const answerKey = random.pick(["record_code", "entry_code", "case_code"]);
  const fail = (fields: string) => (limited ? `return this.fail({ ${fields} });` : `return { ${fields} };`);
  const enter = js`
    ${shuts > 0 && "this.calls += 1;"}
    ${limited && 'if (this.errors > this.patience) return { error: "the cabinet is closed for today" };'}
    ${badge && `if (!this.signedIn) ${fail('error: "not signed in", first: "sign_in"')}`}
  `;
  const tools: Tool[] = [
    {
      name: "open_drawer",
      description: "Opens a drawer and shows the file in it.",
      parameters: [{ name: "drawer", type: "string" }],
      body: js`
        ${enter}
        const place = this.drawers.indexOf(drawer);
        if (place < 0) ${fail('error: "there is no such drawer"')}
        ${locked > 0 && `if (this.locked.includes(place)) ${fail('error: "the drawer is locked", first: "fetch_key"')}`}
        ${shuts > 0 ? "this.opened.set(place, this.calls);" : "this.opened.add(place);"}
        return { drawer, file: this.files[place] };
      `,
    },
    {
      name: "read_file",
      description: "Reads a file of an open drawer.",
      parameters: [{ name: "file", type: "string" }],
      body: js`
        ${enter}
        const place = this.files.indexOf(file);
        if (place < 0) ${fail('error: "there is no such file"')}
        if (!this.opened.has(place)) ${fail('error: "its drawer is shut", first: "open_drawer"')}
        ${shuts > 0 && `if (this.calls - this.opened.get(place) > ${shuts}) ${fail('error: "its drawer has shut again", first: "open_drawer"')}`}
        ${
          busy > 0 &&
          js`
            if (this.busy.includes(place)) {
              this.busy = this.busy.filter((other) => other !== place);
              ${fail('error: "somebody else reads it", retry: true')}
            }
          `
        }
        if (place === ${hops - 1}) return { file, ${answerKey}: this.expectedAnswer };
        if (place >= ${hops}) return { file, note: "nothing of interest" };
        return { file, drawer: this.drawers[place + 1]${both ? ", next_file: this.files[place + 1]" : ""} };
      `,
    },
  ];
  if (locked > 0) {
    tools.push(
      {
        name: "fetch_key",
        description: "Fetches the key of a drawer.",
        parameters: [{ name: "drawer", type: "string" }],
        body: js`
          ${enter}
          const place = this.drawers.indexOf(drawer);
          if (place < 0) ${fail('error: "there is no such drawer"')}
          return { drawer, key: this.keys[place] };
        `,
      },
      {
        name: "unlock_drawer",
        description: "Unlocks a drawer with its key; it has to be opened afterwards.",
        parameters: [
          { name: "drawer", type: "string" },
          { name: "key", type: "string" },
        ],
        body: js`
          ${enter}
          const place = this.drawers.indexOf(drawer);
          if (place < 0 || key !== this.keys[place]) ${fail('error: "the key does not fit", first: "fetch_key"')}
          this.locked = this.locked.filter((other) => other !== place);
          return { drawer, unlocked: true };
        `,
      },
    );
  }
  if (badge) {
    tools.push({
      name: "sign_in",
      description: "Signs you in with your badge.",
      parameters: [{ name: "badge", type: "string" }],
      body: js`
        if (badge !== this.badge) ${fail('error: "unknown badge"')}
        this.signedIn = true;
        return { signed_in: true };
      `,
    });
  }
  return toolSource(design, {
    goal: `find the ${answerKey} of the ${theme.thing}.`,
    rules: [
      "The file in each drawer names the drawer in which to read on; the last one holds what is sought.",
      ...(busy > 0 ? ["A file may be in use for a moment; the same call works afterwards."] : []),
      ...(locked > 0
        ? ["A locked drawer is unlocked with the key that belongs to it, and then opened."]
        : []),
      ...(shuts > 0 ? [`A drawer shuts again ${shuts} calls after it was opened.`] : []),
      ...(badge ? ["Nothing works before you have signed in."] : []),
      ...(limited ? [`After ${patience + 1} errors the cabinet stays closed.`] : []),
    ],
    facts: [knownLine({ drawer: "{{this.drawers[0]}}", ...(badge ? { badge: "{{this.badge}}" } : {}) })],
    answer: answerKey,
    tools,
    setup: js`
      this.drawers = this.shuffled(${quoteAll(drawers)})${codes ? ".map((name) => this.token(name.charAt(0)))" : ""};
      this.files = this.drawers.map(() => this.token("file"));
      ${shuts > 0 ? "this.opened = new Map();\nthis.calls = 0;" : "this.opened = new Set();"}
      ${locked > 0 && `this.keys = this.drawers.map(() => this.token("key"));`}
      const places = Array.from({ length: ${hops} }, (_, i) => i);
      ${locked > 0 && `this.locked = this.shuffled(places).slice(0, ${locked});`}
      ${busy > 0 && `this.busy = this.shuffled(places).slice(0, ${busy});`}
      ${badge && 'this.badge = this.token("badge");\nthis.signedIn = false;'}
      ${limited && `this.errors = 0;\nthis.patience = ${patience};`}
      this.expectedAnswer = this.code("${answerKey.charAt(0)}", ${codesAt(design.size)});
    `.replace(busy + locked === 0 ? /const places = .*\n/ : /$^/, ""),
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
      ${badge && 'calls.push(this.call("sign_in", { badge: this.badge }));'}
      for (let place = 0; place < ${hops}; place += 1) {
        const drawer = this.drawers[place];
        ${
          locked > 0 &&
          js`
            if (this.locked.includes(place)) {
              calls.push(this.call("fetch_key", { drawer }));
              calls.push(this.call("unlock_drawer", { drawer, key: this.keys[place] }));
            }
          `
        }
        calls.push(this.call("open_drawer", { drawer }));
        const read = this.call("read_file", { file: this.files[place] });
        calls.push(read);
        ${busy > 0 && "if (this.busy.includes(place)) calls.push(read);"}
      }
      return calls.concat(this.answer(this.expectedAnswer));
    `,
  });
}
