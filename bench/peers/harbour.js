// The environment that the sandbox is measured with; harbour.py is the same in Python, line by line.
// biome-ignore lint/correctness/noUnusedVariables: the sandbox reads this file as a source.
class HarbourMapEnv {
  static maxTurns = 40;

  constructor() {
    this.width = 9;
    this.height = 7;
    this.directions = { north: [0, -1], south: [0, 1], west: [-1, 0], east: [1, 0] };
    this.goods = ["rope", "lamp", "barrel", "anchor"];
  }

  random() {
    this.state = (this.state * 48271) % 2147483647;
    return this.state / 2147483647;
  }

  below(n) {
    return Math.floor(this.random() * n);
  }

  reset(seed) {
    this.state = (seed % 2147483646) + 1;
    for (let i = 0; i < 5; i += 1) this.random();
    this.turn = 0;
    this.cells = [];
    for (let y = 0; y < this.height; y += 1) {
      const row = [];
      for (let x = 0; x < this.width; x += 1) row.push(this.random() < 0.18 ? "wall" : "floor");
      this.cells.push(row);
    }
    this.x = 1;
    this.y = 1;
    this.cells[1][1] = "floor";
    this.items = {};
    for (const good of this.goods) {
      let x = this.below(this.width);
      let y = this.below(this.height);
      while (this.cells[y][x] !== "floor" || (x === 1 && y === 1) || `${x},${y}` in this.items) {
        x = this.below(this.width);
        y = this.below(this.height);
      }
      this.items[`${x},${y}`] = good;
    }
    this.wanted = this.goods[this.below(this.goods.length)];
    this.held = [];
    this.visited = { "1,1": 1 };
    const rules =
      `You stand in a harbour of ${this.width} by ${this.height} fields. Find the ${this.wanted} and bring it to the ` +
      `gate at 1,1. Commands: go north, go south, go west, go east, take, drop NAME, look. You see the fields next to you.`;
    return { observation: `${rules}\n${this.view()}`, info: { turn: 0, wanted: this.wanted } };
  }

  free(x, y) {
    return x >= 0 && y >= 0 && x < this.width && y < this.height && this.cells[y][x] === "floor";
  }

  view() {
    const lines = [];
    for (const name of Object.keys(this.directions)) {
      const [dx, dy] = this.directions[name];
      const x = this.x + dx;
      const y = this.y + dy;
      if (!this.free(x, y)) lines.push(`${name}: wall`);
      else {
        const item = this.items[`${x},${y}`];
        lines.push(item === undefined ? `${name}: floor` : `${name}: floor with a ${item}`);
      }
    }
    const here = this.items[`${this.x},${this.y}`];
    const held = this.held.length === 0 ? "nothing" : [...this.held].sort().join(", ");
    return (
      `Turn ${this.turn}. You are at ${this.x},${this.y}. ${lines.join("; ")}. ` +
      `${here === undefined ? "Nothing lies here." : `A ${here} lies here.`} You hold ${held}.`
    );
  }

  parse(action) {
    const start = action.lastIndexOf("\\boxed{");
    if (start < 0) return null;
    const end = action.indexOf("}", start);
    if (end < 0) return null;
    return action
      .slice(start + 7, end)
      .trim()
      .toLowerCase()
      .split(" ")
      .filter((word) => word !== "");
  }

  result(observation, reward, terminated) {
    const truncated = !terminated && this.turn >= HarbourMapEnv.maxTurns;
    const info = { turn: this.turn, x: this.x, y: this.y, held: this.held.length };
    return { observation, reward, terminated, truncated, info };
  }

  step(action) {
    this.turn += 1;
    const words = this.parse(action);
    if (words === null || words.length === 0) {
      return this.result(`Write one command as \\boxed{command}. ${this.view()}`, 0, false);
    }
    const verb = words[0];
    if (verb === "go") return this.go(words[1]);
    if (verb === "take") return this.take();
    if (verb === "drop") return this.drop(words[1]);
    if (verb === "look") return this.result(this.view(), 0, false);
    return this.result(`There is no command ${verb}. ${this.view()}`, 0, false);
  }

  go(name) {
    const direction = this.directions[name];
    if (direction === undefined)
      return this.result(`There is no direction ${name}. ${this.view()}`, 0, false);
    const x = this.x + direction[0];
    const y = this.y + direction[1];
    if (!this.free(x, y)) return this.result(`A wall is in the way. ${this.view()}`, 0, false);
    this.x = x;
    this.y = y;
    const key = `${x},${y}`;
    this.visited[key] = (this.visited[key] ?? 0) + 1;
    if (x === 1 && y === 1 && this.held.includes(this.wanted)) {
      return this.result(`The gate opens for the ${this.wanted}.`, 1, true);
    }
    const seen = Object.keys(this.visited).length;
    return this.result(`You go ${name}, ${seen} fields seen so far. ${this.view()}`, 0, false);
  }

  take() {
    const key = `${this.x},${this.y}`;
    const item = this.items[key];
    if (item === undefined) return this.result(`There is nothing to take. ${this.view()}`, 0, false);
    if (this.held.length >= 2) return this.result(`Your hands are full. ${this.view()}`, 0, false);
    delete this.items[key];
    this.held.push(item);
    return this.result(`You take the ${item}. ${this.view()}`, 0, false);
  }

  drop(name) {
    const key = `${this.x},${this.y}`;
    if (!this.held.includes(name)) return this.result(`You hold no ${name}. ${this.view()}`, 0, false);
    if (key in this.items) return this.result(`There is no room here. ${this.view()}`, 0, false);
    this.held = this.held.filter((item) => item !== name);
    this.items[key] = name;
    return this.result(`You drop the ${name}. ${this.view()}`, 0, false);
  }
}
