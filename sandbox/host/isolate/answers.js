/*
 * Answers: what an environment returned or threw, taken apart into text. Nothing of it leaves the isolate as anything
 * but a string whose size is checked here; what does not fit the contract becomes a failure that says what is wrong.
 *
 * It may only use what it captured here, and syntax that consults no prototype: the environment can have replaced
 * everything else (Array.prototype setters, iterators, toJSON, Function.prototype.call).
 *
 * A failure is "F", a letter and a message. Letters: t threw, b bad shape, l too large, n load failed, m out of memory.
 */
(function answers() {
  const stringify = JSON.stringify;
  const isArray = Array.isArray;
  const { apply } = Reflect;
  const { charCodeAt, slice, indexOf, toWellFormed } = String.prototype;
  const { floor } = Math;
  const { textBytes, errorCharacters } = prelude;

  /* How the last answer turned out: its failure, and whether it ended the episode. */
  const last = { failure: "", over: false };

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

  const fail = (letter, message) => {
    last.failure = `F${letter}${message}`;
    return "";
  };

  const failThrown = (letter, thrown) => fail(letterOf(thrown, letter), describe(thrown));

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

  /* A text of at most this length fits the limit whatever its characters are. */
  const surelyFits = floor(textBytes / 3);

  /* The last step that was read: its info as text, its ends as 1 for terminated and 2 for truncated. */
  const step = { observation: "", reward: 0, ends: 0, info: "" };

  /* Reads what step returned into `step`; false if it does not fit. */
  const readStep = (answer) => {
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
      notAnAnswer("step", answer, "{ observation, reward, terminated, truncated, info }");
      return false;
    }
    let text;
    if (
      typeof observation === "string" &&
      observation.length <= surelyFits &&
      typeof reward === "number" &&
      reward - reward === 0 &&
      typeof terminated === "boolean" &&
      typeof truncated === "boolean" &&
      typeof info === "object" &&
      info !== null &&
      !isArray(info)
    ) {
      // The common case in as few operations as possible: it is paid for every step.
      text = stringifyOrNothing(info);
      if (typeof text !== "string" || text.length > surelyFits || text[0] !== "{") text = "";
    }
    if (text === undefined || text === "") {
      text = infoInDetail(answer, observation, reward, terminated, truncated, info);
      if (text === "") return false;
    }
    step.observation = observation;
    step.reward = reward;
    step.ends = terminated ? (truncated ? 3 : 1) : truncated ? 2 : 0;
    step.info = text;
    last.over = terminated || truncated;
    return true;
  };

  const stringifyOrNothing = (value) => {
    try {
      return stringify(value);
    } catch {
      return undefined;
    }
  };

  /* The info's text of a step that is long or wrong; "" with the sentence that says what is wrong. */
  const infoInDetail = (answer, observation, reward, terminated, truncated, info) => {
    if (observation === undefined && reward === undefined) {
      return notAnAnswer("step", answer, "{ observation, reward, terminated, truncated, info }");
    }
    if (textOf("step", observation) === "") return "";
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
    return infoOf("step", info);
  };

  /* A step that comes alone, as text. */
  const stepText = (answer) => {
    if (!readStep(answer)) return "";
    const { ends } = step;
    return `[${stringify(step.observation)},${step.reward},${ends === 1 || ends === 3},${ends > 1},${step.info}]`;
  };

  const solutionText = (list) => {
    // A bare string is what Python's contract has: one action, or several on lines of their own.
    if (typeof list === "string") {
      return overBytes(list)
        ? fail("l", "solution gave too long a text.")
        : `[${stringify(apply(toWellFormed, list, []))}]`;
    }
    if (!isArray(list)) {
      return fail("b", `solution returned ${kindOf(list)}; it must return an array of strings.`);
    }
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

  const toolsText = (list) => {
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

  prelude.answers = { last, step, fail, failThrown, resetText, readStep, stepText, solutionText, toolsText };
})();
