/**
 * A function as a step that LangGraph calls directly. A plain function it wraps in a run of its own, with a trace and a
 * context that nobody reads, whether or not anything is traced: for a stage that has little to do, most of its time.
 */
import { Runnable } from "@langchain/core/runnables";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";

type Config<Context extends object> = Partial<LangGraphRunnableConfig<Context>>;

export class Direct<Input, Output, Context extends object = object> extends Runnable<
  Input,
  Output,
  LangGraphRunnableConfig<Context>
> {
  override readonly lc_namespace = ["spadework"];
  readonly #run: (input: Input, config: Config<Context>) => Output | Promise<Output>;

  /** `run` must not call `interrupt()`, which finds its graph through the context that is left out here. */
  constructor(run: (input: Input, config: Config<Context>) => Output | Promise<Output>) {
    super();
    this.#run = run;
  }

  override async invoke(input: Input, config: Config<Context> = {}): Promise<Output> {
    return this.#run(input, config);
  }
}
