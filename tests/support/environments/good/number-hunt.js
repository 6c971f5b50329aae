// tags: interval-search, interval-search/bare-numbers
/** A hidden number; the command is the bare number, the reply which way to look. */
class NumberHuntEnv {
  static maxTurns = 9;

  reset(seed) {
    this.turn = 0;
    this.number = 1 + Math.floor(Math.random() * 400);
    return {
      observation: "I think of a number from 1 to 400. Name one as \\boxed{number}. You have 9 tries.",
      info: {},
    };
  }

  step(action) {
    this.turn += 1;
    const given = /\{\s*(-?\d+)\s*\}/.exec(String(action));
    const won = given !== null && Number(given[1]) === this.number;
    const way = given !== null && Number(given[1]) < this.number ? "Too low." : "Too high.";
    const observation = given === null ? "That is no number." : won ? "Yes!" : way;
    return { observation, reward: won ? 1 : 0, terminated: won, truncated: !won && this.turn >= 9, info: {} };
  }

  solution() {
    return [String(this.number)];
  }
}
