// tags: search, search/grid-8
/** A ship of three cells on a grid of eight by eight; every shot tells how far away it is. */
class SeaGridEnv {
  static maxTurns = 12;

  reset(seed) {
    this.turn = 0;
    this.hits = new Set();
    const flat = Math.random() < 0.5;
    const column = Math.floor(Math.random() * (flat ? 6 : 8));
    const row = Math.floor(Math.random() * (flat ? 8 : 6));
    this.ship = [0, 1, 2].map((i) => (flat ? [column + i, row] : [column, row + i]));
    return {
      observation:
        "Somewhere on a sea of columns A to H and rows 1 to 8 lies a ship of three cells in a line.\n" +
        "A shot tells how many cells away the nearest part is. Sink all three.\n" +
        "Commands: fire <cell>, e.g. fire C5. Format: \\boxed{fire C5}. 12 shots.",
      info: {},
    };
  }

  step(action) {
    this.turn += 1;
    const cell = /fire\s+([A-H])([1-8])\b/.exec(String(action).toUpperCase().replace("FIRE", "fire"));
    const over = this.turn >= 12;
    if (!cell)
      return {
        observation: "The gunner waits for a cell.",
        reward: 0,
        terminated: false,
        truncated: over,
        info: {},
      };
    const [x, y] = [cell[1].charCodeAt(0) - 65, Number(cell[2]) - 1];
    const away = Math.min(...this.ship.map(([a, b]) => Math.abs(a - x) + Math.abs(b - y)));
    if (away === 0) this.hits.add(cell[1] + cell[2]);
    const won = this.hits.size === 3;
    const observation =
      (away === 0 ? "A hit at " : "Water at ") +
      cell[1] +
      cell[2] +
      (away === 0 ? "!" : ", " + away + " away.");
    return {
      observation,
      reward: won ? 1 : 0,
      terminated: won,
      truncated: over && !won,
      info: { hits: this.hits.size },
    };
  }

  solution() {
    return this.ship.map(([x, y]) => "fire " + String.fromCharCode(65 + x) + (y + 1));
  }
}
