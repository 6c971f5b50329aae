// tags: recall, recall/menus
/** A tale with menus that change at every turn; what is told on the way decides what is right later. */
class TaleOfDoorsEnv {
  static maxTurns = 10;

  reset(seed) {
    const names = ["heron", "otter", "badger", "marten", "lynx", "raven", "stoat", "adder"];
    for (let i = names.length - 1; i > 0; i -= 1) {
      const j = Math.floor(Math.random() * (i + 1));
      [names[i], names[j]] = [names[j], names[i]];
    }
    this.names = names;
    this.doors = Array.from({ length: 5 }, () => Math.floor(Math.random() * 4));
    this.room = 0;
    this.turn = 0;
    this.heard = false;
    return {
      observation:
        "Five rooms, each with four doors; one of them leads on, the others out into the cold.\n" +
        this.menu(),
      info: {},
    };
  }

  menu() {
    const choices = this.choices().map((name, i) => i + 1 + ") open the " + name + " door");
    return (
      "Room " +
      (this.room + 1) +
      " of 5.\nChoose one:\n" +
      choices.join("\n") +
      (this.heard ? "" : "\n5) listen")
    );
  }

  choices() {
    return [0, 1, 2, 3].map((i) => this.names[(this.room * 3 + i) % this.names.length]);
  }

  step(action) {
    this.turn += 1;
    const truncated = this.turn >= 10;
    const said = String(action).toLowerCase();
    const digit = /\{\s*([1-5])\b/.exec(said);
    const named = this.choices().findIndex((name) => said.includes(name));
    const choice = digit ? Number(digit[1]) - 1 : said.includes("listen") ? 4 : named;
    if (choice === 4 && !this.heard) {
      this.heard = true;
      const right = this.choices()[this.doors[this.room]];
      return {
        observation: "A voice says: follow the " + right + ".\n" + this.menu(),
        reward: 0,
        terminated: false,
        truncated,
        info: {},
      };
    }
    if (choice < 0 || choice > 3)
      return {
        observation: "There is no such choice.\n" + this.menu(),
        reward: 0,
        terminated: false,
        truncated,
        info: {},
      };
    if (choice !== this.doors[this.room])
      return {
        observation: "You stand in the cold.",
        reward: 0,
        terminated: true,
        truncated: false,
        info: {},
      };
    this.room += 1;
    this.heard = false;
    if (this.room === 5)
      return {
        observation: "You reach the hearth.",
        reward: 1,
        terminated: true,
        truncated: false,
        info: {},
      };
    return {
      observation: "The door opens.\n" + this.menu(),
      reward: 0,
      terminated: false,
      truncated,
      info: {},
    };
  }

  solution() {
    return this.doors.map((door) => String(door + 1));
  }
}
