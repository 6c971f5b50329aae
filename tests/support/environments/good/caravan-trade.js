// tags: trade, trade/trend
/** Prices move in trends: buy while they rise, sell before they fall, and reach a sum in time. */
class CaravanTradeEnv {
  static maxTurns = 15;

  reset(seed) {
    this.turn = 0;
    this.money = 100;
    this.stock = 0;
    this.prices = [20 + Math.floor(Math.random() * 10)];
    let slope = Math.random() < 0.5 ? -1 : 1;
    while (this.prices.length < 17) {
      if (Math.random() < 0.2) slope = -slope;
      const move = slope * (2 + Math.floor(Math.random() * 3));
      this.prices.push(Math.max(5, Math.min(60, this.prices[this.prices.length - 1] + move)));
    }
    this.goal = Math.floor(this.best() * 0.8);
    return [
      "A caravan sells salt. Its price moves in trends; a trend seldom turns.\nGoal: own at least " +
        this.goal +
        " coins after fourteen days. You may buy all the salt that you can pay, sell all of it, or wait for a day; " +
        "after each the price moves.\nCommands: buy, sell, wait. Format: \\boxed{command}.\n" +
        this.state(),
      {},
    ];
  }

  state() {
    return "Price: " + this.prices[this.turn] + "\nCoins: " + this.money + "\nSalt: " + this.stock;
  }

  best() {
    let money = 100;
    for (let i = 0; i < 13; i += 1) {
      if (this.prices[i + 1] > this.prices[i]) {
        const count = Math.floor(money / this.prices[i]);
        money += count * (this.prices[i + 1] - this.prices[i]);
      }
    }
    return money;
  }

  step(action) {
    const price = this.prices[this.turn];
    const command = /\b(buy|sell|wait)\b/.exec(String(action));
    if (command && command[1] === "buy") {
      const count = Math.floor(this.money / price);
      this.stock += count;
      this.money -= count * price;
    } else if (command && command[1] === "sell") {
      this.money += this.stock * price;
      this.stock = 0;
    }
    this.turn += 1;
    const over = this.turn >= 14;
    const won = over && this.money + this.stock * this.prices[this.turn] >= this.goal;
    const said = command ? "A day goes by." : "The merchants shrug, and a day goes by.";
    return [said + "\n" + this.state(), won ? 1 : 0, over, false, {}];
  }

  solution() {
    return this.prices.slice(0, 14).map((price, day) => {
      if (day < 13 && this.prices[day + 1] > price) return "buy";
      return "sell";
    });
  }
}
