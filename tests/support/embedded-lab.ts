/** A lab with the embedded policy, as people have it. */
import { configSchema } from "../../config/schema.ts";
import { createModel } from "../../graph/models/create.ts";
import type { Model } from "../../graph/models/model.ts";
import { silent, type TestServices, testServices } from "./services.ts";

/** Its weights are those of the version that is asked for, else the newest that the store holds. */
export async function embeddedLab(): Promise<TestServices> {
  const unused: Model = {
    name: "embedded",
    call: () => Promise.reject(new Error("the embedded policy is made with the store")),
  };
  const services = await testServices({ model: unused });
  const { store } = services;
  let last: { readonly version: string | undefined; readonly model: Promise<Model> } | null = null;
  return {
    ...services,
    model: async (name, version) => {
      const wanted = version ?? (await store.policies.latest(name))?.version;
      if (last === null || last.version !== wanted) {
        const made = createModel(name, { config: configSchema.parse({}), store, log: silent }, wanted);
        last = { version: wanted, model: made };
      }
      return last.model;
    },
  };
}
