/** What the picture of a campaign shows, as a Vega-Lite specification: learning curve, designer's rewards, updates, versions. */
import type { TopLevelSpec } from "vega-lite";
import { skill } from "../../config/words.ts";
import type { CampaignChart } from "../cards/chart.ts";
import { armColors, framed, lineOf, width } from "./look.ts";
import { reachOf, smoothed } from "./smooth.ts";

type Panel = Extract<TopLevelSpec, { vconcat: unknown }>["vconcat"][number];

const curves = ["held-out success", "plain return", "hinted return"] as const;
const curveColors = ["#222222", armColors.plain, armColors.hinted];
const entropyColors = { agent: "#54a24b", designer: "#b279a2" } as const;
/** Columns that the rewards of many rounds are gathered in. */
const mostColumns = 40;
/** Where a curve's own points would be a smear, only the smoothed line is strong. */
const fewRounds = 24;

/** The specification of a campaign's picture. Panels without anything to show are left out. */
export function campaignSpec(chart: CampaignChart): TopLevelSpec {
  const last = Math.max(1, chart.rounds.length, ...chart.evaluations.map(({ after }) => after));
  const x = {
    type: "quantitative",
    title: null,
    scale: { domainMin: 0, domainMax: last, nice: false },
    axis: { tickMinStep: 1, format: "d", grid: false },
  } as const;
  const reach = reachOf(chart.rounds.length);
  const panels = [
    learning(chart, reach, x),
    rewards(chart, x),
    entropies(chart, x),
    clipping(chart, reach, x),
    versions(chart, x),
  ].filter((panel) => panel !== null);
  const averaged = reach === 0 ? "" : `; lines: means over ${2 * reach + 1} rounds`;
  return {
    ...framed(chart.title, `x: rounds; error bars: 95 % interval of held-out success${averaged}`),
    vconcat: panels,
    resolve: { scale: { color: "independent", shape: "independent" } },
  };
}

interface XAxis {
  readonly type: "quantitative";
  readonly title: null;
  readonly scale: { readonly domainMin: 0; readonly domainMax: number; readonly nice: false };
  readonly axis: { readonly tickMinStep: 1; readonly format: "d"; readonly grid: false };
}

/** How the points of single rounds are drawn beneath their line. */
const pointsOf = (rounds: number) =>
  rounds <= fewRounds ? ({ size: 40, opacity: 1 } as const) : ({ size: 12, opacity: 0.35 } as const);

const legend = { orient: "top", title: null, symbolOpacity: 1 } as const;

function learning({ rounds, evaluations }: CampaignChart, reach: number, x: XAxis): Panel {
  const armPoints = (["plain", "hinted"] as const).flatMap((arm) => {
    const values = rounds.map((round) => round[arm]);
    const lines = smoothed(values, reach);
    return rounds.flatMap(({ round }, at) => {
      const value = values[at] ?? null;
      return value === null ? [] : [{ round, curve: `${arm} return`, value, line: lines[at] ?? null }];
    });
  });
  const success = evaluations.map((evaluation) => ({ ...evaluation, curve: "held-out success" }));
  const shown = curves.filter((curve) => [...armPoints, ...success].some((point) => point.curve === curve));
  const least = Math.min(0, ...armPoints.map(({ value }) => value));
  const y = {
    type: "quantitative",
    title: "success, mean return",
    scale: { domainMin: least, domainMax: 1 },
  } as const;
  const color = {
    field: "curve",
    type: "nominal",
    sort: shown,
    scale: { domain: shown, range: shown.map((curve) => curveColors[curves.indexOf(curve)] ?? "#222222") },
    legend,
  } as const;
  return {
    width,
    height: 220,
    layer: [
      {
        data: { values: armPoints },
        mark: { type: "point", filled: true, ...pointsOf(rounds.length) },
        encoding: { x: { field: "round", ...x }, y: { field: "value", ...y }, color },
      },
      {
        data: { values: armPoints },
        mark: { type: "line", strokeWidth: 2 },
        encoding: { x: { field: "round", ...x }, y: { field: "line", ...y }, color },
      },
      {
        data: { values: success },
        mark: { type: "rule", strokeWidth: 1.5 },
        encoding: { x: { field: "after", ...x }, y: { field: "low", ...y }, y2: { field: "high" }, color },
      },
      {
        data: { values: success },
        mark: { type: "line", strokeWidth: 2, point: { filled: true, size: 60 } },
        encoding: { x: { field: "after", ...x }, y: { field: "success", ...y }, color },
      },
    ],
  };
}

/** Rewards of neighbouring rounds gathered in columns, one row a skill. */
function rewards({ rewards: all, rounds }: CampaignChart, x: XAxis): Panel | null {
  if (all.length === 0) return null;
  const step = Math.ceil(rounds.length / mostColumns);
  const cells = Map.groupBy(all, ({ round, skill: name }) =>
    JSON.stringify([Math.floor((round - 1) / step), name]),
  );
  const values = [...cells.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const from = Math.floor((first.round - 1) / step) * step;
    const reward = own.reduce((sum, one) => sum + one.reward, 0) / own.length;
    return [{ skill: lineOf(first.skill, 28), from, to: Math.min(from + step, rounds.length), reward }];
  });
  const names = new Set(values.map((value) => value.skill));
  const known = skill.options.filter((name) => names.has(name));
  const order = [...known, ...[...names].filter((name) => !known.some((one) => one === name)).sort()];
  return {
    width,
    height: { step: 16 },
    data: { values },
    mark: { type: "rect" },
    encoding: {
      x: { field: "from", ...x },
      x2: { field: "to" },
      y: { field: "skill", type: "nominal", sort: order, title: null, scale: { domain: order } },
      color: {
        field: "reward",
        type: "quantitative",
        scale: {
          scheme: "viridis",
          domain: [
            Math.min(0, ...values.map(({ reward }) => reward)),
            Math.max(0.1, ...values.map(({ reward }) => reward)),
          ],
        },
        legend: { orient: "top", title: "designer's reward", titleOrient: "left", gradientLength: 200 },
      },
    },
  };
}

function entropies({ updates }: CampaignChart, x: XAxis): Panel | null {
  const values = updates.flatMap(({ round, agentEntropy, designerEntropy }) => [
    ...(agentEntropy === null ? [] : [{ round, role: "agent", entropy: agentEntropy }]),
    ...(designerEntropy === null ? [] : [{ round, role: "designer", entropy: designerEntropy }]),
  ]);
  if (values.length === 0) return null;
  const roles = (["agent", "designer"] as const).filter((role) => values.some((one) => one.role === role));
  return {
    width,
    height: 100,
    data: { values },
    mark: { type: "line", strokeWidth: 2, point: updates.length <= fewRounds },
    encoding: {
      x: { field: "round", ...x },
      y: { field: "entropy", type: "quantitative", title: "entropy (nats)", scale: { zero: true } },
      color: {
        field: "role",
        type: "nominal",
        scale: { domain: roles, range: roles.map((role) => entropyColors[role]) },
        legend,
      },
    },
  };
}

function clipping({ updates }: CampaignChart, reach: number, x: XAxis): Panel | null {
  const lines = smoothed(
    updates.map(({ clipFraction }) => clipFraction),
    reach,
  );
  const values = updates.flatMap(({ round, clipFraction }, at) =>
    clipFraction === null ? [] : [{ round, clipFraction, line: lines[at] ?? null }],
  );
  if (values.length === 0) return null;
  const y = {
    type: "quantitative",
    title: "clip fraction",
    scale: { domainMin: 0, domainMax: Math.max(0.02, ...values.map(({ clipFraction }) => clipFraction)) },
    axis: { format: ".0%", tickCount: 4 },
  } as const;
  return {
    width,
    height: 80,
    data: { values },
    layer: [
      {
        mark: { type: "point", filled: true, color: "#e45756", ...pointsOf(updates.length) },
        encoding: { x: { field: "round", ...x }, y: { field: "clipFraction", ...y } },
      },
      {
        mark: { type: "line", strokeWidth: 2, color: "#e45756" },
        encoding: { x: { field: "round", ...x }, y: { field: "line", ...y } },
      },
    ],
  };
}

const marked = { rollback: "rollback", somebody: "a version from elsewhere" } as const;
const marks = ["evaluation", marked.rollback, marked.somebody] as const;
const markColors = ["#222222", "#e45756", "#f58518"];
const markShapes = ["circle", "triangle-down", "diamond"];

function versions({ versions: entries, evaluations }: CampaignChart, x: XAxis): Panel | null {
  if (entries.length === 0) return null;
  const at = (after: number): number => entries.findLast((entry) => entry.after <= after)?.updates ?? 0;
  const points = [
    ...evaluations.map(({ after }) => ({ after, updates: at(after), what: marks[0] })),
    ...entries.flatMap(({ after, updates, by }) =>
      by === "rollback" || by === "somebody" ? [{ after, updates, what: marked[by] }] : [],
    ),
  ];
  const shown = marks.filter((mark) => points.some(({ what }) => what === mark));
  const y = {
    field: "updates",
    type: "quantitative",
    title: "updates in the weights",
    scale: { domainMin: 0, domainMax: Math.max(1, ...entries.map(({ updates }) => updates)) },
    axis: { tickMinStep: 1, tickCount: 5, format: "d" },
  } as const;
  const place = { field: "what", type: "nominal", legend } as const;
  return {
    width,
    height: 100,
    layer: [
      {
        data: { values: entries.map((entry, order) => ({ ...entry, order })) },
        mark: { type: "line", interpolate: "step-after", strokeWidth: 2, color: "#4c78a8" },
        encoding: { x: { field: "after", ...x }, y, order: { field: "order" } },
      },
      {
        data: { values: points },
        mark: { type: "point", filled: true, opacity: 1 },
        encoding: {
          x: { field: "after", ...x },
          y,
          size: { value: 60, condition: { test: `datum.what !== '${marks[0]}'`, value: 160 } },
          color: {
            ...place,
            scale: {
              domain: shown,
              range: shown.map((mark) => markColors[marks.indexOf(mark)] ?? "#222222"),
            },
          },
          shape: {
            ...place,
            scale: { domain: shown, range: shown.map((mark) => markShapes[marks.indexOf(mark)] ?? "circle") },
          },
        },
      },
    ],
  };
}
