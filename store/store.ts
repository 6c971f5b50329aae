/**
 * What lasts, as one interface. Every adapter passes the same contract suite (tests/contract/store.ts): calls are
 * atomic, a write that returned survives `kill -9`, and any number of processes may use one store at once.
 * Every record that is read is parsed by its schema; a row that does not fit is a `store.corrupt` error.
 */
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { Arm, EnvironmentStatus } from "../config/words.ts";
import type { CampaignRecord } from "./campaign-records.ts";
import type { PostRecord, SessionRecord, SettingRecord, SubscriptionRecord } from "./chat-records.ts";
import type {
  ApprovalRecord,
  AuditRecord,
  DocumentRecord,
  EnvironmentRecord,
  EpisodeRecord,
  HintRecord,
  PolicyRecord,
  RoundRecord,
  SkillAverages,
  TextId,
} from "./records.ts";

/** A page of a listing; `next` continues it, null at the end. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export interface PageRequest {
  /** At most this many, 1 to 1,000. */
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

/** Texts under their own hash: the same text is kept once, and a text never changes. */
export interface TextStore {
  put(text: string): Promise<TextId>;
  /** Throws `store.not-found` if there is no such text, `store.corrupt` if it does not match its hash. */
  get(id: TextId): Promise<string>;
}

/** Records with an identity that change. `insert` never overwrites: it says whether it was the first. */
export interface RecordStore<T> {
  insert(record: T): Promise<boolean>;
  get(id: string): Promise<T | null>;
  /** Read, change and write as one atomic step; throws `store.not-found`. `change` may run more than once. */
  update(id: string, change: (record: T) => T): Promise<T>;
}

/** Records that are also listed and removed: what chat keeps, and campaigns. */
export interface KeptStore<T> extends RecordStore<T> {
  /** By id, those whose id begins with `prefix`. */
  list(prefix: string, page: PageRequest): Promise<Page<T>>;
  /** False if there was none. */
  remove(id: string): Promise<boolean>;
}

export interface EnvironmentStore extends RecordStore<EnvironmentRecord> {
  /** Newest first. */
  list(
    filter: { readonly status?: EnvironmentStatus; readonly roundId?: string },
    page: PageRequest,
  ): Promise<Page<EnvironmentRecord>>;
  /** How many have a status, without reading them. */
  count(status: EnvironmentStatus): Promise<number>;
  /** The latest admitted or retired environments that have a score, newest first: what the memory is made of. */
  latestScored(limit: number): Promise<readonly EnvironmentRecord[]>;
}

/** An episode whose transcript is not among the texts yet. */
export interface UnwrittenEpisode {
  readonly record: Omit<EpisodeRecord, "transcriptId">;
  readonly transcript: string;
}

export interface EpisodeStore {
  /** True if it was new; an episode with the same id is never written twice. */
  insert(record: EpisodeRecord): Promise<boolean>;
  /**
   * As `insert`, for some at once: all of them are kept or none. Each transcript is kept in the same write, which gives
   * its record its `transcriptId`.
   */
  insertWithTranscripts(episodes: readonly UnwrittenEpisode[]): Promise<readonly boolean[]>;
  get(id: string): Promise<EpisodeRecord | null>;
  /** Ordered by environment, arm, index. */
  ofRound(
    roundId: string,
    filter?: { readonly environmentId?: string; readonly arm?: Arm },
  ): Promise<readonly EpisodeRecord[]>;
  /** How many a round has, without reading them. */
  countOfRound(roundId: string): Promise<number>;
  /** Every episode of an environment, over all rounds, oldest first. */
  ofEnvironment(environmentId: string, page: PageRequest): Promise<Page<EpisodeRecord>>;
}

export interface RoundStore extends RecordStore<RoundRecord> {
  /** Newest first; with `prefix` only those whose id begins with it: `r`, or `c1r` for a campaign's. */
  list(page: PageRequest, prefix?: string): Promise<Page<RoundRecord>>;
  /** How many ids begin with `prefix`, without reading the rounds. */
  count(prefix: string): Promise<number>;
}

export interface DocumentStore {
  /** False if a document with that id (its content hash) is there already. */
  insert(record: DocumentRecord): Promise<boolean>;
  get(id: string): Promise<DocumentRecord | null>;
  /** By id, so that sampling by a seed does not depend on when a document came. */
  list(page: PageRequest): Promise<Page<DocumentRecord>>;
  count(): Promise<number>;
  /** The ids alone, sorted. */
  ids(): Promise<readonly string[]>;
  remove(id: string): Promise<boolean>;
}

export interface HintStore {
  insert(record: HintRecord): Promise<boolean>;
  /** Oldest first. */
  ofEnvironment(environmentId: string): Promise<readonly HintRecord[]>;
}

export interface ApprovalStore {
  /** Puts a `waiting` row if there is none. */
  ask(roundId: string, environmentId: string, at: number): Promise<void>;
  get(roundId: string, environmentId: string): Promise<ApprovalRecord | null>;
  /** Compare-and-set from `waiting`: true for the one decision that counted. */
  decide(
    roundId: string,
    environmentId: string,
    decision: {
      readonly status: "approved" | "rejected";
      readonly by: string;
      readonly reason: string | null;
      readonly at: number;
    },
  ): Promise<boolean>;
  ofRound(roundId: string): Promise<readonly ApprovalRecord[]>;
  waiting(): Promise<readonly ApprovalRecord[]>;
}

export interface PolicyStore {
  /**
   * True if it is the newest version now. False, and nothing is kept, if there is one of that name, or if its parent is not
   * its provider's newest version (null: none yet): the versions of a provider are one line, and of two that are made of
   * the same parent at once one is refused.
   */
  insert(record: PolicyRecord): Promise<boolean>;
  get(version: string): Promise<PolicyRecord | null>;
  /** The newest version of a provider, null if it has none. */
  latest(provider: string): Promise<PolicyRecord | null>;
  /** Newest first: of one provider, or of all of them (""). */
  list(provider: string, page: PageRequest): Promise<Page<PolicyRecord>>;
}

export interface AverageStore {
  get(role: SkillAverages["role"], skill: string): Promise<SkillAverages | null>;
  put(record: SkillAverages): Promise<void>;
}

/** The right to work on something, held by one process. `token` grows with every new holder (fencing). */
export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly token: number;
  readonly expiresAt: number;
}

export interface LeaseStore {
  /** Null while somebody else holds it. A lease of a dead process of this machine is taken over at once. */
  acquire(name: string, ttlMs: number): Promise<Lease | null>;
  /** False if it was lost in the meantime. */
  renew(lease: Lease, ttlMs: number): Promise<boolean>;
  release(lease: Lease): Promise<void>;
  /** Who holds it now, null if nobody does. */
  holder(name: string): Promise<Lease | null>;
}

export interface AuditStore {
  append(record: AuditRecord): Promise<void>;
  /** Newest first. */
  list(page: PageRequest): Promise<Page<AuditRecord>>;
}

export type Counter = "round" | "file" | "human" | "policy" | "subscription" | "campaign";

export interface Store {
  readonly texts: TextStore;
  readonly environments: EnvironmentStore;
  readonly episodes: EpisodeStore;
  readonly rounds: RoundStore;
  readonly documents: DocumentStore;
  readonly hints: HintStore;
  readonly approvals: ApprovalStore;
  readonly policies: PolicyStore;
  readonly campaigns: KeptStore<CampaignRecord>;
  readonly averages: AverageStore;
  readonly leases: LeaseStore;
  readonly audit: AuditStore;
  readonly posts: KeptStore<PostRecord>;
  readonly subscriptions: KeptStore<SubscriptionRecord>;
  readonly sessions: KeptStore<SessionRecord>;
  readonly settings: KeptStore<SettingRecord>;
  /** The next number of a counter, from 1; never the same twice. Names rounds `r1`, `r2` and files `f1`, `f2`. */
  nextNumber(counter: Counter): Promise<number>;
  /** LangGraph's saver on the same store; thread id = round id. Loaded on first use: its library takes half a second. */
  checkpoints(): Promise<BaseCheckpointSaver>;
  close(): Promise<void>;
}
