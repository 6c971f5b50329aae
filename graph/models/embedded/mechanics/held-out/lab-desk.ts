/** Lab desk, held out: a relative of the order desk with stages of its own, each of which needs two earlier values. */
import type { Design, Mechanic } from "../mechanic.ts";
import { type Desk, deskSource, orderDesk } from "../order-desk.ts";

export const labDesk: Mechanic = {
  ...orderDesk,
  name: "lab-desk",
  cueOffset: 6,
  skills: { "Multi-Step Workflows": 1 },
  topics: [],
  rules: [
    { name: "links", options: ["fork"] },
    { name: "guard", options: ["tells", "cancels"] },
    { name: "expiry", options: ["none"] },
    { name: "consent", options: ["none", "manager"] },
  ],
  heldOut: true,
  write: (design: Design) => deskSource(design, desk),
};

const desk: Desk = {
  given: "sender",
  stages: [
    ["register_sender", "sender_id", "Registers who sends a sample."],
    ["accept_sample", "sample", "Takes a sample in."],
    ["assign_bench", "bench", "Finds a free bench."],
    ["mix_reagent", "reagent", "Mixes a reagent."],
    ["run_assay", "assay", "Runs the assay."],
    ["read_meter", "reading", "Reads the meter."],
    ["calibrate_curve", "curve", "Fits the curve."],
    ["check_control", "control", "Checks against the control."],
    ["draft_report", "draft", "Drafts the report."],
    ["release_report", "report_code", "Releases the report."],
  ],
};
