/** The seeds of the instances that are played: the same in every arm, so that regret is a paired difference. */
import { keyedSeed } from "../config/random.ts";

/** The seed that the `instance`-th instance of a slot resets with, whatever the arm. */
export function instanceSeed(roundSeed: number, slot: number, instance: number): number {
  return keyedSeed(roundSeed, slot, "instance", instance);
}

/** The seed of play `index`: plays that share an instance follow each other. */
export function playSeed(roundSeed: number, slot: number, index: number, playsPerSeed: number): number {
  return instanceSeed(roundSeed, slot, Math.floor(index / playsPerSeed));
}
