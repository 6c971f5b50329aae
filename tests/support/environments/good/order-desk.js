// tags: order-desk, order-desk/refund
/** A desk with four tools: find the customer, find the late order, refund it, and report the receipt. */
class OrderDeskEnv extends ToolUseBaseEnv {
  static maxTurns = 12;

  reset(seed) {
    const names = ["Mira", "Jonas", "Aiko", "Samir", "Lena", "Tomas", "Ines", "Pavel"];
    const goods = ["kettle", "lamp", "desk", "chair", "clock", "rug"];
    const pick = (list) => list[Math.floor(Math.random() * list.length)];
    this.customers = names.map((name) => ({ name, id: "C" + this.number(3) }));
    this.orders = [];
    for (const customer of this.customers) {
      const late = Math.floor(Math.random() * 3);
      for (let i = 0; i < 3; i += 1) {
        this.orders.push({
          id: "O" + this.number(4),
          customer: customer.id,
          item: pick(goods),
          price: 20 + Math.floor(Math.random() * 180),
          status: i === late ? "late" : pick(["delivered", "packed"]),
        });
      }
    }
    this.wanted = pick(this.customers);
    this.order = this.orders.find((one) => one.customer === this.wanted.id && one.status === "late");
    this.receipt = "R" + this.number(5);
    this.expectedAnswer = this.receipt;
    return {
      observation:
        "Goal: the customer " +
        this.wanted.name +
        " waits for an order that is late. Refund it in full and answer " +
        "with the code of the receipt.\nRules: a refund needs the order and its exact price; only late orders can be " +
        "refunded.\nAnswer with: receipt code. Turns: 12.",
      info: {},
    };
  }

  number(digits) {
    return String(Math.floor(Math.random() * 10 ** digits)).padStart(digits, "0");
  }

  tools() {
    const text = { type: "string" };
    const tool = (name, description, properties) => ({
      name,
      description,
      parameters: { type: "object", properties, required: Object.keys(properties) },
    });
    return [
      tool("find_customer", "Finds a customer's id by name.", { name: text }),
      tool("list_orders", "Lists the orders of a customer.", { customer_id: text }),
      tool("order_price", "Tells what an order cost.", { order_id: text }),
      tool("refund", "Refunds a late order.", { order_id: text, amount: { type: "number" } }),
    ];
  }

  tool_find_customer({ name }) {
    const found = this.customers.find((one) => one.name === name);
    return found ? { customer_id: found.id } : { error: "no customer of that name" };
  }

  tool_list_orders({ customer_id }) {
    const found = this.orders.filter((one) => one.customer === customer_id);
    if (found.length === 0) return { error: "no orders under that customer_id" };
    return { orders: found.map(({ id, item, status }) => ({ order_id: id, item, status })) };
  }

  tool_order_price({ order_id }) {
    const found = this.orders.find((one) => one.id === order_id);
    return found ? { order_id, amount: found.price } : { error: "no such order" };
  }

  tool_refund({ order_id, amount }) {
    const found = this.orders.find((one) => one.id === order_id);
    if (!found) return { error: "no such order" };
    if (found.status !== "late") return { error: "the order is not late" };
    if (Number(amount) !== found.price) return { error: "the amount is not the price of the order" };
    if (found !== this.order) return { receipt: "R" + this.number(5), note: "refunded" };
    return { receipt: this.receipt, note: "refunded" };
  }

  solution() {
    const call = (name, given) =>
      '<tool_call>{"name": "' + name + '", "arguments": ' + JSON.stringify(given) + "}</tool_call>";
    return [
      call("find_customer", { name: this.wanted.name }),
      call("list_orders", { customer_id: this.wanted.id }),
      call("order_price", { order_id: this.order.id }),
      call("refund", { order_id: this.order.id, amount: this.order.price }),
      "<answer>" + this.receipt + "</answer>",
    ];
  }
}
