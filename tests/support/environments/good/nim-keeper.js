// tags: countdown, countdown/nim
/** A fully visible duel: the winning move follows from a remainder, against a keeper who never errs. */
class NimKeeperEnv {
  static maxTurns = 12;

  reset(seed) {
    this.turn = 0;
    this.take = 3 + Math.floor(Math.random() * 3);
    this.stones = 4 * (this.take + 1) + 1 + Math.floor(Math.random() * 3 * (this.take + 1));
    if (this.stones % (this.take + 1) === 0) this.stones += 1;
    this.first = this.stones;
    return { observation: this.tell("You move first."), info: {} };
  }

  tell(news) {
    return (
      news +
      "\nStones: " +
      this.stones +
      "\nEach turn you take 1 to " +
      this.take +
      " stones, then the keeper does. " +
      "Whoever takes the last stone wins.\nCommands: take <number>. Format: \\boxed{take 2}."
    );
  }

  step(action) {
    this.turn += 1;
    const truncated = this.turn >= 12;
    const count = Number(/take\s+(\d+)/.exec(String(action))?.[1] ?? 0);
    if (count < 1 || count > this.take || count > this.stones) {
      return { observation: this.tell("No."), reward: 0, terminated: false, truncated, info: {} };
    }
    this.stones -= count;
    if (this.stones === 0)
      return { observation: "You won.", reward: 1, terminated: true, truncated: false, info: {} };
    const reply = this.stones % (this.take + 1) || 1;
    this.stones -= reply;
    if (this.stones === 0) {
      return { observation: "The keeper won.", reward: 0, terminated: true, truncated: false, info: {} };
    }
    const news = "You took " + count + ", the keeper took " + reply + ".";
    return { observation: this.tell(news), reward: 0, terminated: false, truncated, info: {} };
  }

  solution() {
    const actions = [];
    let stones = this.first;
    while (stones > 0) {
      const count = stones % (this.take + 1) || 1;
      actions.push("take " + count);
      stones -= count;
      if (stones > 0) stones -= stones % (this.take + 1) || 1;
    }
    return actions;
  }
}
