/** A process that opens a sandbox in which one environment holds up its host's own thread, and then waits to be killed. */
import { answering, openOrThrow, sourceOf, startSandbox } from "./attack.ts";

const sandbox = await startSandbox({ hosts: 2 });
const step = `if (action === "hang") return Array(1e9).fill(0); ${answering("action")}`;
const handle = await openOrThrow(sandbox, sourceOf({ step }));
await handle.reset(1);
// Quick calls make the host trust it with its own thread.
for (let i = 0; i < 5; i += 1) await handle.step("x");
void handle.step("hang");
setTimeout(() => process.stdout.write("hanging\n"), 300);
setInterval(() => {}, 1_000);
