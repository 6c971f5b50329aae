/** A lab with the embedded policy, as people have it. */
import { configSchema } from "../../config/schema.ts";
import { createModel } from "../../graph/models/create.ts";
import type { Model } from "../../graph/models/model.ts";
import { silent, type TestServices, testServices } from "./services.ts";

/** Its weights are the newest that the store holds when a model is first asked for. */
export async function embeddedLab(): Promise<TestServices> {
  let model: Promise<Model> | null = null;
  const unused: Model = {
    name: "embedded",
    call: () => Promise.reject(new Error("the embedded policy is made with the store")),
  };
  const services = await testServices({ model: unused });
  return {
    ...services,
    model: (name) => {
      model ??= createModel(name, {
        config: configSchema.parse({}),
        store: services.store,
        log: silent,
      });
      return model;
    },
  };
}
