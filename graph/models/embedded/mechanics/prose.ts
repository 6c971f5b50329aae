/** The prose of a first observation: title, story, cues of the concept, and foreign cues as distractors. */
import { type Concept, cues, cuesOf, cuesShown, strategies } from "./concepts.ts";
import type { Design, Level } from "./mechanic.ts";

/** Foreign cues that a distractor level adds. */
const foreignCues = [0, 2, 4] as const;

/** The lines above `Goal:`: the title, and one paragraph of story and cues in random order. */
export function proseLines(design: Design): string[] {
  const { mechanic, theme, random } = design;
  const own = random.shuffle(cuesOf(mechanic.concept, mechanic.cueOffset)).slice(0, cuesShown[design.hidden]);
  const others = strategies.filter((one): one is Concept => one !== "random" && one !== mechanic.concept);
  const foreign = random
    .shuffle(others)
    .slice(0, foreignCues[design.distractors])
    .map((concept) => random.pick(cues[concept]));
  const sentences = random
    .shuffle([...own, ...foreign])
    .map((cue) => cue.sentence.replaceAll("{thing}", theme.thing));
  return [theme.title, [theme.story, ...sentences].join(" ")];
}

/** A command of a distractor: a verb and what it answers. */
export interface Idle {
  readonly verb: string;
  readonly answer: string;
}

const idleVerbs = ["look", "whistle", "ask", "stretch"] as const;
const idleAnswers: readonly ((name: string) => string)[] = [
  (name) => `the ${name} is as it was`,
  (name) => `somewhere a ${name} can be heard`,
  (name) => `nobody answers about the ${name}`,
  (name) => `the ${name} catches your eye for a moment`,
];

/** As many commands that never help as the distractor level says. */
export function idleCommands(design: Design): Idle[] {
  const { random, theme, distractors } = design;
  const count: Level = distractors;
  return random
    .shuffle(idleVerbs)
    .slice(0, count)
    .map((verb) => ({ verb, answer: random.pick(idleAnswers)(random.pick(theme.names.slice(0, 30))) }));
}
