// tags: circuit, circuit/board-4
/** A fully visible puzzle: which switches to throw follows from the board and the wiring, but has to be computed. */
class LampBoardEnv {
  static maxTurns = 10;

  reset(seed) {
    this.turn = 0;
    this.lamps = Array.from({ length: 16 }, () => true);
    this.needed = [];
    const order = Array.from({ length: 16 }, (_, i) => i);
    for (let i = 15; i > 0; i -= 1) {
      const j = Math.floor(Math.random() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    this.needed = order.slice(0, 5 + Math.floor(Math.random() * 3)).sort((a, b) => a - b);
    for (const place of this.needed) this.toggle(place);
    return {
      observation:
        "A board of four rows and four columns of lamps (# lit, . dark). Pressing a lamp changes it and its " +
        "neighbours above, below, left and right.\nGoal: light all lamps within ten presses.\n" +
        "Commands: press <row> <column>, rows and columns from 1 to 4. Format: \\boxed{press 2 3}.\n" +
        this.board(),
      info: {},
    };
  }

  toggle(place) {
    const row = Math.floor(place / 4);
    const column = place % 4;
    for (const [r, c] of [
      [row, column],
      [row - 1, column],
      [row + 1, column],
      [row, column - 1],
      [row, column + 1],
    ]) {
      if (r >= 0 && r < 4 && c >= 0 && c < 4) this.lamps[r * 4 + c] = !this.lamps[r * 4 + c];
    }
  }

  board() {
    const rows = [0, 4, 8, 12].map((start) =>
      this.lamps
        .slice(start, start + 4)
        .map((lit) => (lit ? "#" : "."))
        .join(" "),
    );
    return rows.join("\n");
  }

  step(action) {
    this.turn += 1;
    const match = /press\s+([1-4])\s+([1-4])/.exec(String(action));
    if (match) this.toggle((Number(match[1]) - 1) * 4 + Number(match[2]) - 1);
    const lit = this.lamps.every((lamp) => lamp);
    return {
      observation: (match ? "Click." : "Press what?") + "\n" + this.board(),
      reward: lit ? 1 : 0,
      terminated: lit,
      truncated: !lit && this.turn >= 10,
      info: { turn: this.turn },
    };
  }

  solution() {
    return this.needed.map((place) => "press " + (Math.floor(place / 4) + 1) + " " + ((place % 4) + 1));
  }
}
