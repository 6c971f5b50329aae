/** Key and door: an unknown map of places, through which keys have to be found and brought to a door. */
import { fatalPhrase, results, roles, slotPhrase, stateKeys } from "./conventions.ts";
import { gameSource, manners } from "./game.ts";
import { branch, type Design, type Mechanic, stepsNeeded } from "./mechanic.ts";
import { js, quoteAll, say } from "./write.ts";

export const keyMap: Mechanic = {
  name: "key-map",
  kind: "game",
  concept: "explore",
  cueOffset: 0,
  skills: { "Spatial Reasoning": 2, "Strategic Planning": 1, "Memory Recall": 0.7 },
  topics: "map island cave river castle forest road journey city temple travel mountain expedition".split(
    " ",
  ),
  rules: [
    { name: "door", options: ["unlock", "enter"] },
    { name: "pickup", options: ["take", "passing"] },
    { name: "keys", options: ["one", "two"] },
    { name: "traps", options: ["none", "dark", "deep"] },
    { name: "shape", options: ["tree", "ring"] },
    { name: "decoys", options: ["none", "junk"] },
    manners,
  ],
  heldOut: false,
  phases: [
    "go where you have not been and keep in mind how the places hang together",
    "turn round when the hum grows",
    "take what is needed, then walk to the door by the ways you know",
  ],
  answerFormat: "a verb, with the name of a place behind it where one is asked for",
  write,
};

/** How the walk is laid out: one corridor to each key and one to the door, each from a fork of the one before. */
function layout(design: Design) {
  const steps = stepsNeeded(design.size);
  const keys = branch(design, "keys") === "two" && steps >= 8 ? 2 : 1;
  const unlocks = branch(design, "door") === "unlock";
  const takes = branch(design, "pickup") === "take" ? keys : 0;
  const sides = Math.round((steps - 2) / 4);
  // A side room costs a way in and out now and then.
  const moves = Math.max(keys + 1, steps - takes - (unlocks ? 1 : 0) - sides);
  const lengths: number[] = [];
  const backs: number[] = [];
  let left = moves;
  for (let corridor = 0; corridor <= keys; corridor += 1) {
    const share = Math.max(1, Math.round(left / (keys + 1 - corridor)));
    const back =
      corridor > 0 && share > 1 ? design.random.below(Math.min(share, lengths[corridor - 1] ?? 1)) : 0;
    backs.push(back);
    lengths.push(share - back);
    left -= share;
  }
  return { keys, unlocks, takes: takes > 0, sides, lengths, backs };
}

function write(design: Design): string {
  const { random, theme } = design;
  const { keys, unlocks, takes, sides, lengths, backs } = layout(design);
  const traps = branch(design, "traps");
  const ring = branch(design, "shape") === "ring";
  const junk = branch(design, "decoys") === "junk";
  const dark = traps === "none" ? 0 : Math.max(1, Math.round(sides / 2));
  const corridorRooms = 1 + lengths.reduce((sum, length) => sum + length, 0);
  const rooms = theme.names.slice(0, corridorRooms + sides + dark);
  const places = slotPhrase.word("place", '{{this.rooms.slice().sort().join(", ")}}');
  const verb = random.pick(["go", "walk", "enter"]);
  const [what, door] = [keys === 1 ? "the key" : "both keys", unlocks ? "unlock the door" : "go to the door"];
  return gameSource(design, {
    goal: `get ${what} of the ${theme.thing} and then ${door}.`,
    rules: [
      "From a place one can go to the places named as its exits, and nowhere else.",
      `The hum is the number of ways from here to what is needed next: ${keys === 1 ? "the key" : "the first key, then the second"}, then the door.`,
      takes
        ? "A key is taken where it lies; it stays with you."
        : "A key is picked up in passing where it lies; it stays with you.",
      unlocks
        ? "At the door, unlock ends the work; without all keys it is refused."
        : "Reaching the place of the door with all keys wins.",
      ...(traps === "dark" ? [`Going to a place marked (dark) ${fatalPhrase}.`] : []),
      ...(traps === "deep"
        ? ["Going to a place marked (dark) takes you back to where you began, and keys are kept."]
        : []),
      ...(junk ? ["Other things that lie about are of no use."] : []),
    ],
    commands: [
      {
        form: `${verb} <place>`,
        description: "go to a place next to this one",
        slots: [places],
        does: "this.go(words[1])",
      },
      ...(takes ? [{ form: "take", description: "take the key that lies here", does: "this.take()" }] : []),
      ...(unlocks
        ? [{ form: "unlock", description: `open the door here, ${roles.finishes}`, does: "this.unlock()" }]
        : []),
    ],
    view: [
      say(`${stateKeys.progress}: {{this.held}} of ${keys + 1}`),
      say(`${stateKeys.place}: {{this.place}}`),
      `"${stateKeys.exits}: " + this.links[this.place].map((room) => ${dark > 0 ? 'room + (this.dark.includes(room) ? " (dark)" : "")' : "room"}).join(", ")`,
      say(`${stateKeys.here}: {{this.whatLies()}}`),
      say(`${stateKeys.hum}: {{this.route(this.place, this.stops[this.held]).length}}`),
      `"${stateKeys.holding}: " + (this.held === 0 ? "nothing" : ${keys === 1 ? '"key"' : 'this.held === 1 ? "one key" : "both keys"'})`,
    ],
    setup: js`
      this.held = 0;
      this.rooms = this.shuffled(${quoteAll(rooms)});
      this.place = this.rooms[0];
      this.links = {};
      for (const room of this.rooms) this.links[room] = [];
      this.stops = [];
      ${dark > 0 && "this.dark = [];"}
      this.build();
      ${junk && `this.junk = this.rooms[${1}];`}
    `,
    methods: js`
      build() {
        const plan = [${lengths.map((length, i) => `[${length}, ${backs[i] ?? 0}]`).join(", ")}];
        let used = 1;
        let trail = [this.rooms[0]];
        for (const [length, back] of plan) {
          trail = trail.slice(0, trail.length - back);
          for (let i = 0; i < length; i += 1) {
            this.join(trail[trail.length - 1], this.rooms[used]);
            trail.push(this.rooms[used]);
            used += 1;
          }
          this.stops.push(trail[trail.length - 1]);
        }
        const corridor = this.rooms.slice(0, used - 1);
        for (const side of this.rooms.slice(used)) {
          this.join(corridor[this.below(corridor.length)], side);
        }
        ${dark > 0 && `this.dark = this.rooms.slice(-${dark});`}
        ${ring && `this.join(this.rooms[used], this.rooms[this.below(used)]);`}
        for (const room of this.rooms) this.links[room].sort();
      }

      join(one, other) {
        if (one === other || this.links[one].includes(other)) return;
        this.links[one].push(other);
        this.links[other].push(one);
      }

      route(from, to) {
        const paths = [[from]];
        const seen = new Set(paths[0]);
        for (const path of paths) {
          const last = path[path.length - 1];
          if (last === to) return path.slice(1);
          for (const next of this.links[last]) {
            if (seen.has(next)${dark > 0 ? " || this.dark.includes(next)" : ""}) continue;
            seen.add(next);
            paths.push(path.concat(next));
          }
        }
        return [];
      }

      whatLies() {
        if (this.held < ${keys} && this.place === this.stops[this.held]) return "key";
        if (this.place === this.stops[${keys}]) return "door";
        ${junk && `if (this.place === this.junk) return "${random.pick(theme.names.slice(40))}";`}
        return "nothing";
      }

      go(room) {
        if (!this.links[this.place].includes(room)) return "${results.refused}: no way leads there from here";
        ${
          traps === "dark" &&
          js`
            if (this.dark.includes(room)) {
              this.outcome = "lost";
              return "it was dark, and there was no floor";
            }
          `
        }
        ${
          traps === "deep" &&
          js`
            if (this.dark.includes(room)) {
              this.place = this.rooms[0];
              return "you slide through the dark to where you began";
            }
          `
        }
        this.place = room;
        ${!takes && 'if (this.whatLies() === "key") this.held += 1;'}
        ${!unlocks && `if (this.held === ${keys} && room === this.stops[${keys}]) this.outcome = "won";`}
        return "you are at the " + room;
      }

      ${
        takes &&
        js`
          take() {
            if (this.whatLies() !== "key") return "${results.refused}: no key lies here";
            this.held += 1;
            return "you have the key";
          }
        `
      }

      ${
        unlocks &&
        js`
          unlock() {
            if (this.place !== this.stops[${keys}]) return "${results.refused}: there is no door here";
            if (this.held < ${keys}) return "${results.refused}: a key is missing";
            this.outcome = "won";
            return "the door opens";
          }
        `
      }
    `,
    helpers: ["below", "shuffled"],
    solution: js`
      const commands = [];
      let from = this.rooms[0];
      for (const ${takes || unlocks ? "[i, stop] of this.stops.entries()" : "stop of this.stops"}) {
        for (const room of this.route(from, stop)) commands.push("${verb} " + room);
        ${takes && `if (i < ${keys}) commands.push("take");`}
        ${unlocks && `if (i === ${keys}) commands.push("unlock");`}
        from = stop;
      }
      return commands;
    `,
  });
}
