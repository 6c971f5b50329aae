/** The pages of docs/ that are written from the code: the settings from their schema, the errors from their catalogue. */
import { catalogue } from "./errors.ts";
import { configFileName, configFileVariable } from "./load.ts";
import { type Preset, presets } from "./presets.ts";
import { type Setting, settings } from "./settings.ts";

const written = "<!-- Written by `npm run docs`; a test holds it equal to the code. -->";

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** A table with its columns aligned, as the formatter of the repository writes them. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(cell));
  const widths = head.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const [first = [], ...rest] = cells;
  return [line(first), line(widths.map((width) => "-".repeat(width))), ...rest.map(line)].join("\n");
}

const groupTitles: Readonly<Record<string, string>> = {
  "": "The lab",
  round: "A round",
  sandbox: "The sandbox",
  models: "Models",
  tinker: "A training server (`tinker:`)",
  memory: "The environment memory",
  documents: "Documents",
  discord: "Discord",
  roles: "Roles in chat",
  limits: "Limits of each person in chat",
  approvals: "Approvals",
  watch: "What people are told of",
  log: "The log",
};

const groupOf = (setting: Setting): string =>
  setting.path.includes(".") ? (setting.path.split(".")[0] ?? "") : "";

function settingsTable(group: string): string {
  const rows = settings()
    .filter((setting) => groupOf(setting) === group)
    .map((setting) => [
      `\`${setting.path}\``,
      `\`${JSON.stringify(setting.fallback)}\``,
      setting.takes,
      setting.summary,
    ]);
  return table(["Setting", "Default", "Takes", "What it does"], rows);
}

function presetRows(): string[][] {
  return Object.entries<Preset>(presets).map(([name, preset]) => {
    const { round = {}, ...top } = preset.settings;
    const values = [
      ...Object.entries(top).map(([key, value]) => `\`${key}: ${String(value)}\``),
      ...Object.entries(round).map(([key, value]) => `\`round.${key}: ${String(value)}\``),
    ];
    return [`\`${name}\``, preset.summary, values.join(", ")];
  });
}

/** docs/configuration.md */
export function configurationPage(): string {
  const groups = [...new Set(settings().map(groupOf))];
  return `# Configuration

${written}

Spadework runs with no settings at all. Where you want others, it takes them from these places; a later one wins:

1. the defaults below;
2. a preset, \`--preset NAME\`;
3. \`${configFileName}\` in the working directory, or the file that \`${configFileVariable}\` names;
4. environment variables (a list is written with commas between its entries), and those of a file \`.env\` in the working directory (a variable that is really set wins over \`.env\`);
5. options of the command line.

A setting that does not exist, or a value that it does not take, is an error that names the setting, the value, what it takes and where it came from.

In \`${configFileName}\` the part before the dot is a group:

\`\`\`yaml
dataDir: /srv/spadework
model: openai:gpt-5
round:
  envs: 8
  plays: 16
sandbox:
  stepTimeoutMs: 2000
\`\`\`

The variable of a setting is its path in upper snake case after \`SPADEWORK_\`: \`round.envs\` is \`SPADEWORK_ROUND_ENVS\`, \`sandbox.stepTimeoutMs\` is \`SPADEWORK_SANDBOX_STEP_TIMEOUT_MS\`. Keys of model providers have the provider's own names, for example \`OPENAI_API_KEY\` and \`OPENAI_BASE_URL\`; they belong into the environment or \`.env\`, never into \`${configFileName}\`.

${groups.map((group) => `## ${groupTitles[group] ?? group}\n\n${settingsTable(group)}`).join("\n\n")}

## Presets

${table(["Preset", "What it is", "Settings"], presetRows())}

The \`paper-\` presets hold the figures of the SPADE paper (arXiv 2608.19197) and its reference launcher.
`;
}

const exits = { 1: "our fault", 2: "usage", 3: "rejected or failed job", 130: "interrupted" } as const;

/** docs/errors.md */
export function errorsPage(): string {
  const boundaries = [...new Set(Object.keys(catalogue).map((code) => code.split(".")[0] ?? ""))];
  const section = (boundary: string): string => {
    const rows = Object.entries(catalogue)
      .filter(([code]) => code.startsWith(`${boundary}.`))
      .map(([code, entry]) => [`\`${code}\``, entry.when, entry.fix, `${entry.exit}`]);
    return `## ${boundary}\n\n${table(["Code", "When", "What to do", "Exit code"], rows)}`;
  };
  return `# Errors

${written}

An error is one sentence that says what happened and one that says what to do. With \`--json\` it is the document \`{"error": {"code", "message", "fix"}}\`. The stack trace and the cause are in \`spadework.log\` in the data directory, with secrets taken out.

Exit codes: 0 done; ${Object.entries(exits)
    .map(([code, meaning]) => `${code} ${meaning}`)
    .join("; ")}.

${boundaries.map(section).join("\n\n")}
`;
}
