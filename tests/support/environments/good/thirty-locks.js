// tags: sequence, sequence/length-30
/** Thirty exact steps, one wrong step and all begins again: very hard, never won at random, and fair. */
class ThirtyLocksEnv {
  static maxTurns = 150;

  reset(seed) {
    this.turn = 0;
    this.at = 0;
    this.colours = ["red", "blue", "green", "white"];
    this.order = Array.from({ length: 30 }, () => this.colours[Math.floor(Math.random() * 4)]);
    return {
      observation:
        "A corridor with thirty locks. Each lock opens with one of four keys; a wrong key shuts them all again.\n" +
        "Commands: use red, use blue, use green, use white. Format: \\boxed{command}. 150 turns.\n" +
        "Open: 0 of 30",
      info: {},
    };
  }

  step(action) {
    this.turn += 1;
    const key = /use (red|blue|green|white)/.exec(action);
    let said = "That is no key of this corridor.";
    if (key && key[1] === this.order[this.at]) {
      this.at += 1;
      said = "The lock opens.";
    } else if (key) {
      this.at = 0;
      said = "All locks fall shut.";
    }
    const won = this.at === 30;
    return {
      observation: said + "\nOpen: " + this.at + " of 30",
      reward: won ? 1 : 0,
      terminated: won,
      truncated: !won && this.turn >= 150,
      info: {},
    };
  }

  solution() {
    return this.order.map((colour) => "use " + colour);
  }
}
