// tags: map, map/single
/** One cellar, the same for every seed and declared so: find the key, then the door, without a map. */
class OldCellarEnv {
  static maxTurns = 20;
  static singleInstance = true;

  reset(seed) {
    this.turn = 0;
    this.place = "stairs";
    this.hasKey = false;
    this.ways = {
      stairs: { north: "hall", east: "coal room" },
      "coal room": { west: "stairs", north: "pump room" },
      hall: { south: "stairs", west: "wine rack", north: "gate" },
      "wine rack": { east: "hall", north: "niche" },
      niche: { south: "wine rack" },
      "pump room": { south: "coal room" },
      gate: { south: "hall" },
    };
    return {
      observation:
        "You stand on the cellar stairs. Somewhere down here lies a key, and somewhere is the gate that it opens.\n" +
        "Commands: go north, go south, go east, go west, take key, unlock gate. Format: \\boxed{command}. 20 turns.\n" +
        this.view(),
      info: {},
    };
  }

  view() {
    const here = this.place === "niche" && !this.hasKey ? "key" : this.place === "gate" ? "gate" : "nothing";
    return (
      "Place: " + this.place + "\nExits: " + Object.keys(this.ways[this.place]).join(", ") + "\nHere: " + here
    );
  }

  step(action) {
    this.turn += 1;
    const command = String(action)
      .replace(/^\\boxed\{/, "")
      .replace(/\}$/, "")
      .trim();
    const way = /^go (north|south|east|west)$/.exec(command);
    let said = "That can't be done here.";
    let won = false;
    if (way && this.ways[this.place][way[1]]) {
      this.place = this.ways[this.place][way[1]];
      said = "You walk on.";
    } else if (command === "take key" && this.place === "niche" && !this.hasKey) {
      this.hasKey = true;
      said = "The key is cold and heavy.";
    } else if (command === "unlock gate" && this.place === "gate" && this.hasKey) {
      won = true;
      said = "The gate opens into the night.";
    }
    const observation = said + "\n" + this.view();
    return {
      observation,
      reward: won ? 1 : 0,
      terminated: won,
      truncated: !won && this.turn >= 20,
      info: {},
    };
  }

  solution() {
    return ["go north", "go west", "go north", "take key", "go south", "go east", "go north", "unlock gate"];
  }
}
