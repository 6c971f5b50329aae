/**
 * Theme: what a document gives to an environment. Its words name things and tell the story, and its numbers become
 * constants of the rules.
 */
import type { Random } from "../../../../config/random.ts";
import { cues, hintWords } from "./concepts.ts";

export interface Theme {
  /** Two capitalised words, e.g. `Harbor Tide`. */
  readonly title: string;
  /** A noun for the cue sentences. */
  readonly thing: string;
  /** One or two sentences. */
  readonly story: string;
  /** At least 60 distinct names, those of the document first; none is a word that the conventions use. */
  readonly names: readonly string[];
  /** Whole numbers of the document, 0 to 9999; may be empty. */
  readonly numbers: readonly number[];
}

const common = new Set(
  `about above across after again against almost alone along already also although always among another anyone anything around
  away back because become been before began behind being below best better between beyond both bring brought called came cannot
  case certain change come common could course days does doing done down during each early either else enough even ever every
  example fact find first five following form found four from full gave general get give given going gone good great group hand
  hard have having hear heard held help here high himself home however idea important inside instead into itself just keep kept
  kind knew know known large last late later least left less like likely line little long look looked made main make makes making
  many matter maybe mean means might more most much must name near need needs never next none nothing number often once only open
  order other others over page part parts past people perhaps place point present problem rather really reason right said same says
  second seem seems seen several shall should show shows side since small some someone something sometimes soon still such sure take
  taken takes than that their them themselves then there these they thing things think this those though thought three through thus
  time times today together told took toward turn turned under until upon used uses using very want wanted wants ways well went were
  what when where whether which while whole whose will with within without work world would write wrote year years your yours into
  a an and are as at be but by can for had has her him his how its may nor not now off one our out own per put she the too two use
  was way who why yet you http https www html com org text figure table chapter section also per cent`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Words with a meaning in the conventions or in JavaScript; a name must not be one of them. */
const reserved = new Set([
  ..."commands goal rules format grade turns turn result range progress place exits here hum holding items left worth price change".split(
    " ",
  ),
  ..."signal stance lamps wanted phase order needs done row word candidates known answer key door nothing dark calm in out on off".split(
    " ",
  ),
  ..."forward backward listen repeat guess probe declare try take drop go unlock buy sell wait press commit say check patch report".split(
    " ",
  ),
  ..."finish close look whistle ask stretch hire load test accuse cast haul rest yes no high low found right wrong refused heard where".split(
    " ",
  ),
  ..."boxed constructor prototype object array string error retry next page pages status amount units remedy jammed fine skip".split(
    " ",
  ),
  ..."tool tools call hint document memory example digest source gates task brief episode instead unknown marked".split(
    " ",
  ),
  ...Object.values(hintWords).flat(),
  ...Object.values(cues).flatMap((list) => list.map((cue) => cue.word)),
]);

/** The words of a text that can carry a theme, most frequent first, at most `limit`. */
export function contentWords(text: string, limit = 60): string[] {
  const counts = new Map<string, number>();
  for (const [word] of text
    .slice(0, 60_000)
    .toLowerCase()
    .matchAll(/\b[a-z]{4,9}\b/g)) {
    if (!common.has(word) && !reserved.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts.entries()]
    .sort((a, b) => b[1] - a[1])
    .slice(0, limit)
    .map(([word]) => word);
}

/** The whole numbers of a text, 0 to 9999, in order, at most 24. */
export function numbersOf(text: string): number[] {
  return [...text.slice(0, 60_000).matchAll(/(?<![\d.,])\d{1,4}(?![\d.,]*\d)/g)]
    .slice(0, 24)
    .map((match) => Number(match[0]));
}

/** Words for a designer without a document, or with one that has too few. */
const ownWords = [
  "harbor anchor sailor buoy ferry dock gull canvas rudder lagoon",
  "orchard ladder cider basket wasp meadow barn harvest pear fence",
  "foundry anvil furnace bellows ingot hammer smith ember alloy mould",
  "theatre curtain actor velvet prompter stage mask costume gallery encore",
  "glacier summit crevasse ridge lantern sherpa blizzard cairn plateau tent",
  "bakery flour oven yeast pastry baker loaf sugar apron counter",
  "library shelf volume ink scribe parchment folio atlas reader cloister",
  "railway signalman whistlebox carriage platform sleeper viaduct tunnel conductor luggage buffer",
  "desert caravan camel oasis dune nomad saddle mirage scorpion spice",
  "clinic nurse bandage syringe ward surgeon pulse ointment stretcher vaccine",
  "observatory comet telescope orbit planet nebula dome eclipse satellite crater",
  "vineyard cellarman barrel grape cork bottle press terrace vintage sommelier",
].map((line) => line.split(" "));

const stories: readonly ((a: string, b: string, c: string) => string)[] = [
  (a, b) => `An old note about ${a} and ${b} lies open on the desk.`,
  (a, b, c) => `They say that the ${a} was built for the ${b}, long before the ${c}.`,
  (a, b) => `You were called in because of the ${a}; the ${b} is somebody else's business.`,
  (a, b, c) => `Between ${a} and ${b} stands a house where ${c} is taken seriously.`,
  (a) => `It is a quiet day for the ${a}, and you are alone with it.`,
  (a, b, c) => `The ${a} of the ${b} has left; only the ${c} is still about.`,
  (a, b) => `People come for the ${a} and stay for the ${b}.`,
  (a, b) => `Your task has to do with ${a}. Mind the ${b}.`,
  (a, b, c) => `A sign says: ${a}, ${b}, ${c}.`,
  (a, b) => `No ${a} without ${b}, as the saying goes.`,
];

/** A theme drawn from a text (a document, a brief, both); any text will do, also an empty one. */
export function themeOf(text: string, random: Random): Theme {
  const found = contentWords(text);
  const own = random.shuffle(ownWords);
  const fill = own
    .flatMap((list) => random.shuffle(list))
    .filter((word) => !found.includes(word) && !reserved.has(word));
  // The most frequent words are the document's subject; the rest of it fills up the names.
  const names = [...random.shuffle(found.slice(0, 24)), ...random.shuffle(found.slice(24)), ...fill];
  const heads = found.length >= 4 ? random.shuffle(found.slice(0, 8)) : names;
  const [first = "quiet", second = "house", third = "garden", fourth = "road"] = [
    ...heads,
    ...names.slice(8),
  ];
  return {
    title: `${capital(first)} ${capital(second)}`,
    thing: second,
    story: random.pick(stories)(first, third, fourth),
    names: names.filter((name) => name !== second),
    numbers: numbersOf(text),
  };
}

/** A constant of the rules in [low, high], every other time taken from the document's numbers. */
export function constant(theme: Theme, random: Random, low: number, high: number): number {
  const span = high - low + 1;
  if (theme.numbers.length > 0 && random.next() < 0.5) return low + (random.pick(theme.numbers) % span);
  return low + random.below(span);
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
