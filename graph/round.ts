/**
 * A self-play round, whole: what happens, in which order, and where it can wait, repeat or stop.
 *
 *     ground → design → admit ⟲ repair → hint → (approve) → play → score → remember → learn → report
 *
 * Each stage is a node of its own (graph/nodes/); episodes and steps are plain loops inside `play`, because a graph
 * step each would cost far more than they do. A round over environments that exist skips from `ground` to `play`, or
 * to `approve`.
 * A node that was interrupted re-runs from its top, so each one first looks up what it has already stored.
 */
import { type BaseCheckpointSaver, END, START, StateGraph } from "@langchain/langgraph";
import { StoreError } from "../config/errors.ts";
import type { RoundOptions } from "../store/records.ts";
import { Direct } from "./direct.ts";
import { admit } from "./nodes/admit.ts";
import { approve } from "./nodes/approve.ts";
import { design } from "./nodes/design.ts";
import { ground } from "./nodes/ground.ts";
import { hint } from "./nodes/hint.ts";
import { learn } from "./nodes/learn.ts";
import { play } from "./nodes/play.ts";
import { remember } from "./nodes/remember.ts";
import { repair } from "./nodes/repair.ts";
import { report } from "./nodes/report.ts";
import { score } from "./nodes/score.ts";
import { askingNode, node, RoundContext, RoundState, type State } from "./state.ts";

/** Only a locked database is worth a second try of a whole node; models and the sandbox retry on their own. */
const retryPolicy = {
  maxAttempts: 3,
  initialInterval: 500,
  retryOn: (error: unknown): boolean => error instanceof StoreError && error.code === "store.locked",
  logWarning: false,
};

/** What of a round's options decides the way through its graph. */
type Way = Pick<RoundOptions, "mode" | "repairs" | "approve">;
type RoundGraph = ReturnType<typeof compiled>;

/** Compiling one takes longer than a stage that has little to do, so each is kept as long as its saver. */
const graphs = new WeakMap<BaseCheckpointSaver, Map<string, RoundGraph>>();

/** The graph of a round with these options, over a saver; one thread a round, the thread's id being the round's. */
export function roundGraph({ mode, repairs, approve }: Way, checkpointer: BaseCheckpointSaver): RoundGraph {
  const own = graphs.get(checkpointer) ?? new Map<string, RoundGraph>();
  graphs.set(checkpointer, own);
  const key = `${mode} ${repairs} ${approve}`;
  const graph = own.get(key) ?? compiled({ mode, repairs, approve }, checkpointer);
  own.set(key, graph);
  return graph;
}

function compiled({ mode, repairs, approve: asksPeople }: Way, checkpointer: BaseCheckpointSaver) {
  const designs = mode === "self-play" || mode === "design";
  /** A fixed pool was designed, admitted and hinted before. */
  const afterGround = () => (designs ? "design" : asksPeople ? "approve" : "play");
  /** Rejected designs go back to the designer until they pass or the repairs are used up. */
  const afterAdmit = ({ open, wave }: State) => (open.length > 0 && wave < repairs ? "repair" : "hint");
  /** People are asked once, when everything they need to decide on is there. */
  const afterHint = ({ playable }: State) =>
    asksPeople && playable.length > 0 ? "approve" : mode === "design" ? "report" : "play";
  /** Environments for a pool are played by the rounds that use it. */
  const afterApprove = () => (mode === "design" ? "report" : "play");

  return new StateGraph(RoundState, RoundContext)
    .setNodeDefaults({ retryPolicy })
    .addNode("ground", node(ground))
    .addNode("design", node(design))
    .addNode("admit", node(admit))
    .addNode("repair", node(repair))
    .addNode("hint", node(hint))
    .addNode("approve", askingNode(approve))
    .addNode("play", node(play))
    .addNode("score", node(score))
    .addNode("remember", node(remember))
    .addNode("learn", node(learn))
    .addNode("report", node(report))
    .addEdge(START, "ground")
    .addConditionalEdges("ground", new Direct(afterGround), ["design", "approve", "play"])
    .addEdge("design", "admit")
    .addConditionalEdges("admit", new Direct(afterAdmit), ["repair", "hint"])
    .addEdge("repair", "admit")
    .addConditionalEdges("hint", new Direct(afterHint), ["approve", "play", "report"])
    .addConditionalEdges("approve", new Direct(afterApprove), ["play", "report"])
    .addEdge("play", "score")
    .addEdge("score", "remember")
    .addEdge("remember", "learn")
    .addEdge("learn", "report")
    .addEdge("report", END)
    .compile({ checkpointer, name: "round" });
}
