/** An episode as the formats see it: its record, its environment, and what was said, with the hint handled as asked. */
import { z } from "zod";
import { json } from "../../config/words.ts";
import type { ToolDefinition } from "../../sandbox/sandbox.ts";
import type { EnvironmentRecord, EpisodeRecord, TextId } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { agentSystem, withHint } from "../prompts/agent.ts";
import { readSections } from "../prompts/sections.ts";
import { transcript, turn } from "../transcript.ts";
import type { HintHandling } from "./options.ts";

const exportTurn = turn.pick({ said: true, action: true, observation: true, ms: true, tokens: true });
export type ExportTurn = z.infer<typeof exportTurn>;

/** The part of a transcript that the formats read: decisions and infos are left unread, which is most of it. */
const exportTranscript = transcript
  .pick({ system: true, firstObservation: true })
  .extend({ turns: z.array(exportTurn) });
type ExportTranscript = z.infer<typeof exportTranscript>;

/** `none`: the player saw no hint. `kept`: the prompt holds it. `dropped`: the player saw it, the row does not show it. */
export type HintState = "none" | "kept" | "dropped";

export interface Play {
  readonly episode: EpisodeRecord;
  readonly environment: EnvironmentRecord;
  /** As the agent is told, tools included. */
  readonly system: string;
  /** Null for games, and where nothing says what the tools are. */
  readonly tools: readonly ToolDefinition[] | null;
  readonly firstObservation: string;
  readonly turns: readonly ExportTurn[];
  readonly hint: HintState;
  /** GRPO's, within the episode's own arm; null for a group without any spread. */
  readonly advantage: number | null;
  /** The transcript as it is stored. */
  readonly raw: string;
}

/** Why an episode or a group is not in the export. */
export type LeftOut =
  | "failed"
  | "below-min-return"
  | "hinted"
  | "hint-not-found"
  | "no-turns"
  | "tools-unknown"
  | "no-tokens"
  | "single-play"
  | "same-return"
  | "same-answers"
  | "other-observations";

export interface PlayReader {
  read(
    episode: EpisodeRecord,
    environment: EnvironmentRecord,
    advantage: number | null,
  ): Promise<Play | LeftOut>;
}

type ReadingStore = Pick<Store, "texts" | "episodes">;

/** Reads episodes one at a time; of the hints and tools it keeps the latest few, which come again and again. */
export function createPlayReader(store: ReadingStore, hint: HintHandling): PlayReader {
  const hints = new Map<TextId, string>();
  const hintText = async (id: TextId): Promise<string> => {
    const known = hints.get(id);
    if (known !== undefined) return known;
    if (hints.size >= 64) hints.clear();
    const text = await store.texts.get(id);
    hints.set(id, text);
    return text;
  };
  const systems = new Map<string, string>();
  return {
    async read(episode, environment, advantage) {
      const raw = await store.texts.get(episode.transcriptId);
      let written: ExportTranscript = exportTranscript.parse(JSON.parse(raw));
      if (written.turns.length === 0) return "no-turns";
      let state: HintState = "none";
      if (episode.hintId !== null) {
        if (hint === "exclude") return "hinted";
        state = hint === "keep" ? "kept" : "dropped";
        if (hint === "drop") {
          const without = withoutHint(written, await hintText(episode.hintId));
          if (without === null) return "hint-not-found";
          written = without;
        }
      }
      let { system, turns } = written;
      if (episode.arm === "human") {
        // People type bare commands and are told no format: as a lesson for the agent it needs both as the agent's are.
        turns = turns.map((one) => ({ ...one, said: one.action }));
        const told =
          environment.kind === "game" ? agentSystem(null) : await systemOf(store, environment.id, systems);
        if (told === null) return "tools-unknown";
        system = told;
      }
      return {
        episode,
        environment,
        system,
        tools: environment.kind === "game" ? null : toolsOf(system),
        firstObservation: written.firstObservation,
        turns,
        hint: state,
        advantage,
        raw,
      };
    },
  };
}

/** The transcript with the hint taken off the observation that it was put after; null if it is nowhere. */
function withoutHint(written: ExportTranscript, hint: string): ExportTranscript | null {
  const added = withHint("", hint);
  const bare = (text: string): string => (text.endsWith(added) ? text.slice(0, -added.length) : text);
  const firstObservation = bare(written.firstObservation);
  const turns = written.turns.map((one) => ({ ...one, observation: bare(one.observation) }));
  const found =
    firstObservation !== written.firstObservation ||
    turns.some(({ observation }, at) => observation !== written.turns[at]?.observation);
  return found ? { ...written, firstObservation, turns } : null;
}

/** What an agent was told in an environment: its tools are written nowhere else. Null if no agent has played it. */
async function systemOf(
  store: ReadingStore,
  environmentId: string,
  known: Map<string, string>,
): Promise<string | null> {
  const found = known.get(environmentId);
  if (found !== undefined) return found;
  let after: string | undefined;
  do {
    const page = await store.episodes.ofEnvironment(environmentId, { limit: 50, after });
    for (const { arm, turns, transcriptId } of page.items) {
      if (arm === "human" || turns === 0) continue;
      const { system } = exportTranscript.parse(JSON.parse(await store.texts.get(transcriptId)));
      if (known.size >= 64) known.clear();
      known.set(environmentId, system);
      return system;
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  return null;
}

const toolDefinition = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), json),
});

/** The tools that a system message lists, one a line; null if it lists none that can be read. */
function toolsOf(system: string): ToolDefinition[] | null {
  const listed = readSections(system).find(({ name }) => name === "tools");
  if (listed === undefined) return null;
  const tools: ToolDefinition[] = [];
  for (const line of listed.body.split("\n")) {
    const parsed = toolDefinition.safeParse(parsedLine(line));
    if (!parsed.success) return null;
    tools.push(parsed.data);
  }
  return tools;
}

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
