import { describe, expect, it } from "vitest";
import { type Person, requirePlace, roleOf, type Spot } from "../../bot/permissions.ts";
import { configSchema } from "../../config/schema.ts";

const server = "900000000000000001";
const settings = (roles: object, discord: object = {}) => configSchema.parse({ roles, discord });
const member = (roleIds: string[], manages = false, id = "100"): Person => ({
  id,
  name: "ada",
  membership: { serverId: server, roleIds, manages },
});
const direct: Person = { id: "100", name: "ada", membership: null };

describe("the role of a person", () => {
  it("with no mapping is admin for those who may manage the server and researcher for other members", () => {
    expect(roleOf(member([], true), settings({}))).toBe("admin");
    expect(roleOf(member(["5"]), settings({}))).toBe("researcher");
  });

  it("is the highest that the mapping gives to one of their roles or to themselves", () => {
    const config = settings({ admin: ["1"], researcher: ["2", "100"], viewer: ["3"] });
    expect(roleOf(member(["3", "1"]), config)).toBe("admin");
    expect(roleOf(member(["3"]), config)).toBe("researcher");
    expect(roleOf(member(["3"], false, "7"), config)).toBe("viewer");
  });

  it("comes from the mapping alone as soon as there is one, whoever may manage the server", () => {
    const config = settings({ admin: ["1"] });
    expect(() => roleOf(member(["9"], true, "7"), config)).toThrow(/gives ada no role/);
  });

  it("is given to every member by the server's own id", () => {
    const config = settings({ admin: ["1"], viewer: [server] });
    expect(roleOf(member([]), config)).toBe("viewer");
  });

  it("comes from user ids alone in direct messages", () => {
    expect(roleOf(direct, settings({ researcher: ["100"] }))).toBe("researcher");
    expect(() => roleOf(direct, settings({ researcher: ["5"] }))).toThrow(/by your user id/);
    expect(() => roleOf(direct, settings({ viewer: [server] }))).toThrow(/by your user id/);
  });

  it("with no mapping is viewer in direct messages, unless the bot is kept to some servers", () => {
    expect(roleOf(direct, settings({}))).toBe("viewer");
    expect(() => roleOf(direct, settings({}, { guilds: [server] }))).toThrow(/which server you are in/);
  });
});

describe("the place of a command", () => {
  const spot = (parts: Partial<Spot>): Spot => ({
    serverId: server,
    channelId: "20",
    parentId: null,
    ...parts,
  });

  it("is anywhere with no allow lists", () => {
    expect(() => requirePlace(spot({}), settings({}))).not.toThrow();
  });

  it("must be a server that is listed", () => {
    expect(() => requirePlace(spot({}), settings({}, { guilds: ["1"] }))).toThrow(/this server/);
    expect(() => requirePlace(spot({}), settings({}, { guilds: ["1", server] }))).not.toThrow();
  });

  it("must be a channel that is listed, or a thread of one", () => {
    const config = settings({}, { channels: ["20"] });
    expect(() => requirePlace(spot({}), config)).not.toThrow();
    expect(() => requirePlace(spot({ channelId: "21", parentId: "20" }), config)).not.toThrow();
    expect(() => requirePlace(spot({ channelId: "21", parentId: "22" }), config)).toThrow(/this channel/);
    expect(() => requirePlace(spot({ channelId: "21" }), config)).toThrow(/this channel/);
  });

  it("is free in direct messages, where the person decides", () => {
    const config = settings({}, { channels: ["20"], guilds: ["1"] });
    expect(() => requirePlace(spot({ serverId: null, channelId: "77" }), config)).not.toThrow();
  });
});
