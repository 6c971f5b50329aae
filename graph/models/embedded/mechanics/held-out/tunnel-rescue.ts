/** Tunnel rescue, held out: tunnels known by their directions alone, and lost ones to be found and brought out. */
import { results, slotPhrase, stateKeys } from "../conventions.ts";
import { gameSource, manners } from "../game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "../mechanic.ts";
import { js, quoteAll, say } from "../write.ts";

export const tunnelRescue: Mechanic = {
  name: "tunnel-rescue",
  kind: "game",
  concept: "explore",
  cueOffset: 6,
  skills: { "Spatial Reasoning": 1 },
  topics: [],
  rules: [
    { name: "lost", options: ["one", "two"] },
    { name: "finding", options: ["collect", "follow"] },
    { name: "home", options: ["out", "there"] },
    { name: "walls", options: ["plain", "bump"] },
    manners,
  ],
  heldOut: true,
  phases: [
    "take an exit that was not taken yet",
    "turn round when the hum grows",
    "when all are found, go out by the ways you know if that is asked",
  ],
  answerFormat: "a verb, with a direction behind it where one is asked for",
  write,
};

const directions = ["north", "east", "south", "west"] as const;

function write(design: Design): string {
  const { theme } = design;
  const steps = stepsNeeded(design.size);
  const lost = branch(design, "lost") === "two" && steps >= 6 ? 2 : 1;
  const collects = branch(design, "finding") === "collect";
  const out = branch(design, "home") === "out";
  const bump = branch(design, "walls") === "bump";
  const sides = Math.round((steps - 2) / 4);
  // A side tunnel costs a way in and out now and then.
  const moves = Math.max(2, steps - sides - (collects ? lost : 0));
  const depth = Math.max(2, out ? Math.floor(moves / 2) : moves);
  const rooms = theme.names.slice(0, 1 + depth + sides);
  const who = lost === 1 ? "the one who is" : "both who are";
  return gameSource(design, {
    goal: `find ${who} lost in the tunnels of the ${theme.thing}${out ? " and come out again" : ""}.`,
    rules: [
      "From a place there are exits in some of the four directions.",
      `The hum is the number of ways from here to the nearest lost one${out ? ", and to the mouth when all are found" : ""}.`,
      collects
        ? "A lost one who is here is collected, and comes along from then on."
        : "A lost one who is met comes along from then on.",
      out
        ? "The work is done when all are at the mouth, where you begin."
        : "The work is done when all are found.",
      ...(bump ? ["Going where there is no exit takes two turns."] : []),
    ],
    commands: [
      {
        form: "go <way>",
        description: "go through an exit",
        slots: [slotPhrase.word("way", directions.join(", "))],
        does: "this.go(words[1])",
      },
      ...(collects
        ? [{ form: "collect", description: "take along who is lost here", does: "this.collect()" }]
        : []),
    ],
    view: [
      say(`${stateKeys.place}: {{this.place}}`),
      `"${stateKeys.exits}: " + Object.keys(this.links[this.place]).sort().join(", ")`,
      `"${stateKeys.here}: " + (this.lost.includes(this.place) ? "somebody" : ${out ? 'this.place === this.rooms[0] ? "mouth" : ' : ""}"nothing")`,
      say(`${stateKeys.hum}: {{this.nearest().length}}`),
      `"${stateKeys.holding}: " + ["nothing", "one", "two"][${lost} - this.lost.length]`,
    ],
    setup: js`
      this.rooms = this.shuffled(${quoteAll(rooms)});
      this.place = this.rooms[0];
      this.links = {};
      this.cells = {};
      for (const room of this.rooms) this.links[room] = {};
      this.dig();
      this.lost = [this.rooms[${depth}]${lost === 2 ? `, this.rooms[1 + this.below(${depth - 1})]` : ""}];
    `,
    methods: js`
      dig() {
        this.cells[this.rooms[0]] = [0, 0];
        const ways = [this.shuffled(["north", "south"])[0], this.shuffled(["east", "west"])[0]];
        for (let i = 0; i < ${depth}; i += 1) this.join(this.rooms[i], ways[this.below(2)], this.rooms[i + 1]);
        for (const side of this.rooms.slice(${depth + 1})) {
          const walls = [];
          for (const room of this.rooms.slice(0, ${depth})) {
            for (const way of ["north", "east", "south", "west"]) {
              if (this.isRock(this.beside(room, way))) walls.push([room, way]);
            }
          }
          const [room, way] = walls[this.below(walls.length)];
          this.join(room, way, side);
        }
      }

      beside(room, way) {
        const [x, y] = this.cells[room];
        return { north: [x, y + 1], east: [x + 1, y], south: [x, y - 1], west: [x - 1, y] }[way];
      }

      isRock([x, y]) {
        return !Object.values(this.cells).some(([otherX, otherY]) => otherX === x && otherY === y);
      }

      join(room, way, other) {
        this.cells[other] = this.beside(room, way);
        this.links[room][way] = other;
        this.links[other][{ north: "south", east: "west", south: "north", west: "east" }[way]] = room;
      }

      route(to) {
        const paths = [[this.place, []]];
        const seen = new Set([this.place]);
        for (const [room, path] of paths) {
          if (room === to) return path;
          for (const [way, next] of Object.entries(this.links[room])) {
            if (seen.has(next)) continue;
            seen.add(next);
            paths.push([next, path.concat(way)]);
          }
        }
        return [];
      }

      nearest() {
        const goals = this.lost.length > 0 ? this.lost : [${out ? "this.rooms[0]" : "this.place"}];
        return goals.map((goal) => this.route(goal)).sort((a, b) => a.length - b.length)[0];
      }

      go(way) {
        if (!Object.hasOwn(this.links[this.place], way)) {
          ${bump && "this.turn += 1;"}
          return "${results.refused}: there is only rock";
        }
        this.place = this.links[this.place][way];
        ${!collects && "this.lost = this.lost.filter((room) => room !== this.place);"}
        this.look();
        return "you are at the " + this.place;
      }

      ${
        collects &&
        js`
          collect() {
            if (!this.lost.includes(this.place)) return "${results.refused}: nobody is lost here";
            this.lost = this.lost.filter((room) => room !== this.place);
            this.look();
            return "somebody comes along";
          }
        `
      }

      look() {
        if (this.lost.length === 0${out ? " && this.place === this.rooms[0]" : ""}) this.outcome = "won";
      }
    `,
    helpers: ["below", "shuffled"],
    solution: js`
      const commands = [];
      const [place, lost] = [this.place, this.lost];
      while (this.lost.length > 0) {
        for (const way of this.nearest()) {
          commands.push("go " + way);
          this.place = this.links[this.place][way];
        }
        ${collects && 'commands.push("collect");'}
        this.lost = this.lost.filter((room) => room !== this.place);
      }
      ${out && 'commands.push(...this.route(this.rooms[0]).map((way) => "go " + way));'}
      this.place = place;
      this.lost = lost;
      return commands;
    `,
  });
}
