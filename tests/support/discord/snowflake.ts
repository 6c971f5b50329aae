/** Snowflakes: ids that grow with time, 19 digits, and unique within one process. */

const discordEpoch = 1_420_070_400_000n;
let counter = 0n;

/** A new id, for now or for another time (milliseconds since 1970). */
export function snowflake(at: number = Date.now()): string {
  counter += 1n;
  return (((BigInt(at) - discordEpoch) << 22n) | (counter & 0x3fffffn)).toString();
}

/** When an id was made, milliseconds since 1970. */
export function timeOf(id: string): number {
  return Number((BigInt(id) >> 22n) + discordEpoch);
}
