/**
 * Presets: sets of settings under one name, put between the defaults and what people set themselves.
 * The `paper-` presets hold the figures of the SPADE paper (arXiv 2608.19197) and its reference launcher.
 */
import type { z } from "zod";
import type { configSchema } from "./schema.ts";

export interface Preset {
  readonly summary: string;
  readonly settings: z.input<typeof configSchema>;
}

/** An episode of the paper: 25 turns, 32,768 tokens of context, temperature 0.6. */
const paperEpisode = { turnCap: 25, contextTokens: 32_768, temperature: 0.6 } as const;

export const presets = {
  "paper-games": {
    summary: "Cognitive games as the reference launcher plays them: 24 games, 16 plays in each arm, blend.",
    settings: { round: { ...paperEpisode, envs: 24, plays: 16, kind: "game", reward: "blend" } },
  },
  "paper-tool-use": {
    summary: "Multi-turn tool use: 25 environments, 16 plays in each arm (400 plain episodes), regret.",
    settings: { round: { ...paperEpisode, envs: 25, plays: 16, kind: "tool-use", reward: "regret" } },
  },
  demo: {
    summary: "A small round that ends in seconds: 3 environments, 4 plays in each arm, the embedded policy.",
    settings: { model: "embedded", round: { envs: 3, plays: 4 } },
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;

export const presetNames = Object.keys(presets) as readonly PresetName[];

export function isPresetName(name: string): name is PresetName {
  return Object.hasOwn(presets, name);
}
