/**
 * The voices of a round: what the designer made and why, and one episode of the agent without and with the hint, told
 * beside the numbers. What is due follows from the view alone, so a restart can't lose a voice or repeat one.
 */
import { type Conversation, readConversation } from "../../graph/conversation.ts";
import { environmentIdOf } from "../../graph/plan.ts";
import { readFields, readSections } from "../../graph/prompts/sections.ts";
import { transcript } from "../../graph/transcript.ts";
import type { EnvironmentRecord, EpisodeRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import type { Card } from "../cards/card.ts";
import { type DesignVoice, designCard, designsCard, episodesVoiceCard } from "../cards/round-voice-card.ts";
import type { RoundView } from "./round-view.ts";

/** Something to say, once. `key` names it within its round. */
export type Voice =
  | { readonly key: string; readonly type: "designs"; readonly environmentIds: readonly string[] }
  | { readonly key: string; readonly type: "episode" };

type Texts = Pick<Store, "environments" | "documents" | "episodes" | "texts">;

/** Up to so many designs have a post each; more share this many posts. */
const mostDesignPosts = 6;

/** What can be told by now, oldest first, what was told already included. */
export function voicesOf(view: RoundView): Voice[] {
  if (view.job.type === "ended" && view.job.record.status === "cancelled") return [];
  const voices: Voice[] = [];
  if (view.options.mode === "self-play") {
    const { envs } = view.options;
    const inPost = Math.ceil(envs / mostDesignPosts);
    for (let first = 0; first < envs; first += inPost) {
      const slots = Array.from({ length: Math.min(inPost, envs - first) }, (_, i) => first + i);
      const environmentIds = slots.map((slot) => environmentIdOf(view.roundId, slot));
      const isFinal = environmentIds.every((id) => {
        const verdict = view.designs.get(id)?.verdict;
        return verdict === "admitted" || verdict === "rejected";
      });
      if (isFinal) voices.push({ key: `design:${first / inPost}`, type: "designs", environmentIds });
    }
  }
  const over = view.job.type === "ended" && view.job.record.status === "finished";
  if (over || view.stages.some(({ stage }) => stage === "score")) {
    voices.push({ key: "episode", type: "episode" });
  }
  return voices;
}

/** The card of a voice; null if there is nothing to say after all. */
export async function cardOf(store: Texts, roundId: string, voice: Voice): Promise<Card | null> {
  if (voice.type === "episode") return episodeVoice(store, roundId);
  const designs: DesignVoice[] = [];
  for (const id of voice.environmentIds) {
    const record = await store.environments.get(id);
    if (record !== null) designs.push(await designVoice(store, record));
  }
  const [first] = designs;
  if (first === undefined) return null;
  return designs.length === 1 ? designCard(first) : designsCard(designs);
}

async function designVoice(store: Texts, record: EnvironmentRecord): Promise<DesignVoice> {
  const { conversationId } = record.designer;
  const said = conversationId === null ? [] : await readConversation(store.texts, conversationId);
  const document = record.documentId === null ? null : await store.documents.get(record.documentId);
  return {
    record,
    words: wordsOf(said),
    memory: memoryIn(said),
    documentTitle: document?.title ?? null,
  };
}

/** What the designer's last answer says beside its code. */
function wordsOf(said: Conversation): string {
  const answer = said.findLast(({ by }) => by === "designer")?.text ?? "";
  const thoughts = answer.lastIndexOf("</think>");
  const spoken = thoughts < 0 ? answer : answer.slice(thoughts + "</think>".length);
  const lines = spoken.split("\n");
  let inCode = false;
  const outside = lines.filter((line) => {
    const fence = /^\s{0,8}```/.test(line);
    if (fence) inCode = !inCode;
    return !fence && !inCode;
  });
  return outside
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** The examples of the memory that the designer was shown, as `name (regret 0.50)`. */
function memoryIn(said: Conversation): DesignVoice["memory"] {
  const request = said.find(({ by }) => by === "lab")?.text ?? "";
  const memory = readSections(request).find(({ name }) => name === "memory")?.body ?? "";
  const examples = readSections(memory)
    .filter(({ name }) => name === "example")
    .map(({ body }) => readFields(body));
  const named = (good: boolean): string[] =>
    examples
      .filter(({ verdict }) => (verdict === "good") === good)
      .map(({ name, verdict, regret }) => `${name} (${good ? `regret ${regret}` : verdict})`);
  return { good: named(true), bad: named(false) };
}

async function episodeVoice(store: Texts, roundId: string): Promise<Card | null> {
  const pair = telling(await store.episodes.ofRound(roundId));
  if (pair === null) return null;
  const environment = await store.environments.get(pair.plain.environmentId);
  if (environment === null) return null;
  const read = async (episode: EpisodeRecord) => ({
    episode,
    transcript: transcript.parse(JSON.parse(await store.texts.get(episode.transcriptId))),
  });
  const { hintId } = pair.hinted;
  return episodesVoiceCard({
    environment,
    hint: hintId === null ? "" : await store.texts.get(hintId),
    plain: await read(pair.plain),
    hinted: await read(pair.hinted),
  });
}

/** The two plays of one seed in which the hint changed most; of equal ones the shortest. */
function telling(
  episodes: readonly EpisodeRecord[],
): { readonly plain: EpisodeRecord; readonly hinted: EpisodeRecord } | null {
  const hintedBy = new Map(
    episodes
      .filter(({ arm }) => arm === "hinted")
      .map((episode) => [`${episode.environmentId} ${episode.index}`, episode]),
  );
  const pairs = episodes.flatMap((plain) => {
    const hinted = hintedBy.get(`${plain.environmentId} ${plain.index}`);
    if (plain.arm !== "plain" || plain.return === null || hinted === undefined) return [];
    if (hinted.return === null || hinted.seed !== plain.seed) return [];
    return [{ plain, hinted, lift: hinted.return - plain.return, turns: plain.turns + hinted.turns }];
  });
  return pairs.sort((a, b) => b.lift - a.lift || a.turns - b.turns)[0] ?? null;
}
