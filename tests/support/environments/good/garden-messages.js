// tags: state, state/messages
/** Three requests one after the other; each is answered when the beds are as it asks. */
class GardenMessagesEnv extends ToolUseBaseEnv {
  static maxTurns = 14;

  reset(seed) {
    const plants = ["tulip", "basil", "thyme", "poppy", "clover"];
    const beds = ["north", "south", "east", "west"];
    const pick = (list) => list[Math.floor(Math.random() * list.length)];
    this._state = { beds: Object.fromEntries(beds.map((bed) => [bed, "bare"])), water: 0, label: "" };
    this.first = pick(beds);
    this.sick = pick(plants);
    this.cure = plants[(plants.indexOf(this.sick) + 1 + Math.floor(Math.random() * 4)) % 5];
    this.litres = 3 + Math.floor(Math.random() * 20);
    this._state.beds[this.first] = this.sick;
    this._current_msg = 0;
    this._user_messages = [
      "One bed holds a sick plant. Look at the beds, ask the almanac what cures it, and plant that instead. Say done when you are.",
      "Now water that bed with as many litres as the almanac says of the new plant. Say done when you are.",
    ];
    this._message_criteria = [
      (state) => state.beds[this.first] === this.cure,
      (state) => state.water === this.litres && state.bed === this.first,
    ];
    this.expectedAnswer = null;
    return {
      observation: this._user_messages[0] + "\nAnswer each message once it is done. Turns: 14.",
      info: {},
    };
  }

  tools() {
    const text = { type: "string" };
    return [
      { name: "look", description: "Shows the beds.", parameters: { type: "object", properties: {} } },
      {
        name: "almanac",
        description: "Tells of a plant.",
        parameters: { type: "object", properties: { plant: text }, required: ["plant"] },
      },
      {
        name: "plant",
        description: "Plants a bed.",
        parameters: { type: "object", properties: { bed: text, plant: text }, required: ["bed", "plant"] },
      },
      {
        name: "water",
        description: "Waters a bed.",
        parameters: {
          type: "object",
          properties: { bed: text, litres: { type: "integer" } },
          required: ["bed", "litres"],
        },
      },
    ];
  }

  tool_look() {
    return { beds: this._state.beds };
  }

  tool_almanac({ plant }) {
    if (plant === this.sick) return { plant, cured_by: this.cure };
    if (plant === this.cure) return { plant, litres: this.litres };
    return { plant, note: "healthy and of no use here" };
  }

  tool_plant({ bed, plant }) {
    if (!Object.hasOwn(this._state.beds, bed)) return { error: "there is no such bed" };
    this._state.beds[bed] = plant;
    return { bed, plant };
  }

  tool_water({ bed, litres }) {
    if (!Object.hasOwn(this._state.beds, bed)) return { error: "there is no such bed" };
    this._state.water = litres;
    this._state.bed = bed;
    return { bed, litres };
  }

  solution() {
    const call = (name, given) => "<tool_call>" + JSON.stringify({ name, arguments: given }) + "</tool_call>";
    return [
      call("plant", { bed: this.first, plant: this.cure }),
      "<answer>done</answer>",
      call("water", { bed: this.first, litres: this.litres }),
      "<answer>done</answer>",
    ];
  }
}
