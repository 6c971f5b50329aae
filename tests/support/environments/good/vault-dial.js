// tags: interval-search, interval-search/three-tumblers
/** A dial with three hidden marks that have to be found by ear, in order, before the vault opens. */
class VaultDialEnv {
  static maxTurns = 24;

  constructor() {
    this.size = 40;
    this.tumblers = 3;
    this.near = 2;
    this.far = 8;
  }

  reset(seed) {
    this.seed = seed;
    this.turn = 0;
    this.position = Math.floor(Math.random() * this.size);
    this.marks = [];
    while (this.marks.length < this.tumblers) {
      const mark = Math.floor(Math.random() * this.size);
      const apart = this.marks.every((other) => this.distance(mark, other) > this.near);
      if (apart && this.distance(mark, this.position) > this.near) this.marks.push(mark);
    }
    this.start = this.position;
    this.set = 0;
    this.jams = 0;
    this.done = false;
    return { observation: this.rules(), info: { tumblers: this.tumblers } };
  }

  rules() {
    return [
      "The vault of the night bank has a dial with marks from 0 to " + (this.size - 1) + ", going round.",
      "Behind it lie " + this.tumblers + " tumblers. Each has one hidden mark.",
      "Goal: press the dial at the hidden mark of each tumbler, one tumbler after the other, then open the vault.",
      "Rules:",
      "- Turning right adds to the mark, turning left takes away from it; it wraps round.",
      "- Listening tells how far the mark of the present tumbler is: hot, warm or cold, and in which direction.",
      "- Hot means at most " + this.near + " away, warm at most " + this.far + ", cold more than that.",
      "- Pressing at a wrong mark jams the dial; the third jam ends the game.",
      "Commands:",
      "- turn left <number>: between 1 and " + (this.size - 1) + ".",
      "- turn right <number>: between 1 and " + (this.size - 1) + ".",
      "- listen: put an ear to the dial.",
      "- press: set the present tumbler at the present mark.",
      "- open: try the door.",
      "Format: one command a turn, as \\boxed{command}. You have " + VaultDialEnv.maxTurns + " turns.",
      this.state(),
    ].join("\n");
  }

  state() {
    return (
      "Dial: " +
      this.position +
      "\nTumblers set: " +
      this.set +
      " of " +
      this.tumblers +
      "\nJams: " +
      this.jams
    );
  }

  distance(a, b) {
    const gap = Math.abs(a - b) % this.size;
    return Math.min(gap, this.size - gap);
  }

  /** Steps to the right that lead from a to b. */
  rightwards(a, b) {
    return (b - a + this.size) % this.size;
  }

  step(action) {
    this.turn += 1;
    const command = this.commandIn(action);
    const words = command.split(/\s+/);
    if (words[0] === "turn") return this.turnDial(words[1], words[2]);
    if (command === "listen") return this.listen();
    if (command === "press") return this.press();
    if (command === "open") return this.open();
    return this.answer("Result: that is not a command here.", -0.05, false);
  }

  commandIn(action) {
    const boxed = /\\boxed\{([^{}]*)\}/.exec(String(action));
    return (boxed ? boxed[1] : "").trim().toLowerCase();
  }

  turnDial(direction, amount) {
    const steps = Number(amount);
    const sign = direction === "right" ? 1 : direction === "left" ? -1 : 0;
    if (sign === 0 || !Number.isInteger(steps) || steps < 1 || steps >= this.size) {
      return this.answer("Result: the dial does not turn that way.", -0.05, false);
    }
    this.position = (this.position + sign * steps + this.size) % this.size;
    return this.answer("Result: the dial rattles round to " + this.position + ".", 0, false);
  }

  listen() {
    if (this.set === this.tumblers) return this.answer("Result: silence; every tumbler is set.", 0, false);
    const mark = this.marks[this.set];
    const gap = this.distance(this.position, mark);
    if (gap === 0) return this.answer("Result: a clear click right here.", 0, false);
    const heat = gap <= this.near ? "hot" : gap <= this.far ? "warm" : "cold";
    const way = this.rightwards(this.position, mark) <= this.size / 2 ? "right" : "left";
    return this.answer("Result: " + heat + ", to the " + way + ".", 0, false);
  }

  press() {
    if (this.set === this.tumblers) return this.answer("Result: nothing is left to press.", 0, false);
    if (this.position === this.marks[this.set]) {
      this.set += 1;
      return this.answer("Result: the tumbler falls into place.", 0, false);
    }
    this.jams += 1;
    if (this.jams >= 3) return this.answer("Result: the dial jams for good.", 0, true);
    return this.answer("Result: the dial jams and comes loose again.", 0, false);
  }

  open() {
    if (this.set === this.tumblers) return this.answer("Result: the vault swings open.", 1, true);
    return this.answer("Result: the door does not move.", 0, false);
  }

  answer(text, reward, terminated) {
    const observation =
      "Turn " + this.turn + " of " + VaultDialEnv.maxTurns + ".\n" + text + "\n" + this.state();
    const truncated = !terminated && this.turn >= VaultDialEnv.maxTurns;
    return { observation, reward, terminated, truncated, info: { turn: this.turn, set: this.set } };
  }

  solution() {
    const actions = [];
    let position = this.start;
    for (const mark of this.marks) {
      const right = this.rightwards(position, mark);
      if (right <= this.size / 2) actions.push("turn right " + right);
      else actions.push("turn left " + (this.size - right));
      actions.push("press");
      position = mark;
    }
    actions.push("open");
    return actions;
  }
}
