/*
 * ToolUseBaseEnv, the provided base of tool-use environments: it owns the tool protocol, so that a designer writes
 * tools and a goal and never a parser. One call or answer a step; the format and the rules are in docs/environments.md.
 */
(function provide() {
  const formatPenalty = -0.1;
  const tolerance = 0.01;
  const callForm = '<tool_call>{"name": "…", "arguments": {…}}</tool_call>';

  /* What lies in the last <tag>…</tag> of a text, and where it starts; null if there is none. */
  const lastTagged = (text, tag) => {
    const opening = `<${tag}>`;
    const start = text.lastIndexOf(opening);
    if (start < 0) return null;
    const end = text.indexOf(`</${tag}>`, start);
    return end < 0 ? null : { start, body: text.slice(start + opening.length, end).trim() };
  };

  const plain = (value) => {
    const text = typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
    return text.trim().toLowerCase().replace(/\s+/g, " ");
  };

  const numberIn = (text) => {
    const digits = text.replace(/[$,\s]/g, "");
    return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/.test(digits) ? Number(digits) : null;
  };

  const sameAnswer = (given, expected) => {
    const left = plain(given);
    const right = plain(expected);
    if (left === right) return true;
    const leftNumber = numberIn(left);
    const rightNumber = numberIn(right);
    return (
      leftNumber !== null && rightNumber !== null && Math.abs(leftNumber - rightNumber) <= tolerance + 1e-9
    );
  };

  const turnsTaken = new WeakMap();

  class ToolUseBaseEnv {
    expectedAnswer = null;

    reset(_seed) {
      return { observation: "", info: {} };
    }

    tools() {
      return [];
    }

    /** Whether an answer is right; override it for more than comparing with expectedAnswer. */
    checkAnswer(answer) {
      if (this.expectedAnswer === null || this.expectedAnswer === undefined) return false;
      return sameAnswer(answer, this.expectedAnswer);
    }

    step(action) {
      const turn = (turnsTaken.get(this) ?? 0) + 1;
      turnsTaken.set(this, turn);
      const result = respond(this, String(action));
      if (result.terminated || turn < turnLimit(this)) return result;
      const observation = `${result.observation}\n\nYou are out of turns.${revealed(this)}`;
      return { ...result, observation, truncated: true };
    }
  }

  const turnLimit = (environment) => {
    for (const declared of [environment.constructor.maxTurns, environment.maxTurns]) {
      if (typeof declared === "number" && declared >= 1) return Math.floor(declared);
    }
    return 25;
  };

  const revealed = (environment) => {
    if (typeof environment.solution !== "function") return "";
    try {
      return ` A solution: ${[environment.solution()].flat().join(" ")}`;
    } catch {
      return "";
    }
  };

  const answerWith = (observation, reward = 0, terminated = false, info = {}) => ({
    observation,
    reward,
    terminated,
    truncated: false,
    info,
  });

  const respond = (environment, action) => {
    const call = lastTagged(action, "tool_call");
    const answer = lastTagged(action, "answer");
    if (answer !== null && (call === null || answer.start > call.start)) {
      return respondToAnswer(environment, answer.body);
    }
    if (call === null) {
      return formatError(`write exactly one ${callForm}, or <answer>…</answer> once you know the result`);
    }
    let parsed;
    try {
      parsed = JSON.parse(call.body);
    } catch {
      return formatError(`what stands in <tool_call> is no JSON; write ${callForm}`);
    }
    if (typeof parsed !== "object" || parsed === null || typeof parsed.name !== "string") {
      return formatError(`the call has no "name"; write ${callForm}`);
    }
    const given = parsed.arguments ?? {};
    if (typeof given !== "object" || Array.isArray(given)) {
      return formatError(`"arguments" must be an object; write ${callForm}`);
    }
    return runTool(environment, parsed.name, given);
  };

  const formatError = (problem) =>
    answerWith(`Format error: ${problem}.`, formatPenalty, false, { error: "format" });

  const runTool = (environment, name, given) => {
    const known = environment.tools().map((tool) => tool.name);
    const method = environment[`tool_${name}`];
    if (!known.includes(name) || typeof method !== "function") {
      return answerWith(`Unknown tool "${name}". Known tools: ${known.join(", ")}.`, 0, false, {
        error: "unknown tool",
      });
    }
    try {
      const result = method.call(environment, given);
      return answerWith(typeof result === "string" ? result : (JSON.stringify(result) ?? "done"));
    } catch (thrown) {
      return answerWith(`Error: ${thrown instanceof Error ? thrown.message : String(thrown)}`, 0, false, {
        error: "tool",
      });
    }
  };

  /* Multi-message games: an answer closes the present message if its criterion holds, and the next one follows. */
  const respondToAnswer = (environment, answer) => {
    const messages = environment._user_messages;
    if (!Array.isArray(messages) || messages.length === 0) return verdictOn(environment, answer);
    const current = Number(environment._current_msg ?? 0);
    const criterion = environment._message_criteria?.[current];
    if (typeof criterion === "function" && !criterion.call(environment, environment._state)) {
      return answerWith(
        `Step ${current + 1} of ${messages.length} is still open: ${String(messages[current])}`,
        0,
        false,
        { open: current + 1 },
      );
    }
    if (current + 1 < messages.length) {
      environment._current_msg = current + 1;
      return answerWith(String(messages[current + 1]), 0, false, { message: current + 2 });
    }
    if (environment.expectedAnswer === null || environment.expectedAnswer === undefined) {
      return answerWith("Every step is done.", 1, true, { correct: true });
    }
    return verdictOn(environment, answer);
  };

  const verdictOn = (environment, answer) => {
    const correct = environment.checkAnswer(answer) === true;
    return answerWith(correct ? "The answer is right." : "The answer is wrong.", correct ? 1 : 0, true, {
      correct,
    });
  };

  prelude.beginEpisode = (environment) => {
    turnsTaken.set(environment, 0);
    environment._current_msg = 0;
  };
  Object.defineProperty(globalThis, "ToolUseBaseEnv", {
    value: ToolUseBaseEnv,
    writable: false,
    enumerable: false,
    configurable: false,
  });
})();
