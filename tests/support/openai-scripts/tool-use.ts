/** Tool-use environments that the scripted designer writes, the hints for them, and how they are played. */
import { type Design, toolCall } from "./design.ts";

/** The open orders of a customer, summed over three tools. */
export const orderDesk: Design = {
  name: "OrderDeskEnv",
  kind: "tool-use",
  answers: [
    `The player follows a customer to their orders and adds up the open ones.

${"```"}javascript
// tags: order-desk, order-desk/chain-3
class OrderDeskEnv extends ToolUseBaseEnv {
  static maxTurns = 12;
  reset(seed) {
    const pick = (n) => Math.floor(Math.random() * n);
    const names = ["Amara", "Birk", "Chloe", "Dmitri", "Elif", "Farid"];
    this.customers = names.map((name, i) => ({ name, id: "c" + (100 + pick(900)) + i }));
    this.orders = [];
    for (const customer of this.customers) {
      for (let k = 0; k < 3; k += 1) {
        this.orders.push({
          number: "o" + (1000 + pick(9000)) + this.orders.length,
          customer: customer.id,
          euros: 10 + pick(490),
          status: k === 0 || pick(2) === 0 ? "open" : "shipped",
        });
      }
    }
    this.wanted = this.customers[pick(names.length)];
    this.expectedAnswer = this.ordersOf(this.wanted.id)
      .filter((order) => order.status === "open")
      .reduce((sum, order) => sum + order.euros, 0);
    return {
      observation:
        "Order desk. How many euros are the open orders of " + this.wanted.name + " worth together? Find the customer, list " +
        "the orders, read each of them, and answer with the sum of the open ones alone.",
      info: {},
    };
  }
  ordersOf(customer) {
    return this.orders.filter((order) => order.customer === customer);
  }
  tools() {
    const text = (name) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });
    return [
      { name: "find_customer", description: "The id of a customer by first name.", parameters: text("name") },
      { name: "list_orders", description: "The order numbers of a customer id.", parameters: text("customer") },
      { name: "read_order", description: "Worth and status of an order number.", parameters: text("order") },
    ];
  }
  tool_find_customer(args) {
    const found = this.customers.find((customer) => customer.name === args.name);
    return found ? { customer: found.id } : { error: "no customer of that name" };
  }
  tool_list_orders(args) {
    const found = this.ordersOf(args.customer);
    return found.length > 0 ? { orders: found.map((order) => order.number) } : { error: "no such customer id" };
  }
  tool_read_order(args) {
    const found = this.orders.find((order) => order.number === args.order);
    return found ? { euros: found.euros, status: found.status } : { error: "no such order number" };
  }
  solution() {
    const call = (name, args) => "<tool_call>" + JSON.stringify({ name, arguments: args }) + "</tool_call>";
    return [
      call("find_customer", { name: this.wanted.name }),
      call("list_orders", { customer: this.wanted.id }),
      ...this.ordersOf(this.wanted.id).map((order) => call("read_order", { order: order.number })),
      "<answer>" + this.expectedAnswer + "</answer>",
    ];
  }
}
${"```"}
`,
  ],
  hint: "Work down: the customer first, then the list, then one order after the other. Leave out what was shipped, and answer with a bare number.",
  knows: (first) => first.startsWith("Order desk."),
  play({ first, heard, careful, random }) {
    const all = heard.join("\n");
    const customer = /"customer":\s*"(\w+)"/.exec(all)?.[1];
    const orders = [...(/"orders":\s*\[([^\]]*)\]/.exec(all)?.[1]?.matchAll(/\w+/g) ?? [])].map(
      ([number]) => number,
    );
    const read = [...all.matchAll(/"euros":\s*(\d+),\s*"status":\s*"(\w+)"/g)];
    if (!careful && heard.length === 0)
      return `Perhaps I can guess. <answer>${100 + random.below(900)}</answer>`;
    if (customer === undefined) {
      const name = /open orders of (\w+)/.exec(first)?.[1] ?? "";
      return `First the customer.\n${toolCall("find_customer", { name })}`;
    }
    if (orders.length === 0) return `Now the orders.\n${toolCall("list_orders", { customer })}`;
    const next = orders[read.length];
    if (next !== undefined)
      return `Order ${next} is still unread.\n${toolCall("read_order", { order: next })}`;
    const sum = read.reduce((euros, [, worth, status]) => euros + (status === "open" ? Number(worth) : 0), 0);
    return `That is all of them.\n<answer>${sum}</answer>`;
  },
};

/** A badge for a guest: the second tool takes the zone in another form than the first gives it. */
export const badgeOffice: Design = {
  name: "BadgeOfficeEnv",
  kind: "tool-use",
  answers: [
    `The player issues a badge and has to get past an error about how zones are written.

${"```"}javascript
// tags: badge-office, error-recovery
class BadgeOfficeEnv extends ToolUseBaseEnv {
  static maxTurns = 8;
  reset(seed) {
    const draw = (list) => list[Math.floor(Math.random() * list.length)];
    const wings = ["NORTH", "SOUTH", "EAST", "WEST"];
    this.zones = {};
    for (const room of ["atelier", "cellar", "library", "workshop", "observatory", "greenhouse"]) {
      this.zones[room] = draw(wings) + "-" + (10 + Math.floor(Math.random() * 90));
    }
    this.room = draw(Object.keys(this.zones));
    this.guest = draw(["Noor", "Otto", "Pia", "Quentin", "Rosa", "Sven", "Tove"]);
    this.receipt = "R" + (100000 + Math.floor(Math.random() * 900000));
    this.issued = false;
    this.expectedAnswer = this.receipt;
    return {
      observation:
        "Badge office. Issue a badge for " + this.guest + " that opens the " + this.room + ", and answer with the number of " +
        "the receipt. Look the room's zone up first; the badge printer is particular about how a zone is written.",
      info: {},
    };
  }
  tools() {
    return [
      {
        name: "zone_of_room",
        description: "The zone that a room belongs to, as the building plan writes it.",
        parameters: { type: "object", properties: { room: { type: "string" } }, required: ["room"] },
      },
      {
        name: "print_badge",
        description: "Prints a badge for a guest and a zone, and gives the receipt.",
        parameters: {
          type: "object",
          properties: { guest: { type: "string" }, zone: { type: "string" } },
          required: ["guest", "zone"],
        },
      },
    ];
  }
  tool_zone_of_room(args) {
    const zone = this.zones[args.room];
    return typeof zone === "string" ? "The plan says: zone " + zone : "There is no such room on the plan.";
  }
  tool_print_badge(args) {
    if (args.guest !== this.guest) return "The printer knows no guest of that name.";
    const written = this.zones[this.room].toLowerCase().replace("-", "/");
    if (args.zone === this.zones[this.room]) {
      return "Printer error: zones are written in small letters and with a slash, not a dash.";
    }
    if (args.zone !== written) return "Printer error: that zone does not open the room you were asked for.";
    this.issued = true;
    return "Printed. Receipt " + this.receipt;
  }
  checkAnswer(answer) {
    return this.issued && String(answer).trim() === this.receipt;
  }
  solution() {
    const call = (name, args) => "<tool_call>" + JSON.stringify({ name, arguments: args }) + "</tool_call>";
    const zone = this.zones[this.room];
    return [
      call("zone_of_room", { room: this.room }),
      call("print_badge", { guest: this.guest, zone: zone.toLowerCase().replace("-", "/") }),
      "<answer>" + this.receipt + "</answer>",
    ];
  }
}
${"```"}
`,
  ],
  hint: "Ask for the zone, try the printer, and read its error to the end: it says how to write the zone. The answer is the receipt's number alone.",
  knows: (first) => first.startsWith("Badge office."),
  play({ first, heard, careful, random }) {
    const all = heard.join("\n");
    const receipt = /Receipt (\w+)/.exec(all)?.[1];
    const zone = /zone ([A-Z]+-\d+)/.exec(all)?.[1];
    const [, guest = "", room = ""] = /badge for (\w+) that opens the (\w+)/.exec(first) ?? [];
    if (receipt !== undefined) return `Done.\n<answer>${receipt}</answer>`;
    if (!careful && heard.length === 0)
      return `It may be this one. <answer>R${100_000 + random.below(900_000)}</answer>`;
    if (zone === undefined) return `The zone first.\n${toolCall("zone_of_room", { room })}`;
    const written = all.includes("with a slash") ? zone.toLowerCase().replace("-", "/") : zone;
    return `Now the badge.\n${toolCall("print_badge", { guest, zone: written })}`;
  },
};
