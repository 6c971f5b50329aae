/*
 * The driver: the one function through which the host talks to an environment, evaluated in the isolate before any
 * untrusted code. It catches everything that an environment throws and answers with one string, so that no object of
 * the environment is ever read outside the isolate and its time limit. As in the answers, it may only use what it
 * captured and syntax that consults no prototype.
 *
 * It answers "D" and JSON: done; "C" and JSON: a part of a run, to be followed by "more"; "F", a letter and a message:
 * failed.
 */
(function driver() {
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { apply, construct, getPrototypeOf } = Reflect;
  // biome-ignore lint/security/noGlobalEval: the isolate exists to evaluate the source, and errors must stay in it.
  const globalEval = eval;
  const { slice } = String.prototype;
  const { floor, min } = Math;
  const { now, seedRandom, beginEpisode, sliceMs, partCharacters } = prelude;
  const { last, step, fail, failThrown, resetText, readStep, stepText, solutionText, toolsText } =
    prelude.answers;
  const { ToolUseBaseEnv } = globalThis;
  delete globalThis.prelude;

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
      return fail("n", "ToolUseBaseEnv is provided; the source must not write its own.");
    }
    const found = chooseClass(candidates);
    if (found === null) {
      return fail("n", "The source has no class whose name ends in Env with the methods reset and step.");
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
    if (typeof name !== "string" || name.length > 200) return fail("n", "The class has no usable name.");
    return `[${stringify(name)},${isToolUse ? '"tool-use"' : '"game"'},${floor(min(turns, 1e6))},${single},${hasSolution}]`;
  };

  const reset = (seed) => {
    seedRandom(seed);
    last.over = false;
    if (isToolUse) beginEpisode(environment);
    return resetText(environment.reset(seed));
  };

  const solution = () => (hasSolution ? solutionText(environment.solution()) : "null");

  const tools = () => (isToolUse ? toolsText(environment.tools()) : "[]");

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
  /*
   * Steps are written by column, since that costs much less than one by one: all observations as one text, for each step
   * the length of its observation, its reward and how it ended, and all infos.
   */
  let observations = "";
  let numbers = "";
  let infos = "";

  const addStep = () => {
    const { observation, reward, ends, info } = step;
    const own = `${observation.length},${reward},${ends}`;
    const isFirst = numbers === "";
    // Nothing that could be stopped stands between these, so that the columns are always of one length.
    observations += observation;
    numbers = isFirst ? own : `${numbers},${own}`;
    infos = isFirst ? info : `${infos},${info}`;
  };

  const startPart = () => {
    resetPart = "null";
    solutionPart = "null";
    toolsPart = "null";
    observations = "";
    numbers = "";
    infos = "";
  };

  /* Written by hand, since stringify would ask an array for its toJSON. */
  const part = (mark) => {
    const failed = last.failure === "" ? "null" : `["${doing}",${stringify(last.failure)}]`;
    const steps = numbers === "" ? "null" : `[${stringify(observations)},[${numbers}],[${infos}]]`;
    return `${mark}[${resetPart},${solutionPart},${toolsPart},${steps},${failed}]`;
  };

  /* What comes before the steps. Phases: 0 reset, 1 solution, 2 tools, 3 steps. */
  const advanceRun = () => {
    if (phase === 0) {
      doing = "reset";
      const text = reset(runSeed);
      if (last.failure === "") resetPart = text;
    } else if (phase === 1 && wantSolution) {
      doing = "solution";
      const text = solution();
      if (last.failure === "") solutionPart = text;
    } else if (phase === 2 && wantTools && isToolUse) {
      doing = "tools";
      const text = tools();
      if (last.failure === "") toolsPart = text;
    }
    phase += 1;
  };

  const beginRun = (seed, list, withSolution, withTools) => {
    last.failure = "";
    last.over = false;
    runSeed = seed;
    actions = list;
    wantSolution = withSolution;
    wantTools = withTools;
    next = 0;
    phase = 0;
  };

  const continueRun = (started) => {
    startPart();
    try {
      while (phase < 3) {
        advanceRun();
        if (last.failure !== "") return part("D");
        if (now() - started > sliceMs) return part("C");
      }
      doing = "step";
      const count = actions.length;
      while (next < count && !last.over) {
        if (!readStep(environment.step(actions[next]))) return part("D");
        addStep();
        next += 1;
        if (now() - started > sliceMs || observations.length + infos.length > partCharacters)
          return part("C");
      }
    } catch (thrown) {
      failThrown("t", thrown);
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

  const one = (call, first, second) => {
    if (call === "step") return stepText(environment.step(first));
    if (call === "load") return load(first, second);
    if (call === "reset") return reset(first);
    return call === "solution" ? solution() : tools();
  };

  return (call, first, second, third, fourth) => {
    last.failure = "";
    // A number instead of the name: a step comes alone more often than anything else, and names are compared slowly.
    if (call === 0) {
      try {
        const text = stepText(environment.step(first));
        if (last.failure === "") return `D${text}`;
      } catch (thrown) {
        failThrown("t", thrown);
      }
      return last.failure;
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
    try {
      const text = one(call, first, second);
      if (last.failure === "") return `D${text}`;
    } catch (thrown) {
      failThrown(call === "load" ? "n" : "t", thrown);
    }
    return last.failure;
  };
})();
