/** Completion: what somebody may mean while they type an option, at most 25, newest first where there is an age. */
import type { Config } from "../../config/schema.ts";
import type { CampaignRecord } from "../../store/campaign-records.ts";
import type { EnvironmentRecord, PolicyRecord, RoundRecord } from "../../store/records.ts";
import type { Page, PageRequest, Store } from "../../store/store.ts";
import { harmless, oneLine, shorten } from "../cards/harmless.ts";
import { moment } from "../cards/numbers.ts";
import { choicesOf, type OptionDefinition } from "./option.ts";

export interface Choice {
  readonly name: string;
  readonly value: string;
}

/** What completion looks at. */
export interface Completing {
  readonly store: Store;
  readonly config: Config;
}

const most = 25;
/** The longest that a choice may be: what a chat shows and takes back. */
const characters = 100;
const pageSize = 200;
/** Records that are looked at for one completion: a person types on, and the next letter asks again. */
const mostLooked = 2_000;

/** Whether a choice is meant: every word that was typed is in it. */
function fits({ name, value }: Choice, typed: string): boolean {
  const text = `${name}\n${value}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Those that begin with what was typed come first. */
function ranked(choices: readonly Choice[], typed: string): Choice[] {
  const begins = ({ value }: Choice): boolean => value.toLowerCase().startsWith(typed.toLowerCase());
  return [...choices.filter(begins), ...choices.filter((choice) => !begins(choice))];
}

/** The first listed records that fit what was typed. */
async function search<T>(
  list: (page: PageRequest) => Promise<Page<T>>,
  choiceOf: (record: T) => Choice,
  typed: string,
): Promise<Choice[]> {
  const found: Choice[] = [];
  let looked = 0;
  let after: string | undefined;
  do {
    const page = await list({ limit: pageSize, after });
    looked += page.items.length;
    found.push(...page.items.map(choiceOf).filter((choice) => fits(choice, typed)));
    after = page.next ?? undefined;
  } while (after !== undefined && found.length < most && looked < mostLooked);
  return found;
}

const environmentChoice = ({ id, name, status, kind, skill }: EnvironmentRecord): Choice => ({
  name: `${id} ${name} (${[status, skill ?? kind].join(", ")})`,
  value: id,
});

const roundChoice = ({ id, status, startedAt, startedBy }: RoundRecord): Choice => ({
  name: `${id} ${status}, ${moment(startedAt)}, by ${startedBy}`,
  value: id,
});

const campaignChoice = ({ id, status, rounds, options }: CampaignRecord): Choice => ({
  name: `${id} ${status}, ${rounds.length} of ${options.rounds} rounds, ${options.round.model}`,
  value: id,
});

const policyChoice = ({ version, provider, note, createdAt }: PolicyRecord): Choice => ({
  name: `${version} ${provider}, ${moment(createdAt)}, ${note}`,
  value: version,
});

/** Episodes of the round that the typed id begins with, else of the newest round. */
async function episodes(typed: string, { store }: Completing): Promise<Choice[]> {
  const newest = await store.rounds.list({ limit: 1 });
  const named = /^([^.]+)\./.exec(typed)?.[1];
  const roundId = named ?? newest.items[0]?.id;
  if (roundId === undefined) return [];
  const records = await store.episodes.ofRound(roundId);
  return records
    .map(({ id, arm, return: gained }) => ({ name: `${id} (${arm}, ${gained ?? "failed"})`, value: id }))
    .filter((choice) => fits(choice, typed));
}

/** The lab's model and those of the latest rounds. */
async function models(typed: string, { store, config }: Completing): Promise<Choice[]> {
  const { items } = await store.rounds.list({ limit: pageSize });
  const names = new Set([config.model, "embedded", ...items.map(({ options }) => options.model)]);
  return [...names].map((name) => ({ name, value: name })).filter((choice) => fits(choice, typed));
}

async function found(option: OptionDefinition, typed: string, completing: Completing): Promise<Choice[]> {
  const { store } = completing;
  switch (option.kind) {
    case "choice":
      return choicesOf(option)
        .map((value) => ({ name: value, value }))
        .filter((choice) => fits(choice, typed));
    case "environment":
      return search((page) => store.environments.list({}, page), environmentChoice, typed);
    case "round":
      return search((page) => store.rounds.list(page), roundChoice, typed);
    case "campaign":
      return search((page) => store.campaigns.list("", page), campaignChoice, typed);
    case "policy":
      return search((page) => store.policies.list("", page), policyChoice, typed);
    case "document":
      return search(
        (page) => store.documents.list(page),
        ({ id, title, part, parts }) => ({
          name: `${id} ${title}${parts === 1 ? "" : ` (${part + 1} of ${parts})`}`,
          value: id,
        }),
        typed,
      );
    case "episode":
      return episodes(typed, completing);
    case "model":
      return models(typed, completing);
    default:
      return [];
  }
}

/** What is being typed, and what stands before it in an option that takes several. */
function lastOf(option: OptionDefinition, typed: string): { readonly before: string; readonly last: string } {
  if (option.many !== true) return { before: "", last: typed.trim() };
  const [, before = "", last = ""] =
    (option.kind === "choice" ? /^(.*,)?([^,]*)$/s : /^(.*[\s,])?([^\s,]*)$/s).exec(typed) ?? [];
  return { before: before === "" ? "" : `${before.trimEnd()} `, last: last.trim() };
}

/** What somebody may mean with what they typed so far. Where an option takes several, the last one is completed. */
export async function complete(
  option: OptionDefinition,
  typed: string,
  completing: Completing,
): Promise<Choice[]> {
  const { before, last } = lastOf(option, typed);
  const choices = ranked(await found(option, last, completing), last);
  return choices
    .map(({ name, value }) => ({
      name: shorten(oneLine(harmless(before + name)), characters),
      value: before + value,
    }))
    .filter(({ value }) => value.length <= characters)
    .slice(0, most);
}
