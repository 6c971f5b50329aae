/** A run may take as long as its steps: only each of them has a limit, also where it is tried alone. */
import { pino } from "pino";
import { expect, it } from "vitest";
import { HostProcess } from "../../sandbox/host-process.ts";
import { jailCommand } from "../../sandbox/jail.ts";
import { runOf } from "../../sandbox/protocol.ts";
import { answering, sandboxConfig, sourceOf } from "../attacks/attack.ts";

const working = sourceOf({
  step: `let n = 0; for (let i = 0; i < Number(action); i += 1) n = (n + i) % 1000; ${answering("String(n)")}`,
});

it("a run alone that uses many times the limit of one step is no hang", async () => {
  const config = sandboxConfig({ stepTimeoutMs: 100, hardDeadlineMs: 300 });
  const command = jailCommand({ jit: false, rssMb: config.hostRssMb });
  const host = new HostProcess({ config, command, alone: true, log: pino({ level: "silent" }) });
  expect(await host.ready).toBe(true);
  await host.request({ name: "open", source: working, untilBrisk: 1e9 }, 1);
  const run = async (count: number, rounds: number) => {
    const actions = Array.from({ length: count }, () => String(rounds));
    const reply = await host.request({ name: "run", seed: 1, actions, solution: false, tools: false }, 1);
    return { reply, steps: runOf([...reply.parts, ...(reply.kind === "done" ? [reply.payload] : [])]).steps };
  };
  const started = performance.now();
  await run(5, 400_000);
  const stepMs = (performance.now() - started) / 5;
  // A call counts as stuck from a second beyond its limits on.
  const { reply, steps } = await run(240, Math.ceil((400_000 * 30) / stepMs));
  await host.kill();
  expect(reply.kind).toBe("done");
  expect(steps.length).toBe(240);
});
