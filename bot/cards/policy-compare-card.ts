/** The card of two versions of a policy beside each other: what each wins, and how far their weights are apart. */
import type { Apart } from "../../graph/policies/apart.ts";
import type { ComparedVersion, PairedDifference, PolicyComparison } from "../../graph/policies/compare.ts";
import { type Block, type Card, card, field, fields, table, text } from "./card.ts";
import { counted, score, unknown } from "./numbers.ts";

const percent = (fraction: number): string => (100 * fraction).toFixed(1);
const number = { align: "right" } as const;
const shownMechanics = 8;

function resultsTable(a: ComparedVersion, b: ComparedVersion): Block {
  const columns = [
    { title: "version" },
    { title: "success, %", ...number },
    { title: "95 % interval", ...number, squeezeTo: 7 },
    { title: "mean return", ...number, squeezeTo: 7 },
    { title: "plays", ...number },
    { title: "failed", ...number },
  ];
  const rows = [a, b].map((one) => ({
    cells: [
      one.version,
      percent(one.success),
      `${percent(one.low)} to ${percent(one.high)}`,
      score(one.meanReturn),
      String(one.episodes),
      String(one.failed),
    ],
  }));
  return table(columns, rows);
}

const points = (value: number): string => `${value > 0 ? "+" : ""}${percent(value)}`;
const signed = (value: number): string => score(value, { signed: true });

function differenceText(
  { mean, low, high, pairs }: PairedDifference,
  said: (value: number) => string,
  unit: string,
): string {
  if (mean === null) return unknown;
  const interval = low === null || high === null ? "" : ` [${said(low)}, ${said(high)}]`;
  return `${said(mean)}${interval}${unit} over ${counted(pairs, "environment")}`;
}

/** One sentence: which one is better, as far as the interval says. */
function verdict({ a, b, difference: { mean, low, high } }: PolicyComparison): string {
  if (mean === null || low === null || high === null) return "Too few environments were played to say more.";
  if (low > 0) return `${b.version} wins more: the interval excludes 0.`;
  if (high < 0) return `${a.version} wins more: the interval excludes 0.`;
  return "No difference can be told from chance: the interval holds 0.";
}

function apartBlocks({ agent, designer, skill, mechanics, size }: Apart): Block[] {
  const shown = mechanics.slice(0, shownMechanics);
  return [
    text("How far the weights are apart:"),
    fields(
      field("agent's weights", agent.toFixed(3)),
      field("designer's weights", designer.toFixed(3)),
      field("mean size it would design", `${size.a.toFixed(2)} → ${size.b.toFixed(2)}`),
    ),
    table(
      [
        { title: "strategy" },
        { title: "skill, a", ...number },
        { title: "skill, b", ...number },
        { title: "b − a", ...number },
      ],
      skill.map(({ strategy, a, b }) => ({
        cells: [strategy, score(a), score(b), signed(b - a)],
      })),
    ),
    table(
      [
        { title: "mechanic, most moved first" },
        { title: "share, a", ...number },
        { title: "share, b", ...number },
        { title: "b − a", ...number },
      ],
      shown.map(({ mechanic, a, b }) => ({
        cells: [mechanic, `${percent(a)} %`, `${percent(b)} %`, points(b - a)],
      })),
    ),
  ];
}

export function policyCompareCard(compared: PolicyComparison): Card {
  const { a, b, difference, returnDifference, apart, setId, seed } = compared;
  return card(`${a.version} (a) and ${b.version} (b)`, {
    blocks: [
      resultsTable(a, b),
      fields(
        field("success, b − a", differenceText(difference, points, " points")),
        field("return, b − a", differenceText(returnDifference, signed, "")),
        field("played on", `${setId}, both with the draws of seed ${seed}`),
      ),
      text(verdict(compared)),
      ...(apart === null
        ? [text("Where the weights are on a server, how far they are apart can't be seen from here.")]
        : apartBlocks(apart)),
    ],
    buttons: [
      { label: `Look at ${b.version}`, command: "policy show", options: { version: b.version } },
      { label: `Look at ${a.version}`, command: "policy show", options: { version: a.version } },
    ],
  });
}
