/** A game that means well: it counts to 3, one "up" a turn, in at most 5 turns. */
export const counter = `class CounterEnv {
  static maxTurns = 5;
  reset(seed) { this.n = seed; this.turn = 0; return { observation: "at " + this.n, info: { seed } }; }
  step(action) {
    this.turn += 1;
    this.n += action === "up" ? 1 : 0;
    return { observation: "at " + this.n, reward: this.n >= 3 ? 1 : 0, terminated: this.n >= 3, truncated: this.turn >= 5, info: {} };
  }
  solution() { return Array(3 - this.n).fill("up"); }
}`;
