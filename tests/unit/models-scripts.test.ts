/** The scripted server is a world worth testing in: its good designs are admitted, its bad ones are not, its play can gain. */

import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { type GateResult, gateName } from "../../config/words.ts";
import { readDesign } from "../../graph/design-answer.ts";
import { hintProblem } from "../../graph/hints/problem.ts";
import { ChatModelAdapter } from "../../graph/models/chat-model-adapter.ts";
import type { Model } from "../../graph/models/model.ts";
import { ProviderLine } from "../../graph/models/provider-line.ts";
import { loadProvider, parseModelName } from "../../graph/models/providers.ts";
import { playEpisode } from "../../graph/play.ts";
import { designMessages, repairMessage } from "../../graph/prompts/designer.ts";
import { hintMessages } from "../../graph/prompts/hint.ts";
import { admit } from "../../sandbox/admission/admit.ts";
import { fingerprintOf } from "../../sandbox/admission/fingerprint.ts";
import { NoveltyIndex } from "../../sandbox/admission/novelty-index.ts";
import { createSandbox } from "../../sandbox/pool.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Design } from "../support/openai-scripts/design.ts";
import { designs, type OpenAiServer, startOpenAiServer } from "../support/openai-server.ts";

const config = configSchema.parse({});
const log = pino({ level: "silent" });
const signal = new AbortController().signal;

/** Of each environment in each arm. */
const plays = 8;

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ ...config.sandbox, hosts: 2 }, log);
});

afterAll(() => sandbox.close());

async function withServer<T>(dealt: readonly Design[], work: (model: Model) => Promise<T>): Promise<T> {
  const server: OpenAiServer = await startOpenAiServer({ designs: dealt });
  const variables = { OPENAI_BASE_URL: server.baseUrl };
  const name = "openai:scripted";
  const chatModel = await loadProvider(parseModelName(name), config.models, variables);
  const line = new ProviderLine(config.models.concurrency);
  try {
    return await work(
      new ChatModelAdapter({ name, chatModel, line, config: config.models, redact: (text) => text, log }),
    );
  } finally {
    await server.close();
  }
}

async function ask(model: Model, messages: readonly BaseMessage[]): Promise<string> {
  const call = {
    role: "designer",
    messages,
    seed: 1,
    temperature: 0.6,
    maxOutputTokens: 8_192,
    signal,
  } as const;
  return (await model.call(call)).text;
}

function designTask(kind: Design["kind"]): BaseMessage[] {
  return designMessages({
    kind: kind ?? "game",
    language: "javascript",
    skill: kind === "tool-use" ? "API Orchestration" : "Logical Deduction",
    difficulty: "easy",
    turnCap: 25,
    brief: null,
    document: null,
    memory: "",
  });
}

async function judged(text: string) {
  const { source, gates } = readDesign(text, "javascript");
  if (source === null) return { source, admitted: false, gates, report: null };
  const report = await admit(source, {
    language: "javascript",
    sandbox,
    novelty: async () => null,
    reviewer: null,
  });
  return { source, admitted: report.admitted, gates: report.gates, report };
}

const failed = (gates: readonly GateResult[]) =>
  gates.filter(({ verdict }) => verdict === "fail").map(({ gate, detail }) => `${gate}: ${detail}`);

const good = [
  designs.shelfSearch,
  designs.dialConsole,
  designs.ropeBridge,
  designs.orderDesk,
  designs.badgeOffice,
];

describe.each(good)("$name", (design) => {
  test("is admitted, has a hint that gives nothing away, and is won by it more often than without", () =>
    withServer([design], async (model) => {
      const opening = designTask(design.kind);
      const answers = [await ask(model, opening)];
      let verdict = await judged(answers[0] ?? "");
      if (design === designs.ropeBridge) {
        expect(failed(verdict.gates)).not.toEqual([]);
        const repair = [...opening, new AIMessage(answers[0] ?? ""), repairMessage(verdict.gates)];
        verdict = await judged(await ask(model, repair));
      }
      expect(failed(verdict.gates)).toEqual([]);
      expect(verdict.admitted).toBe(true);
      const { source, report } = verdict;
      if (source === null || report === null) throw new Error("there is no source");
      const firstObservation = report.firstObservation ?? "";

      const hint = await ask(model, hintMessages({ source, firstObservation }));
      const { solutions } = report;
      expect(hintProblem(hint, { solutions, source, firstObservations: [firstObservation] })).toBeNull();

      const returns = async (hintGiven: string | null): Promise<(number | null)[]> =>
        Promise.all(
          Array.from({ length: plays }, async (_, index) => {
            const episode = {
              source,
              language: "javascript",
              kind: design.kind ?? "game",
              seed: 1_000 + index,
              hint: hintGiven,
              key: [hintGiven === null ? "plain" : "hinted", index],
            } as const;
            const limits = { turnCap: 25, contextTokens: 32_768, temperature: 0.6, maxOutputTokens: 8_192 };
            return (await playEpisode(episode, { model, sandbox, limits, signal })).ending.return;
          }),
        );
      const [plain, hinted] = [await returns(null), await returns(hint)];
      expect(hinted).toEqual(Array.from({ length: plays }, () => 1));
      const won = plain.filter((it) => it === 1).length;
      expect(won).toBeLessThan(plays);
    }));
});

test("the good designs are new to each other", () => {
  const index = new NoveltyIndex();
  for (const { name, answers } of good) {
    const fingerprint = fingerprintOf(readDesign(answers.at(-1) ?? "", "javascript").source ?? "");
    if (fingerprint === null) throw new Error(`${name} does not parse`);
    expect(index.nearest(fingerprint)).toBeNull();
    index.add(name, fingerprint);
  }
});

describe.each([
  designs.prose,
  designs.brokenCode,
  designs.codeWithoutClass,
  designs.hugeCode,
  designs.nothing,
])("$name", (design) => {
  test("is rejected with all gates named, and not better after a repair", () =>
    withServer([design], async (model) => {
      const opening = designTask("game");
      const answer = await ask(model, opening);
      expect(answer.trim()).toBe(design.answers[0]?.trim());
      const { admitted, gates } = await judged(answer);
      expect(admitted).toBe(false);
      expect(gates.map(({ gate }) => gate)).toEqual(gateName.options);
      const resent = new AIMessage(answer === "" ? "(empty answer)" : answer);
      expect(await ask(model, [...opening, resent, repairMessage(gates)])).toBe(answer);
    }));
});
