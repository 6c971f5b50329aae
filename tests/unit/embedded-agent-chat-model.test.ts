/** The embedded policy as a LangChain chat model: its roles, what it reports, odd messages, its weights in the store. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { keyedRandom } from "../../config/random.ts";
import { createEmbeddedChatModel } from "../../graph/models/embedded/chat-model.ts";
import { loadOrCreateEmbeddedPolicy } from "../../graph/models/embedded/policy-store.ts";
import { countTokens } from "../../graph/models/embedded/tokens.ts";
import { initialWeights, serialiseWeights } from "../../graph/models/embedded/weights.ts";
import { agentSystem, openingMessages, withHint } from "../../graph/prompts/agent.ts";
import { designMessages, noCodeMessage } from "../../graph/prompts/designer.ts";
import { hintMessages } from "../../graph/prompts/hint.ts";
import { openStore } from "../../store/open.ts";
import { decision } from "../../store/records.ts";

const model = createEmbeddedChatModel({ weights: initialWeights(), version: "v1" });
const task = {
  kind: "game",
  language: "javascript",
  skill: "Logical Deduction",
  difficulty: "easy",
  turnCap: 25,
  brief: null,
  document: null,
  memory: "",
} as const;

describe("roles", () => {
  test("the designer writes a class, and mends it when asked", async () => {
    const asked = designMessages(task);
    const answer = await model.invoke(asked, { seed: 1 });
    expect(answer.text).toMatch(/```javascript\n[\s\S]*class \w+Env/);
    const sites = decision
      .array()
      .parse(answer.response_metadata.decisions)
      .map(({ site }) => site);
    expect(sites).toContain("mechanic/game");
    const again = await model.invoke([...asked, new AIMessage(answer.text), noCodeMessage()], { seed: 2 });
    expect(again.text).toMatch(/class \w+Env/);
  });

  test("the designer hints at a source that it is shown", async () => {
    const source = "// tags: interval-search\nclass GaugeEnv {}";
    const answer = await model.invoke(hintMessages({ source, firstObservation: "Guess." }), { seed: 1 });
    expect(answer.text.toLowerCase()).toContain("bisect");
    expect(answer.text).not.toContain("class");
  });

  test("anybody else is the agent", async () => {
    const game = await model.invoke(openingMessages(agentSystem(null), "Commands: nod, bow."), { seed: 1 });
    expect(game.text).toMatch(/^Plan: [a-z]+\.\n\\boxed\{(?:nod|bow)\}$/);
    const unnamed = await model.invoke([new HumanMessage("Commands: nod, bow.")], { seed: 1 });
    expect(unnamed.text).toMatch(/\\boxed\{(?:nod|bow)\}$/);
  });
});

describe("reports", () => {
  const opening = openingMessages(agentSystem(null), "Commands: nod, bow.");

  test("its choices, its version, and words and marks as tokens", async () => {
    const answer = await model.invoke(opening, { seed: 5 });
    expect(answer.response_metadata.policyVersion).toBe("v1");
    expect(
      decision
        .array()
        .parse(answer.response_metadata.decisions)
        .map(({ site }) => site)[0],
    ).toBe("strategy");
    const input = opening.reduce((sum, message) => sum + countTokens(message.text), 0);
    const output = countTokens(answer.text);
    expect(answer.usage_metadata).toEqual({
      input_tokens: input,
      output_tokens: output,
      total_tokens: input + output,
    });
    expect(countTokens("Guess 50, or   give up!\n")).toBe(7);
    expect(countTokens("")).toBe(0);
  });

  test("the same by seed, and nothing of its weights", async () => {
    const [one, same, other] = await Promise.all(
      [5, 5, 6].map((seed) => model.invoke(designMessages(task), { seed })),
    );
    expect(same?.text).toBe(one?.text);
    expect(other?.text).not.toBe(one?.text);
    expect(JSON.stringify(model)).not.toContain("logits");
  });

  test("an abort", async () => {
    const reason = new Error("stop");
    await expect(model.invoke(opening, { seed: 1, signal: AbortSignal.abort(reason) })).rejects.toThrow(
      "stop",
    );
  });
});

describe("odd messages never make it throw", () => {
  const tools = agentSystem([
    {
      name: "fetch",
      description: "Fetches.",
      parameters: {
        type: "object",
        properties: {
          id: { type: "string" },
          size: { type: "integer", minimum: 3, maximum: 5 },
          deep: { type: "boolean" },
          mode: { enum: ["a", "b"] },
          list: { type: "array" },
        },
        required: ["id", "size", "deep", "mode", "list"],
      },
    },
  ]);
  const cases: Readonly<Record<string, BaseMessage[]>> = {
    "no first observation": [new SystemMessage(agentSystem(null))],
    "an empty one": openingMessages(agentSystem(null), ""),
    "an answer before any question": [new AIMessage("Plan: bisect."), new HumanMessage("")],
    "several of one kind in a row": [
      new HumanMessage("a"),
      new HumanMessage("b"),
      new AIMessage(""),
      new AIMessage("c"),
    ],
    "parts instead of text": [new HumanMessage({ content: [{ type: "text", text: "Commands: nod." }] })],
    "a tool message": [new HumanMessage("x"), new ToolMessage({ content: "y", tool_call_id: "1" })],
    "a plan that nobody knows": [new HumanMessage("x"), new AIMessage("Plan: win."), new HumanMessage("y")],
    "half a list of commands": openingMessages(
      agentSystem(null),
      "Commands:\n- guess <number>: from <number> to\n- <x>: .\nRange: 9 to",
    ),
    "ranges upside down": openingMessages(
      agentSystem(null),
      "Commands:\n- guess <number>: say; <number> from 9 to 1.\nRange: 9 to 1",
    ),
    "lists of nothing": openingMessages(
      agentSystem(null),
      "Commands:\n- go <place>: go; <place> one of: .\nPlace: x\nExits: ",
    ),
    "a code of a thousand symbols": openingMessages(
      agentSystem(null),
      "Commands:\n- try <code>: try; <code> is 1000 of: a, b.",
    ),
    "tools that are no JSON": openingMessages(
      `${agentSystem([])}`.replace("<tools>", '<tools>\n{not json}\n[1]\n{"name":3}'),
      "Known: a = b",
    ),
    "a tool with every type": openingMessages(tools, "Goal: go.\nAnswer with: "),
    "a huge text": openingMessages(agentSystem(null), `${'key: value, <a> [b] "c" 1 to 2; '.repeat(20_000)}`),
    "regular expressions as text": openingMessages(
      agentSystem(null),
      "Commands: (a+)+$, [b, \\boxed{c{d}, <.*>\n(?:".repeat(200),
    ),
    "a hint alone": openingMessages(agentSystem(null), withHint("", "")),
  };

  test.each(Object.entries(cases))("%s", async (_name, messages) => {
    for (let seed = 0; seed < 25; seed += 1) {
      const answer = await model.invoke(messages, { seed });
      expect(answer.text).toMatch(/\\boxed\{.*\}|<tool_call>.*<\/tool_call>|<answer>.*<\/answer>/s);
    }
  });

  test("scrambled histories", async () => {
    const scraps = [
      "Result: too low.",
      "Range: 1 to 9",
      "Word: zor",
      "Lamps: on off",
      "Lamps: on",
      "Hum: x",
      "Place: hall",
      "Exits: yard, pit (dark)",
      "Here: key",
      "Items: rope [cost 3, worth 12]; [; lamp [cost",
      "Left: -1",
      "Worth: 3 of",
      "Change: +2; -",
      "Phase: listen",
      "Result: heard a, b.",
      "Needs: a after b; b after a",
      "Done: nothing",
      "Progress: 1 of 2",
      '{"error":"x","first":"y"}',
      '{"rows":[1,null,{"a":[]}]}',
      "null",
      "[]",
      "Commands:\n- press <switch>: use; <switch> one of: a, b.\n- try <code>: try; <code> is 2 of: a, b.\n- check <number>: tells more; <number> from 1 to 3.",
    ];
    for (let key = 0; key < 300; key += 1) {
      const random = keyedRandom("scraps", key);
      const text = () => Array.from({ length: 1 + random.below(6) }, () => random.pick(scraps)).join("\n");
      const messages: BaseMessage[] = openingMessages(key % 3 === 0 ? tools : agentSystem(null), text());
      for (let turn = 0; turn < random.below(6); turn += 1) {
        const answer = await model.invoke(messages, { seed: key * 10 + turn });
        messages.push(new AIMessage(answer.text), new HumanMessage(text()));
      }
      await expect(model.invoke(messages, { seed: key })).resolves.toBeDefined();
    }
  });
});

describe("its weights in the store", () => {
  const inStore = async (run: (store: Awaited<ReturnType<typeof openStore>>) => Promise<void>) => {
    const dataDir = await mkdtemp(join(tmpdir(), "spadework-policy-"));
    const store = await openStore({ dataDir, log: pino({ level: "silent" }) });
    await run(store).finally(async () => {
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    });
  };

  test("are the untrained ones at first, named by their hash, once", async () => {
    await inStore(async (store) => {
      const [one, two] = await Promise.all([
        loadOrCreateEmbeddedPolicy(store, 1),
        loadOrCreateEmbeddedPolicy(store, 2),
      ]);
      expect(one.version).toMatch(/^embedded-[0-9a-f]{12}$/);
      expect(two.version).toBe(one.version);
      const later = await loadOrCreateEmbeddedPolicy(store, 3);
      expect(serialiseWeights(later.weights)).toBe(serialiseWeights(initialWeights()));
      expect((await store.policies.latest("embedded"))?.weightsId.startsWith(one.version.slice(9))).toBe(
        true,
      );
    });
  });

  test("are the newest ones from then on, and unreadable ones are the store's fault", async () => {
    await inStore(async (store) => {
      const { version } = await loadOrCreateEmbeddedPolicy(store, 1);
      const put = async (text: string, name: string, createdAt: number) =>
        store.policies.insert({
          version: name,
          parent: (await store.policies.latest("embedded"))?.version ?? version,
          provider: "embedded",
          weightsId: await store.texts.put(text),
          note: "",
          createdAt,
        });
      const trained = initialWeights();
      trained.agent.skill[0] = 12;
      await put(serialiseWeights(trained), "p2", 2);
      expect(await loadOrCreateEmbeddedPolicy(store, 3)).toEqual({
        version: "p2",
        weights: JSON.parse(serialiseWeights(trained)),
      });
      await put("{}", "p3", 4);
      await expect(loadOrCreateEmbeddedPolicy(store, 5)).rejects.toMatchObject({ code: "store.corrupt" });
    });
  });
});
