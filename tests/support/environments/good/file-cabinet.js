// tags: file-cabinet, file-cabinet/errors
/** A cabinet of locked drawers: keys lie in other drawers, tools fail and can be tried again, one file has the answer. */
class FileCabinetEnv extends ToolUseBaseEnv {
  static maxTurns = 16;

  reset(seed) {
    const words = ["amber", "birch", "cedar", "delta", "ember", "flint", "grove", "haven"];
    this.drawers = words
      .slice(0, 6)
      .map((name) => ({ name, key: this.code(), open: false, jammed: Math.random() < 0.4 }));
    for (let i = this.drawers.length - 1; i > 0; i -= 1) {
      const j = Math.floor(Math.random() * (i + 1));
      [this.drawers[i], this.drawers[j]] = [this.drawers[j], this.drawers[i]];
    }
    this.path = this.drawers.slice(0, 3);
    this.path[0].key = "none";
    this.total = 1000 + Math.floor(Math.random() * 9000);
    this.expectedAnswer = this.total;
    this.jams = Object.fromEntries(this.drawers.map((drawer) => [drawer.name, drawer.jammed]));
    return {
      observation:
        "Goal: find the yearly total in the file cabinet and answer with it.\nDrawer " +
        this.path[0].name +
        " is not locked (key none). What lies in a drawer tells which drawer comes next and its key. A drawer may jam: " +
        "then call the same tool again.\nAnswer with: total. Turns: 16.",
      info: {},
    };
  }

  code() {
    return Array.from(
      { length: 4 },
      () => "abcdefghjkmnpqrstuvwxyz23456789"[Math.floor(Math.random() * 31)],
    ).join("");
  }

  tools() {
    return [
      {
        name: "list_drawers",
        description: "Names the drawers.",
        parameters: { type: "object", properties: {} },
      },
      {
        name: "open_drawer",
        description: "Opens a drawer with a key.",
        parameters: {
          type: "object",
          properties: { drawer: { type: "string" }, key: { type: "string" } },
          required: ["drawer", "key"],
        },
      },
      {
        name: "read_drawer",
        description: "Reads what lies in an open drawer.",
        parameters: { type: "object", properties: { drawer: { type: "string" } }, required: ["drawer"] },
      },
    ];
  }

  tool_list_drawers() {
    return { drawers: this.drawers.map(({ name, open }) => ({ name, open })) };
  }

  tool_open_drawer({ drawer, key }) {
    const found = this.drawers.find((one) => one.name === drawer);
    if (!found) return { error: "there is no drawer of that name" };
    if (found.key !== key) return { error: "the key does not fit" };
    if (found.jammed) {
      found.jammed = false;
      return { error: "the drawer jams", retry: true };
    }
    found.open = true;
    return { drawer, open: true };
  }

  tool_read_drawer({ drawer }) {
    const found = this.drawers.find((one) => one.name === drawer);
    if (!found?.open) return { error: "that drawer is not open" };
    const at = this.path.indexOf(found);
    if (at < 0) return { paper: "old newspapers" };
    const next = this.path[at + 1];
    return next ? { next_drawer: next.name, key: next.key } : { yearly_total: this.total, unit: "crowns" };
  }

  solution() {
    const call = (name, given) => "<tool_call>" + JSON.stringify({ name, arguments: given }) + "</tool_call>";
    const actions = [];
    for (const { name, key } of this.path) {
      if (this.jams[name]) actions.push(call("open_drawer", { drawer: name, key }));
      actions.push(call("open_drawer", { drawer: name, key }), call("read_drawer", { drawer: name }));
    }
    return [...actions, "<answer>" + this.total + "</answer>"];
  }
}
