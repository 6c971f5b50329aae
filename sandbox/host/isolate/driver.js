/*
 * The driver: the one function through which the host talks to an environment, evaluated in the isolate before any
 * untrusted code. It catches everything that an environment throws and answers with one size-capped string, so that
 * no object of the environment is ever read outside the isolate and its time limit.
 *
 * It may only use what it captured here, and syntax that consults no prototype: the environment can have replaced
 * everything else (Array.prototype setters, iterators, toJSON, Function.prototype.call).
 *
 * Answers: "D" + JSON: done. "C" + JSON: a part of a run, call "more" for the next. "F" + letter + message: failed.
 * Letters: t threw, b bad shape, l too large, n load failed, m out of memory.
 */
(function driver() {
  const stringify = JSON.stringify;
  const parse = JSON.parse;
  const isArray = Array.isArray;
  const apply = Reflect.apply;
  const construct = Reflect.construct;
  const getPrototypeOf = Reflect.getPrototypeOf;
  // biome-ignore lint/security/noGlobalEval: the isolate exists to evaluate the source, and errors must stay in it.
  const globalEval = eval;
  const { charCodeAt, slice, indexOf, toWellFormed } = String.prototype;
  const { floor, min } = Math;
  const { now, seedRandom, beginEpisode, textBytes, errorCharacters, sliceMs, partCharacters } = prelude;
  const { ToolUseBaseEnv } = globalThis;
  delete globalThis.prelude;

  const cut = (text, limit) => (text.length > limit ? `${apply(slice, text, [0, limit - 1])}…` : text);

  /* What was thrown, as one line. Reading it may run the environment's getters: still inside the time limit. */
  const describe = (thrown) => {
    try {
      if (typeof thrown === "object" && thrown !== null) {
        const name = thrown.name;
        const message = thrown.message;
        const text = `${typeof name === "string" ? name : "Error"}: ${typeof message === "string" ? message : "no message"}`;
        return cut(text + lineOf(thrown.stack), errorCharacters);
      }
      if (typeof thrown === "function") return "a thrown function";
      return cut(
        `thrown ${typeof thrown}: ${typeof thrown === "symbol" ? "symbol" : thrown}`,
        errorCharacters,
      );
    } catch {
      return "an error that throws when it is read";
    }
  };

  /* Where in the source, from the first frame that lies in it. */
  const lineOf = (stack) => {
    if (typeof stack !== "string") return "";
    const mark = "environment.js:";
    const at = apply(indexOf, stack, [mark]);
    if (at < 0) return "";
    let line = 0;
    for (let i = at + mark.length; i < stack.length; i += 1) {
      const digit = apply(charCodeAt, stack, [i]) - 48;
      if (digit < 0 || digit > 9) break;
      line = line * 10 + digit;
    }
    return ` (line ${line})`;
  };

  const letterOf = (thrown, letter) => {
    try {
      // The allocator refused a buffer beyond the memory limit; the engine reports that as a RangeError.
      const message = thrown.message;
      if (message === "Array buffer allocation failed") return "m";
    } catch {}
    return letter;
  };

  const kindOf = (value) => {
    if (value === null) return "null";
    if (isArray(value)) return "an array";
    if (typeof value === "object") return "an object";
    return value === undefined ? "undefined" : `a ${typeof value}`;
  };

  const overBytes = (text) => {
    const length = text.length;
    if (length * 3 <= textBytes) return false;
    if (length > textBytes) return true;
    let bytes = 0;
    for (let i = 0; i < length; i += 1) {
      const unit = apply(charCodeAt, text, [i]);
      bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit <= 0xdfff ? 2 : 3;
    }
    return bytes > textBytes;
  };

  /* A failure while an answer is taken apart; a plain object, so that nothing of Error's can interfere. */
  let failure = "";
  const fail = (letter, message) => {
    failure = `F${letter}${message}`;
    return "";
  };

  const textOf = (call, value) => {
    if (typeof value !== "string") {
      return fail("b", `${call} gave ${kindOf(value)} as its observation; it must be a string.`);
    }
    if (overBytes(value)) return fail("l", `${call} gave an observation of more than ${textBytes} bytes.`);
    return stringify(value);
  };

  const infoOf = (call, value) => {
    if (typeof value !== "object" || value === null || isArray(value)) {
      return fail("b", `${call} gave ${kindOf(value)} as its info; it must be an object.`);
    }
    let text;
    try {
      text = stringify(value);
    } catch (thrown) {
      return fail("b", `${call} gave an info that is no JSON: ${describe(thrown)}`);
    }
    if (typeof text !== "string" || text[0] !== "{") {
      return fail("b", `${call} gave an info that is no JSON object.`);
    }
    if (overBytes(text)) return fail("l", `${call} gave an info of more than ${textBytes} bytes.`);
    return text;
  };

  const notAnAnswer = (call, value, shape) => {
    if (typeof value === "object" && value !== null && typeof value.then === "function") {
      return fail("b", `${call} returned a promise; environments have no asynchronous code.`);
    }
    return fail("b", `${call} returned ${kindOf(value)}; it must return ${shape}.`);
  };

  const resetText = (answer) => {
    if (typeof answer === "string") {
      const bare = textOf("reset", answer);
      return bare === "" ? "" : `[${bare},{}]`;
    }
    let observation;
    let info;
    if (isArray(answer)) {
      observation = answer[0];
      info = answer[1];
    } else if (typeof answer === "object" && answer !== null) {
      observation = answer.observation;
      info = answer.info;
      if (observation === undefined && info === undefined) {
        return notAnAnswer("reset", answer, "{ observation, info }");
      }
    } else {
      return notAnAnswer("reset", answer, "{ observation, info }");
    }
    const first = textOf("reset", observation);
    if (first === "") return "";
    const second = infoOf("reset", info);
    return second === "" ? "" : `[${first},${second}]`;
  };

  let over = false;
  /* A text of at most this length fits the limit whatever its characters are. */
  const surelyFits = floor(textBytes / 3);

  const stepText = (answer) => {
    let observation;
    let reward;
    let terminated;
    let truncated;
    let info;
    if (isArray(answer)) {
      observation = answer[0];
      reward = answer[1];
      terminated = answer[2];
      truncated = answer[3];
      info = answer[4];
    } else if (typeof answer === "object" && answer !== null) {
      observation = answer.observation;
      reward = answer.reward;
      terminated = answer.terminated;
      truncated = answer.truncated;
      info = answer.info;
    } else {
      return notAnAnswer("step", answer, "{ observation, reward, terminated, truncated, info }");
    }
    if (
      typeof observation === "string" &&
      typeof reward === "number" &&
      reward - reward === 0 &&
      typeof terminated === "boolean" &&
      typeof truncated === "boolean" &&
      typeof info === "object" &&
      info !== null
    ) {
      // The common case in as few operations as possible: it is paid for every step.
      const text = stringifyOrNothing([observation, reward, terminated, truncated, info]);
      if (typeof text === "string" && text.length <= surelyFits) {
        over = terminated || truncated;
        return text;
      }
    }
    return stepTextInDetail(answer, observation, reward, terminated, truncated, info);
  };

  const stringifyOrNothing = (value) => {
    try {
      return stringify(value);
    } catch {
      return undefined;
    }
  };

  /* The same for what is long or wrong, with the sentence that says what is. */
  const stepTextInDetail = (answer, observation, reward, terminated, truncated, info) => {
    if (observation === undefined && reward === undefined) {
      return notAnAnswer("step", answer, "{ observation, reward, terminated, truncated, info }");
    }
    const first = textOf("step", observation);
    if (first === "") return "";
    if (typeof reward !== "number") {
      return fail("b", `step gave ${kindOf(reward)} as its reward; it must be a number.`);
    }
    if (reward - reward !== 0) return fail("b", `step gave the reward ${reward}; it must be finite.`);
    if (typeof terminated !== "boolean" || typeof truncated !== "boolean") {
      return fail(
        "b",
        `step gave ${kindOf(terminated)} as terminated and ${kindOf(truncated)} as truncated; both must be booleans.`,
      );
    }
    const last = infoOf("step", info);
    if (last === "") return "";
    over = terminated || truncated;
    return `[${first},${reward},${terminated},${truncated},${last}]`;
  };

  let environment = null;
  let hasSolution = false;
  let isToolUse = false;

  const wholeAtLeastOne = (value) => typeof value === "number" && value - value === 0 && value >= 1;

  /* The class of the contract among the candidates: the last one that has both methods and is nobody's base. */
  const chooseClass = (candidates) => {
    let chosen = null;
    for (let i = 1; i < candidates.length; i += 1) {
      const candidate = candidates[i];
      if (typeof candidate !== "function") continue;
      const prototype = candidate.prototype;
      if (typeof prototype !== "object" || prototype === null) continue;
      if (typeof prototype.reset !== "function" || typeof prototype.step !== "function") continue;
      let isBase = false;
      for (let j = 1; j < candidates.length; j += 1) {
        const other = candidates[j];
        if (typeof other === "function" && other !== candidate && getPrototypeOf(other) === candidate)
          isBase = true;
      }
      if (!isBase) chosen = candidate;
    }
    return chosen;
  };

  const load = (source, namesJson) => {
    const names = parse(namesJson);
    let tail = "ToolUseBaseEnv";
    for (let i = 0; i < names.length; i += 1) {
      tail += `,typeof ${names[i]}==="function"?${names[i]}:undefined`;
    }
    seedRandom(0);
    const candidates = globalEval(`${source}\n;[${tail}];\n//# sourceURL=environment.js`);
    if (!isArray(candidates) || candidates[0] !== ToolUseBaseEnv) {
      return "FnToolUseBaseEnv is provided; the source must not write its own.";
    }
    const found = chooseClass(candidates);
    if (found === null) {
      return "FnThe source has no class whose name ends in Env with the methods reset and step.";
    }
    environment = construct(found, []);
    isToolUse = false;
    for (let base = found; base !== null && typeof base === "function"; base = getPrototypeOf(base)) {
      if (base === ToolUseBaseEnv) isToolUse = true;
    }
    hasSolution = typeof environment.solution === "function";
    const declared = found.maxTurns;
    const own = environment.maxTurns;
    const turns = wholeAtLeastOne(declared) ? declared : wholeAtLeastOne(own) ? own : 25;
    const single = found.singleInstance === true;
    const name = found.name;
    if (typeof name !== "string" || name.length > 200) return "FnThe class has no usable name.";
    return `D[${stringify(name)},${isToolUse ? '"tool-use"' : '"game"'},${floor(min(turns, 1e6))},${single},${hasSolution}]`;
  };

  const reset = (seed) => {
    seedRandom(seed);
    over = false;
    if (isToolUse) beginEpisode(environment);
    return resetText(environment.reset(seed));
  };

  const solution = () => {
    if (!hasSolution) return "null";
    const list = environment.solution();
    // A bare string is what Python's contract has: one action, or several on lines of their own.
    if (typeof list === "string") {
      return overBytes(list)
        ? fail("l", "solution gave too long a text.")
        : `[${stringify(apply(toWellFormed, list, []))}]`;
    }
    if (!isArray(list))
      return fail("b", `solution returned ${kindOf(list)}; it must return an array of strings.`);
    const length = list.length;
    if (length > 10_000) return fail("l", "solution has more than 10000 entries.");
    let text = "[";
    for (let i = 0; i < length; i += 1) {
      const entry = list[i];
      if (typeof entry !== "string") {
        return fail("b", `solution has ${kindOf(entry)} at index ${i}; every entry must be a string.`);
      }
      text += (i === 0 ? "" : ",") + stringify(apply(toWellFormed, entry, []));
      if (text.length > textBytes) return fail("l", `solution is longer than ${textBytes} bytes.`);
    }
    return `${text}]`;
  };

  const tools = () => {
    if (!isToolUse) return "[]";
    const list = environment.tools();
    if (!isArray(list)) return fail("b", `tools returned ${kindOf(list)}; it must return an array.`);
    const length = list.length;
    let text = "[";
    for (let i = 0; i < length; i += 1) {
      const tool = list[i];
      if (typeof tool !== "object" || tool === null) {
        return fail(
          "b",
          `tools has ${kindOf(tool)} at index ${i}; every entry must be { name, description, parameters }.`,
        );
      }
      const name = tool.name;
      const description = tool.description;
      const parameters = tool.parameters;
      if (typeof name !== "string" || typeof description !== "string") {
        return fail("b", `tools has an entry at index ${i} without a name or description string.`);
      }
      const schema = infoOf(`the parameters of tool ${cut(name, 60)}`, parameters);
      if (schema === "") return "";
      text += `${i === 0 ? "" : ","}[${stringify(apply(toWellFormed, name, []))},${stringify(apply(toWellFormed, description, []))},${schema}]`;
      if (text.length > textBytes) return fail("l", `tools gave more than ${textBytes} bytes.`);
    }
    return `${text}]`;
  };

  /* A run in progress: which phase comes next, and what of the current part is written already. */
  let actions = [];
  let next = 0;
  let phase = 0;
  let runSeed = 0;
  let wantSolution = false;
  let wantTools = false;
  let doing = "reset";
  let resetPart = "null";
  let solutionPart = "null";
  let toolsPart = "null";
  let steps = "";

  const startPart = () => {
    resetPart = "null";
    solutionPart = "null";
    toolsPart = "null";
    steps = "";
  };

  /* Written by hand, since stringify would ask an array for its toJSON. */
  const part = (mark) => {
    const failed = failure === "" ? "null" : `["${doing}",${stringify(failure)}]`;
    return `${mark}[${resetPart},${solutionPart},${toolsPart},[${steps}],${failed}]`;
  };

  /* What comes before the steps. Phases: 0 reset, 1 solution, 2 tools, 3 steps. */
  const advanceRun = () => {
    if (phase === 0) {
      doing = "reset";
      const text = reset(runSeed);
      if (failure === "") resetPart = text;
    } else if (phase === 1 && wantSolution) {
      doing = "solution";
      const text = solution();
      if (failure === "") solutionPart = text;
    } else if (phase === 2 && wantTools && isToolUse) {
      doing = "tools";
      const text = tools();
      if (failure === "") toolsPart = text;
    }
    phase += 1;
  };

  const beginRun = (seed, list, withSolution, withTools) => {
    failure = "";
    runSeed = seed;
    actions = list;
    wantSolution = withSolution;
    wantTools = withTools;
    next = 0;
    phase = 0;
    over = false;
  };

  const continueRun = (started) => {
    startPart();
    try {
      while (phase < 3) {
        advanceRun();
        if (failure !== "") return part("D");
        if (now() - started > sliceMs) return part("C");
      }
      doing = "step";
      const count = actions.length;
      while (next < count && !over) {
        const text = stepText(environment.step(actions[next]));
        if (failure !== "") return part("D");
        steps = steps === "" ? text : `${steps},${text}`;
        next += 1;
        if (now() - started > sliceMs || steps.length > partCharacters) return part("C");
      }
    } catch (thrown) {
      failure = `F${letterOf(thrown, "t")}${describe(thrown)}`;
    }
    return part("D");
  };

  /* Several runs in one message: which comes next, and the parts that the present answer holds so far. */
  let scripts = null;
  let nextScript = 0;
  let parts = "";

  const beginScript = () => {
    const script = scripts[nextScript];
    nextScript += 1;
    beginRun(script[0], script[1], script[2], script[3]);
  };

  const addToParts = (whole, text) => {
    parts = `${parts === "" ? "" : `${parts},`}[${whole},${text}]`;
  };

  const continueRuns = (started) => {
    parts = "";
    for (;;) {
      const text = continueRun(started);
      const whole = text[0] === "D";
      addToParts(whole, apply(slice, text, [1]));
      if (whole && nextScript === scripts.length) return `D[${parts}]`;
      if (whole) beginScript();
      if (!whole || now() - started > sliceMs || parts.length > partCharacters) return `C[${parts}]`;
    }
  };

  /* What a run, or the last of several, wrote before it was stopped. */
  const partial = () => {
    if (scripts === null) return part("C");
    addToParts(false, part(""));
    return `C[${parts}]`;
  };

  return (call, first, second, third, fourth) => {
    failure = "";
    try {
      if (call === "step") {
        const text = stepText(environment.step(first));
        return failure === "" ? `D${text}` : failure;
      }
      if (call === "run") {
        scripts = null;
        beginRun(first, parse(second), third, fourth);
        return continueRun(now());
      }
      if (call === "runs") {
        scripts = parse(first);
        nextScript = 0;
        beginScript();
        return continueRuns(now());
      }
      if (call === "more") return scripts === null ? continueRun(now()) : continueRuns(now());
      if (call === "partial") return partial();
      if (call === "load") return load(first, second);
      const text = call === "reset" ? reset(first) : call === "solution" ? solution() : tools();
      return failure === "" ? `D${text}` : failure;
    } catch (thrown) {
      const letter = letterOf(thrown, call === "load" ? "n" : "t");
      return `F${letter}${describe(thrown)}`;
    }
  };
})();
