/** Names of models: which provider each reaches, and what people are told where it reaches none. */
import { describe, expect, test, vi } from "vitest";
import { failureOf, modelClient, play } from "../support/model-client.ts";

const { connect, create } = modelClient();

describe("a name", () => {
  test("needs a key, unless the server is one's own", async () => {
    vi.stubEnv("OPENAI_API_KEY", undefined);
    const error = await failureOf(create("openai:gpt-5"));
    expect(error.code).toBe("provider.no-key");
    expect(error.message).toContain("OPENAI_API_KEY");
    const { model } = await connect();
    expect((await model.call(play())).text).toContain("\\boxed");
  });

  test("may hold colons", async () => {
    const { server, model } = await connect({}, {}, "openai:ft:small:org::id");
    await model.call(play());
    expect(server.calls[0]?.body.model).toBe("ft:small:org::id");
  });

  test.each(["gpt-5", "", "openai:", ":gpt-5", "nobody:model", "embedded:1"])(
    "%j is unknown",
    async (name) => {
      const error = await failureOf(create(name));
      expect(error.code).toBe("provider.unknown");
      expect(error.message).toContain("embedded");
    },
  );

  test("of a provider whose package is missing says which to install", async () => {
    const error = await failureOf(create("anthropic:claude"));
    expect(error.code).toBe("provider.unknown");
    expect(error.message).toContain("npm install @langchain/anthropic");
  });

  test("of another installed provider reaches it by LangChain's own settings", async () => {
    const { server } = await connect();
    vi.stubEnv("AZURE_OPENAI_API_KEY", "another-key-of-azure");
    vi.stubEnv("AZURE_OPENAI_BASE_PATH", server.baseUrl);
    vi.stubEnv("AZURE_OPENAI_API_DEPLOYMENT_NAME", "ours");
    vi.stubEnv("AZURE_OPENAI_API_VERSION", "2026-01-01");
    const model = await create("azure_openai:gpt");
    expect((await model.call(play({ seed: 3 }))).text).toContain("\\boxed");
    expect(server.calls[0]?.body).toMatchObject({ seed: 3, temperature: 0.6, max_tokens: 500 });
  });
});
