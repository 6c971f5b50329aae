/**
 * Concepts: what a mechanic is about, in cue words. A mechanic's text shows some cues of its concept; relatives share
 * cues though their rules differ. The agent's strategies are named after the concepts, and hints point to them.
 */

/** The agent's general strategies; all but `random` are also concepts that a mechanic can be about. */
export const strategies = [
  "random",
  "sweep",
  "bisect",
  "eliminate",
  "explore",
  "ratio",
  "trend",
  "toggle",
  "recall",
  "dependency",
] as const;
export type Strategy = (typeof strategies)[number];
export type Concept = Exclude<Strategy, "random">;

export interface Cue {
  /** The word that carries the cue; lower case, in `sentence`, and in no rule of a mechanic of another concept. */
  readonly word: string;
  /** True of every mechanic of the concept; `{thing}` stands for a noun of the document. */
  readonly sentence: string;
}

/**
 * The words by which a hint points to a strategy. They stand in no first observation, so that only a hint can say
 * them.
 */
export const hintWords: Readonly<Record<Strategy, readonly string[]>> = {
  random: ["guesswork"],
  sweep: ["sweep", "systematically"],
  bisect: ["bisect", "halving"],
  eliminate: ["eliminate", "eliminating"],
  explore: ["explore", "exploring"],
  ratio: ["ratio", "greedily"],
  trend: ["trend", "momentum"],
  toggle: ["toggle", "toggling"],
  recall: ["recall", "memorize"],
  dependency: ["dependencies", "prerequisite"],
};

const cue = (word: string, sentence: string): Cue => ({ word, sentence });

/** Nine cues a concept. A mechanic uses six of them (see `cueSpan`), of which hidden level 0, 1, 2 shows 6, 5, 4. */
export const cues: Readonly<Record<Concept, readonly Cue[]>> = {
  sweep: [
    cue("row", "Everything here stands in one long row."),
    cue("corner", "No corner around the {thing} may stay unseen."),
    cue("patient", "The {thing} rewards a patient eye."),
    cue("overlooked", "What is overlooked once stays lost."),
    cue("along", "The work goes along the {thing} from end to end."),
    cue("inspected", "A spot inspected twice tells nothing new."),
    cue("thorough", "The last keeper was thorough, and it paid."),
    cue("remaining", "Only the remaining part can still surprise."),
    cue("neighbour", "Each spot has a neighbour that waits its turn."),
  ],
  bisect: [
    cue("narrows", "Each reply narrows what can still be true."),
    cue("ordered", "The scale of the {thing} is ordered from small to large."),
    cue("overshoot", "It is as easy to overshoot as to fall short."),
    cue("middle", "The middle of the {thing} is worth a thought."),
    cue("bounds", "Two bounds close in on the {thing}."),
    cue("splits", "Whoever splits well wastes nothing."),
    cue("interval", "An interval shrinks with every answer."),
    cue("between", "The truth lies between two limits."),
    cue("scale", "A long scale is short for a clever hand."),
  ],
  eliminate: [
    cue("clue", "Every reply about the {thing} is a clue."),
    cue("consistent", "Only what is consistent with all replies can be true."),
    cue("candidates", "There are many candidates at first and few at last."),
    cue("contradicts", "What contradicts a reply is gone for good."),
    cue("deduce", "The {thing} is for those who deduce."),
    cue("possibilities", "The possibilities melt away."),
    cue("evidence", "Old evidence keeps its worth."),
    cue("suspect", "Every arrangement is a suspect until it is cleared."),
    cue("cryptic", "The replies are cryptic but never false."),
  ],
  explore: [
    cue("unknown", "Beyond the {thing} lies the unknown."),
    cue("wander", "Those who wander in circles tire out."),
    cue("passage", "Each passage leads somewhere."),
    cue("map", "Nobody has drawn a map of the {thing}."),
    cue("landmark", "A landmark seen once is worth keeping."),
    cue("deeper", "It goes deeper than it seems."),
    cue("discover", "There is much to discover about the {thing}."),
    cue("unseen", "The unseen is nearer than it looks."),
    cue("threshold", "Every threshold crossed shows new ones."),
  ],
  ratio: [
    cue("bargain", "Among the goods there is a bargain or two."),
    cue("frugal", "The frugal get further with the {thing}."),
    cue("limited", "The {thing} is limited and the wishes are not."),
    cue("burden", "Not every burden pays for itself."),
    cue("efficient", "An efficient hand leaves nothing unused."),
    cue("scarce", "Room is scarce around the {thing}."),
    cue("weigh", "Wise folk weigh gain against cost."),
    cue("spend", "It is easy to spend and hard to spend well."),
    cue("yield", "The small ones may yield more than the big."),
  ],
  trend: [
    cue("rising", "A rising {thing} seldom stops at once."),
    cue("falling", "A falling one keeps falling for a while."),
    cue("streak", "Fortune comes in a streak."),
    cue("tide", "There is a tide in the affairs of the {thing}."),
    cue("turning", "The turning of the way is never without a sign."),
    cue("yesterday", "What yesterday did, today will likely do."),
    cue("wave", "Ride the wave and leave it in time."),
    cue("climb", "A climb that began has not ended yet."),
    cue("swing", "Every swing goes on for some days."),
  ],
  toggle: [
    cue("switch", "A switch can do more than one thing."),
    cue("flips", "What flips once can be turned back."),
    cue("wiring", "The wiring behind the {thing} is out of sight."),
    cue("cause", "The same cause always has the same end."),
    cue("watch", "It pays to watch what changes."),
    cue("mechanism", "The mechanism of the {thing} is old but sound."),
    cue("lever", "Every lever is tied to something."),
    cue("reacts", "The {thing} reacts at once."),
    cue("undo", "What was done can be done again to undo it."),
  ],
  recall: [
    cue("remember", "The {thing} will ask what you remember."),
    cue("sequence", "A sequence is given once."),
    cue("repeat", "Nobody will repeat it for you."),
    cue("echo", "An echo has to match the voice."),
    cue("forgotten", "What is forgotten can't be bought back."),
    cue("melody", "It comes like a melody, piece by piece."),
    cue("listen", "Good ears listen before they speak."),
    cue("memory", "The {thing} lives in memory alone."),
    cue("verse", "It comes verse by verse, and none comes twice."),
  ],
  dependency: [
    cue("beforehand", "Some things have to be done beforehand."),
    cue("requires", "The {thing} requires what was made ready."),
    cue("prepared", "Nothing works that is not prepared."),
    cue("skipped", "What is skipped has to be paid for."),
    cue("chain", "One link hangs on another in the chain."),
    cue("foundations", "Foundations come early around the {thing}."),
    cue("awaits", "Each part awaits another."),
    cue("ready", "Only what is ready can be used."),
    cue("procedure", "The procedure of the {thing} has its reasons."),
  ],
};

/** How many cues a mechanic draws on, and how many of them a hidden level (0, 1, 2) shows. */
export const cueSpan = 6;
export const cuesShown = [6, 5, 4] as const;

/**
 * The cues of one mechanic: six of its concept's nine, beginning at `offset` and wrapping round, so that two
 * mechanics of a concept with offsets three apart share three of them.
 */
export function cuesOf(concept: Concept, offset: number): readonly Cue[] {
  const all = cues[concept];
  return Array.from({ length: cueSpan }, (_, i) => all[(offset + i) % all.length]).filter(
    (one) => one !== undefined,
  );
}
