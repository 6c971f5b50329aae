/** Attacks on the limits of time and memory: what each does, the call in which it fails, and as what it may end. */
import type { FailureVerdict, SandboxCall } from "../../sandbox/sandbox.ts";
import { answering, type Bodies } from "./attack.ts";

export interface Attack {
  readonly name: string;
  readonly bodies: Bodies;
  readonly call: SandboxCall;
  readonly verdicts: readonly FailureVerdict[];
  /** Costs a host its life, so it is tried once and not in both ways. */
  readonly heavy?: boolean;
}

const forever = "while (true);";
const timedOut: readonly FailureVerdict[] = ["timed-out"];
/** Whether such code meets its time limit or its memory limit first depends on the machine. */
const overSomeLimit: readonly FailureVerdict[] = ["timed-out", "out-of-memory", "host-died"];
const overOrThrown: readonly FailureVerdict[] = [...overSomeLimit, "environment-threw"];

const inStep = (name: string, step: string, verdicts = timedOut): Attack => ({
  name,
  bodies: { step },
  call: "step",
  verdicts,
});

const heavy = (name: string, step: string, verdicts: readonly FailureVerdict[]): Attack => ({
  ...inStep(name, step, verdicts),
  heavy: true,
});

export const loops: readonly Attack[] = [
  inStep("a loop in step", forever),
  { name: "a loop in reset", bodies: { reset: forever }, call: "reset", verdicts: timedOut },
  { name: "a loop in the constructor", bodies: { construct: forever }, call: "open", verdicts: timedOut },
  { name: "a loop at module level", bodies: { top: forever }, call: "open", verdicts: timedOut },
  { name: "a loop in solution", bodies: { solution: forever }, call: "solution", verdicts: timedOut },
  { name: "a loop in tools", bodies: { tools: forever }, call: "tools", verdicts: timedOut },
  {
    name: "a loop in a static getter",
    bodies: { members: `static get maxTurns() { ${forever} }` },
    call: "open",
    verdicts: timedOut,
  },
  inStep("a loop in a getter of the answer", `return { get observation() { ${forever} } };`),
  inStep(
    "a loop in toString of a thrown value's message",
    `throw { name: "Error", get message() { ${forever} } };`,
  ),
  inStep("a loop in a Proxy trap", `return new Proxy({}, { get() { ${forever} } });`),
  inStep("a loop in toJSON", `return ["", 0, false, false, { toJSON() { ${forever} } }];`),
  inStep(
    "a loop that catches everything",
    `while (true) try { while (true); } catch {} finally { continue; }`,
  ),
  inStep(
    "a loop of microtasks",
    `const again = () => Promise.resolve().then(again); again(); ${answering('""')}`,
  ),
  inStep("an async loop", `(async () => { while (true) await 0; })(); ${answering('""')}`),
  inStep("a generator without end", "for (const _ of (function* () { while (true) yield 1; })()); return 0;"),
  inStep("a regex bomb", `/^(a+)+$/.test("a".repeat(40) + "b"); ${answering('""')}`),
  inStep("a regex bomb by replace", `"x".repeat(60).replace(/(x+x+)+y/g, ""); ${answering('""')}`),
  inStep("a sort that never ends", "[3, 2, 1].sort(() => { while (true); }); return 0;"),
  inStep("recursion without end", "const f = (n) => 1 + f(n + 1); return f(0);", ["environment-threw"]),
  inStep(
    "recursion that catches its overflow",
    "const f = () => { try { f(); } catch { f(); } }; f(); return 0;",
    ["timed-out", "environment-threw", "bad-shape"],
  ),
];

export const memory: readonly Attack[] = [
  heavy("an array of 10^9", `return [String(Array(1e9).fill(0).length)];`, overOrThrown),
  heavy("an array of 5·10^7 objects", `return [String(Array(5e7).fill({}).length)];`, overOrThrown),
  inStep(
    "arrays without end",
    "const all = []; while (true) all.push(new Array(1000).fill(all));",
    overSomeLimit,
  ),
  inStep(
    "strings without end",
    "const all = []; while (true) all.push(String(all.length).padEnd(10000, 'x'));",
    overSomeLimit,
  ),
  inStep("a string that doubles", "let s = 'ab'; while (true) s = s + s;", overOrThrown),
  heavy("a BigInt that squares", "let n = 3n; while (true) n = n * n;", overOrThrown),
  heavy("a BigInt to text", "return [(7n ** (1n << 22n)).toString()];", [
    ...overSomeLimit,
    "too-large",
    "bad-shape",
  ]),
  inStep(
    "a Map without end",
    "const map = new Map(); for (let i = 0; ; i += 1) map.set(i, {});",
    overOrThrown,
  ),
  inStep(
    "Symbols without end",
    "const all = []; while (true) all.push(Symbol('a' + all.length));",
    overSomeLimit,
  ),
  inStep(
    "typed arrays without end",
    "const all = []; while (true) all.push(new Uint8Array(1e6).fill(1));",
    overSomeLimit,
  ),
  inStep(
    "a buffer that grows",
    "const buffer = new ArrayBuffer(8, { maxByteLength: 2 ** 32 }); buffer.resize(2 ** 30); return 0;",
    ["environment-threw"],
  ),
  inStep("one huge typed array", "return [String(new Float64Array(1e9).length)];", overOrThrown),
  heavy("a sparse sort", "const a = []; a[4e9] = 1; a.length = 4294967295; a.sort(); return 0;", [
    ...overOrThrown,
    "bad-shape",
  ]),
  inStep("repeat and join", "return [Array(2000).fill('abcdefgh'.repeat(2 ** 20)).join('').length];", [
    ...overOrThrown,
    "bad-shape",
  ]),
  inStep(
    "repeats kept",
    "const all = []; while (true) all.push('a'.repeat(2 ** 28) + all.length, all.join(''));",
    overOrThrown,
  ),
  inStep(
    "closures without end",
    "let f = () => 1; while (true) { const g = f; f = () => g(); }",
    overSomeLimit,
  ),
  inStep("a property bag without end", "for (let i = 0; ; i += 1) this['p' + i] = { i };", overSomeLimit),
  {
    name: "memory in the constructor",
    bodies: { construct: "this.all = []; while (true) this.all.push(new Array(1000).fill(0));" },
    call: "open",
    verdicts: overSomeLimit,
  },
  {
    name: "memory in solution",
    bodies: { solution: "const all = []; while (true) all.push(new Array(1000).fill(0));" },
    call: "solution",
    verdicts: overSomeLimit,
  },
];

export const thrown: readonly Attack[] = [
  inStep("a thrown Proxy", `throw new Proxy({}, { get() { throw new Proxy({}, {}); } });`, [
    "environment-threw",
  ]),
  inStep("a thrown Proxy with looping traps", `throw new Proxy({}, { get() { ${forever} } });`),
  inStep(
    "a thrown error with a looping message",
    `throw Object.defineProperty(new Error(), "message", { get() { ${forever} } });`,
  ),
  inStep(
    "a thrown error with a looping stack",
    `throw Object.defineProperty(new Error("a"), "stack", { get() { ${forever} } });`,
  ),
  inStep("a thrown error with a looping name", `throw { get name() { ${forever} } };`),
  inStep(
    "a rejected promise with a looping stack",
    `Promise.reject({ get stack() { ${forever} } }); ${answering('""')}`,
    timedOut,
  ),
  {
    name: "a looping stack thrown at module level",
    bodies: { top: `throw Object.defineProperty(new Error("a"), "stack", { get() { ${forever} } });` },
    call: "open",
    verdicts: timedOut,
  },
  inStep(
    "prepareStackTrace",
    `"use strict"; Error.prepareStackTrace = () => { ${forever} }; throw new Error("plain");`,
    ["environment-threw"],
  ),
  inStep("a rejected promise", `Promise.reject(new Error("left alone")); ${answering('""')}`, [
    "environment-threw",
  ]),
  inStep("a thrown null", "throw null;", ["environment-threw"]),
  inStep("a thrown undefined", "throw undefined;", ["environment-threw"]),
  inStep("a thrown Symbol", "throw Symbol('s');", ["environment-threw"]),
  inStep("a thrown BigInt", "throw 10n;", ["environment-threw"]),
  inStep("a thrown function", "throw () => 1;", ["environment-threw"]),
  inStep("a thrown error with a huge message", "throw new Error('x'.repeat(2 ** 24));", [
    "environment-threw",
  ]),
  inStep(
    "a thrown error with a message that is no text",
    "throw { name: 1, message: { toString() { while (true); } } };",
    ["environment-threw"],
  ),
];
