// tags: code-lock, code-lock/letters
/** A hidden word of a long list, guessed letter by letter with few misses. */
class WordGallowsEnv {
  static maxTurns = 16;

  reset(seed) {
    const parts = ["br", "cl", "st", "tr", "gl", "pl", "sn", "dr"];
    const middles = ["a", "e", "i", "o", "u", "ea", "oo"];
    const ends = ["ck", "mp", "nd", "st", "ft", "lt", "ng", "sh"];
    const pick = (list) => list[Math.floor(Math.random() * list.length)];
    this.word = pick(parts) + pick(middles) + pick(ends) + pick(["y", "er", "le", "ing"]);
    this.tried = new Set();
    this.misses = 0;
    this.turn = 0;
    return {
      observation:
        "A word is hidden. Each turn you name one letter; the fifth miss loses.\n" +
        "Commands: letter <letter>. Format: \\boxed{letter q}.\n" +
        this.shown(),
      info: {},
    };
  }

  shown() {
    return (
      "Word: " +
      [...this.word].map((one) => (this.tried.has(one) ? one : "_")).join(" ") +
      "\nMisses: " +
      this.misses
    );
  }

  step(action) {
    this.turn += 1;
    const given = /letter ([a-z])\b/.exec(String(action).toLowerCase());
    let said = "That is no letter.";
    if (given && this.tried.has(given[1])) said = "You named it before.";
    else if (given) {
      this.tried.add(given[1]);
      const hit = this.word.includes(given[1]);
      if (!hit) this.misses += 1;
      said = hit ? "It is in the word." : "It is not in the word.";
    }
    const won = [...this.word].every((one) => this.tried.has(one));
    const lost = this.misses >= 5;
    return {
      observation: said + "\n" + this.shown(),
      reward: won ? 1 : lost ? -1 : 0,
      terminated: won || lost,
      truncated: !won && !lost && this.turn >= 16,
      info: {},
    };
  }

  solution() {
    return [...new Set(this.word)].map((one) => "letter " + one);
  }
}
