/** Whole rounds with a model on a training server: by the command, and played to be trained on. */
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { createRound, runRound } from "../../graph/control.ts";
import { gatherBatch } from "../../graph/trainers/batch.ts";
import { createTrainer } from "../../graph/trainers/create.ts";
import { transcript } from "../../graph/transcript.ts";
import { createLab, errorDocument, type Lab } from "../support/command-line.ts";
import { roundOptionsOf } from "../support/services.ts";
import { addLamp, type TinkerLab, tinkerLab, toy } from "../support/tinker/lab.ts";

const key = "tml-end-to-end-0123456789";

let lab: TinkerLab;
let commandLine: Lab;
afterEach(async () => {
  commandLine?.remove();
  await lab.close();
});

test("the command runs a round to its end, and says what is missing where something is", async () => {
  lab = await tinkerLab({ key });
  commandLine = createLab();
  const environment = {
    TINKER_BASE_URL: lab.server.baseUrl,
    TINKER_API_KEY: key,
    SPADEWORK_TINKER_TOKENIZER: lab.config.tinker.tokenizer,
  };
  const words = ["round", "--model", toy, "--envs", "1", "--plays", "2"];
  const round = await commandLine.json(
    z.looseObject({ status: z.string(), environments: z.array(z.looseObject({ status: z.string() })) }),
    words,
    { environment },
  );
  // What a toy says is no environment.
  expect(round).toMatchObject({ status: "finished", environments: [{ status: "rejected" }] });
  expect(lab.server.world.samples).toBeGreaterThan(0);
  expect(JSON.stringify(round)).not.toContain(key);

  const missing = { ...environment, TINKER_BASE_URL: "" };
  const { error } = await commandLine.json(errorDocument, words, { environment: missing, code: 2 });
  expect(error.code).toBe("provider.no-server");
});

test("a round's plays are trained on with the tokens that they were sampled as", async () => {
  lab = await tinkerLab();
  await addLamp(lab);
  const { services, server } = lab;
  const options = roundOptionsOf({
    mode: "pool",
    pool: ["lamp"],
    model: toy,
    plays: 12,
    temperature: 1,
    maxOutputTokens: 16,
  });
  const { id } = await createRound(services, options, "tester");
  expect(await runRound(services, id)).toMatchObject({ status: "finished", error: null });
  const [episode] = await services.store.episodes.ofRound(id);
  const { turns } = transcript.parse(JSON.parse(await services.store.texts.get(episode?.transcriptId ?? "")));
  expect(turns[0]?.tokens?.sampled.length).toBeGreaterThan(0);

  const batch = await gatherBatch(services.store, { roundIds: [id], groups: "plain" });
  expect(batch.agent).toHaveLength(12);
  const trainer = await createTrainer("tinker", services);
  const { version, parent } = await trainer.update(batch);
  await trainer.close?.();
  expect(parent).toBe(episode?.policyVersion);
  expect((await services.model(toy)).policyVersion).toBe(version);
  const sent = server.seen.find(({ path }) => path === "forward_backward")?.text ?? "";
  const datum = turns[0]?.tokens;
  expect(sent).toContain([...(datum?.prompt ?? []), ...(datum?.sampled ?? []).slice(0, -1)].join(","));
});
