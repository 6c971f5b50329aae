// A host that lies: it stands in the host's place and breaks the protocol as the source it is asked to open says.
const send = (frame) =>
  process.stdout.write(`${typeof frame === "string" ? frame : JSON.stringify(frame)}\n`);
const step = ["fine", 0, false, false, {}];
let mode = "";
let steps = 0;

const lies = {
  "no JSON": () => send("this is no frame"),
  "a frame of an unknown form": (call) => send([call, "done"]),
  "a frame with an unknown word": (call) => send([call, "perhaps", step]),
  "an object": () => send({ call: 1 }),
  "an answer that nobody asked for": () => send([999_999, "done", step]),
  "an answer twice": (call) => {
    send([call, "done", step]);
    send([call, "done", ["PWN", 1, true, false, {}]]);
  },
  "an answer to a negative call": () => send([-1, "done", step]),
  "info as text": (call) => send([call, "done", ["fine", 0, false, false, "PWN"]]),
  "a reward as text": (call) => send([call, "done", ["fine", "1", false, false, {}]]),
  "an infinite reward": (call) => send(`[${call},"done",["fine",1e999,false,false,{}]]`),
  "an infinite number in info": (call) => send(`[${call},"done",["fine",0,false,false,{"n":1e999}]]`),
  "a longer list": (call) => send([call, "done", [...step, "PWN"]]),
  "a failure with an unknown verdict": (call) => send([call, "failed", "hacked", "x"]),
  "an endless failure text": (call) => send([call, "failed", "environment-threw", "x".repeat(100_000)]),
  "a frame without end": () => {
    const chunk = "x".repeat(1 << 20);
    const more = () => process.stdout.write(chunk, more);
    more();
  },
  "a flood of frames": () => {
    const chunk = `${JSON.stringify([0, "busy", []])}\n`.repeat(10_000);
    const more = () => process.stdout.write(chunk, more);
    more();
  },
  "half a frame, then silence": (call) => process.stdout.write(`[${call},"done",["fi`),
  "half a frame, then the end": (call) =>
    process.stdout.write(`[${call},"done",["fi`, () => process.kill(process.pid, "SIGKILL")),
  silence: () => {},
  "another answer in every process, then the end": (call) => {
    steps += 1;
    if (steps > 1) process.exit(0);
    send([call, "done", [String(process.hrtime.bigint()), 0, false, false, {}]]);
  },
  "the end": () => process.exit(0),
  "a catastrophe that it made up": () => send([0, "catastrophe", 1, "x"]),
};

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  rest += text;
  const lines = rest.split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const [name, , call, source] = JSON.parse(line);
    if (name === "open") {
      mode = source;
      send([call, "done", ["RogueEnv", "game", 1, false, false]]);
    } else if (name === "reset") send([call, "done", ["start", {}]]);
    else if (name === "step") lies[mode](call);
  }
});
process.stdin.on("end", () => process.exit());
send([0, "ready"]);
