// Stands in for the host's program and tries, with everything Node has, what a host must not be able to do.
import { createRequire } from "node:module";

const attempts = {
  readPasswords: () => import("node:fs").then((fs) => fs.readFileSync("/etc/passwd", "utf8")),
  readEnvironment: () => import("node:fs").then((fs) => fs.readFileSync("/proc/self/environ", "utf8")),
  readParent: ({ parent }) =>
    import("node:fs").then((fs) => fs.readFileSync(`/proc/${parent}/environ`, "utf8")),
  listRoot: () => import("node:fs").then((fs) => fs.readdirSync("/").join()),
  writeFile: () => import("node:fs").then((fs) => fs.writeFileSync("/tmp/spadework-jail-probe", "x")),
  writeHere: () => import("node:fs").then((fs) => fs.writeFileSync(new URL("./probe", import.meta.url), "x")),
  connect: ({ port }) =>
    import("node:net").then(
      (net) =>
        new Promise((resolve, reject) => {
          net
            .connect(port, "127.0.0.1")
            .on("connect", () => resolve("connected"))
            .on("error", reject);
        }),
    ),
  fetch: ({ port }) => fetch(`http://127.0.0.1:${port}`).then((response) => response.text()),
  datagram: ({ port }) =>
    import("node:dgram").then(
      (dgram) =>
        new Promise((resolve, reject) => {
          dgram
            .createSocket("udp4")
            .on("error", reject)
            .send("x", port, "192.0.2.1", (error) => (error ? reject(error) : resolve("sent")));
        }),
    ),
  lookUp: () => import("node:dns/promises").then((dns) => dns.lookup("example.com")),
  listen: () =>
    import("node:net").then(
      (net) =>
        new Promise((resolve, reject) => {
          net
            .createServer()
            .on("error", reject)
            .listen(0, () => resolve("listening"));
        }),
    ),
  spawn: () => import("node:child_process").then((child) => String(child.spawnSync("id").stdout)),
  fork: () => import("node:child_process").then((child) => child.fork("x").pid),
  worker: () =>
    import("node:worker_threads").then((threads) => new threads.Worker("1", { eval: true }).threadId),
  inspector: () => import("node:inspector").then((inspector) => inspector.open(0) ?? "open"),
  database: () =>
    createRequire(import.meta.url)("node:sqlite").DatabaseSync &&
    new (createRequire(import.meta.url)("node:sqlite").DatabaseSync)("/tmp/x.db") &&
    "opened",
  secret: () => {
    if (process.env.SPADEWORK_ATTACK_SECRET === undefined) throw Object.assign(new Error(), { code: "NONE" });
    return process.env.SPADEWORK_ATTACK_SECRET;
  },
  variables: () => Object.keys(process.env).join(),
  signalParent: ({ parent }) => {
    process.kill(parent, 0);
    return "seen";
  },
};

async function tryAll(given) {
  const told = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      told[name] = `done: ${await attempt(given)}`;
    } catch (error) {
      told[name] = error.code ?? error.cause?.code ?? error.name;
    }
  }
  return told;
}

const send = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`);
let rest = "";
process.stdin.setEncoding("utf8").on("data", async (text) => {
  rest += text;
  const lines = rest.split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const [name, , call, source] = JSON.parse(line);
    if (name === "open") {
      globalThis.given = JSON.parse(source);
      send([call, "done", ["ProbeEnv", "game", 1, false, false]]);
    } else if (name === "reset") send([call, "done", ["", await tryAll(globalThis.given)]]);
  }
});
process.stdin.on("end", () => process.exit());
send([0, "ready"]);
