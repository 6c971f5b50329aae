/**
 * The catalogue of errors: every way in which Spadework tells a person that something did not work, with when it
 * happens and what to do. docs/errors.md is held equal to it by a test.
 */
import { chatErrors } from "./error-catalogue-chat.ts";

/** Where an error belongs; each boundary has a class of its own in config/errors.ts. */
export type Boundary =
  | "input"
  | "provider"
  | "sandbox"
  | "environment"
  | "store"
  | "chat"
  | "trainer"
  | "round";

/** The exit code of a command that ends with an error: 1 our fault, 2 usage, 3 a rejected or failed job, 130 interrupted. */
export type ExitCode = 1 | 2 | 3 | 130;

export interface CatalogueEntry {
  /** When it is thrown. */
  readonly when: string;
  /** What a person does about it. */
  readonly fix: string;
  readonly exit: ExitCode;
}

export const catalogue = {
  "input.bad-option": {
    when: "An option of a command is unknown or its value is not one that it takes.",
    fix: "Use a value that the message names; the help of a command says what it takes.",
    exit: 2,
  },
  "input.bad-config": {
    when: "A key of spadework.yaml or a SPADEWORK_ variable is unknown or its value is not one that it takes.",
    fix: "Correct the key that the message names; docs/configuration.md lists all of them.",
    exit: 2,
  },
  "input.no-such-file": {
    when: "A file that a command was given does not exist or can't be read.",
    fix: "Check the path.",
    exit: 2,
  },
  "input.too-large": {
    when: "A file that a command was given is larger than it takes.",
    fix: "Give a smaller file.",
    exit: 2,
  },
  "input.bad-document": {
    when: "A document can't be read: an unknown type, no text in it, too large, or a link that does not answer.",
    fix: "Give a text, Markdown, JSONL or PDF file with text in it, or a link to one.",
    exit: 2,
  },
  "input.not-found": {
    when: "There is no round, campaign, environment, episode, document, hint or version with the given id.",
    fix: "List what there is: `rounds`, `campaign list`, `env list`, `episodes ROUND`, `doc list`, `hint list ENV`, `policy list`.",
    exit: 2,
  },
  "input.conflict": {
    when: "What was asked for does not fit the present state, e.g. approving an environment that was decided already.",
    fix: "Look at the present state with `status` or `env show ID`.",
    exit: 3,
  },
  "input.not-allowed": {
    when: "The caller's role does not allow the command.",
    fix: "Ask an admin of the lab.",
    exit: 3,
  },
  "input.occupied": {
    when: "The directory of an export holds something else: other files, an export with other options, or one of other data.",
    fix: "Name another directory or another name, or take away what is in this one.",
    exit: 2,
  },
  "input.unwritable": {
    when: "The directory that a command is to write into can't be made or written.",
    fix: "Check its path and permissions, or name another one.",
    exit: 2,
  },
  "input.interrupted": {
    when: "A person or the system stopped a command before it was done.",
    fix: "Run it again.",
    exit: 130,
  },
  "provider.no-key": {
    when: "The model needs a key that is not set.",
    fix: "Set the variable that the message names, or use `--model embedded`.",
    exit: 2,
  },
  "provider.unknown": {
    when: "The model's name has no provider that Spadework knows.",
    fix: "Use `embedded`, `tinker:NAME` or `openai:NAME`.",
    exit: 2,
  },
  "provider.refused": {
    when: "The provider refused a request for good: a bad key, no such model, a request it can't take.",
    fix: "Check the key, the model's name and the base URL.",
    exit: 1,
  },
  "provider.unreachable": {
    when: "The provider did not answer, or answered with 429 or 5xx, through every retry.",
    fix: "Wait and resume the round; finished episodes are kept.",
    exit: 1,
  },
  "provider.timed-out": {
    when: "A model call took longer than `models.timeoutMs` in every try.",
    fix: "Raise `models.timeoutMs` or lower `models.concurrency`, then resume.",
    exit: 1,
  },
  "provider.bad-answer": {
    when: "The provider's answer is not one that its protocol allows.",
    fix: "Check that the base URL is that of an OpenAI-compatible server.",
    exit: 1,
  },
  "provider.budget": {
    when: "The token or cost budget is used up.",
    fix: "Raise `models.tokenBudget` or `models.costBudgetUsd`, then resume the round.",
    exit: 3,
  },
  "provider.no-server": {
    when: "The model lives on a training server, and no usable address of one is given.",
    fix: "Set TINKER_BASE_URL, or `tinker.baseUrl` in spadework.yaml, to the server's address without `/api/v1`.",
    exit: 2,
  },
  "provider.no-tokenizer": {
    when: "The folder with a model's tokenizer is not given, or what is in it can't be used.",
    fix: "Name in `tinker.tokenizer` a folder with the model's tokenizer.json and tokenizer_config.json, as they come with its weights.",
    exit: 2,
  },
  "sandbox.unavailable": {
    when: "A sandbox host can't be started or keeps dying with no environment to blame.",
    fix: "Run `npm ci`; the log names the reason.",
    exit: 1,
  },
  "sandbox.no-language": {
    when: "No sandbox backend for that language is available.",
    fix: "Use `--language javascript`.",
    exit: 2,
  },
  "environment.rejected": {
    when: "An environment did not pass admission.",
    fix: "Read the gates' sentences, correct the source, and admit it again.",
    exit: 3,
  },
  "environment.failed": {
    when: "An environment threw, hung or broke its contract while it was played.",
    fix: "Look at `env show ID`; retire it with `env retire ID` if it does so again.",
    exit: 3,
  },
  "store.not-found": {
    when: "Something the lab needs is not in the store.",
    fix: "Check that --data names the directory that the round was started with.",
    exit: 1,
  },
  "store.read-only": {
    when: "The data directory or its database can't be written.",
    fix: "Check the directory's permissions, or give another with --data.",
    exit: 1,
  },
  "store.full": {
    when: "The disk that holds the data directory is full.",
    fix: "Free some space, then resume the round; nothing that was stored is lost.",
    exit: 1,
  },
  "store.locked": {
    when: "Another process holds the database's lock for longer than the busy timeout.",
    fix: "Wait for the other process, or end it.",
    exit: 1,
  },
  "store.corrupt": {
    when: "The database is damaged, or a record in it does not fit its schema.",
    fix: "Restore a backup, or move the data directory away to start afresh; Spadework did not change the file.",
    exit: 1,
  },
  "store.disk": {
    when: "The operating system reported a failure while it read or wrote the database.",
    fix: "Check the disk and the limits on it (free space, quota, `ulimit -f`), then resume the round.",
    exit: 1,
  },
  "store.newer": {
    when: "The database was written by a newer version of Spadework.",
    fix: "Update Spadework, or give another directory with --data.",
    exit: 1,
  },
  "round.busy": {
    when: "Another process works on the round at the moment.",
    fix: "Follow it with `status`, or stop the other process first.",
    exit: 3,
  },
  "round.failed": {
    when: "A round ended before its work was done.",
    fix: "Read the reason, mend it, and `resume` the round.",
    exit: 3,
  },
  "round.cancelled": {
    when: "A round was cancelled by a person.",
    fix: "Start another.",
    exit: 3,
  },
  "round.interrupted": {
    when: "A person or the system asked the process to stop while it worked on a round.",
    fix: "Take the round up again with `resume ROUND`; finished episodes are kept.",
    exit: 130,
  },
  "round.no-environment": {
    when: "A pool names no environment that can be played.",
    fix: "List them with `env list`.",
    exit: 3,
  },
  ...chatErrors,
  "trainer.stale": {
    when: "A batch was made by another version of the policy than the newest one.",
    fix: "Gather a batch from rounds that the newest version played.",
    exit: 3,
  },
  "trainer.duplicate": {
    when: "A batch was trained on before.",
    fix: "Nothing is left to do: the message names the version that came of it.",
    exit: 3,
  },
  "trainer.bad-batch": {
    when: "A batch does not fit the policy that it is to train, e.g. because another model played it.",
    fix: "Train with rounds that this trainer's own model played.",
    exit: 3,
  },
  "trainer.comparison-failed": {
    when: "A run of a comparison failed, or its process died again and again.",
    fix: "Read the log in the folder of its lab (below `comparisons` in the data directory), then give the command again: what is finished is kept.",
    exit: 1,
  },
  "trainer.comparison-interrupted": {
    when: "A person or the system asked the process to stop while it compared.",
    fix: "Give the same command again: it goes on where it was.",
    exit: 130,
  },
  "trainer.unreachable": {
    when: "The training server did not answer, or answered with 429 or 5xx, or was not done, through every retry.",
    fix: "Check that the server of TINKER_BASE_URL or `tinker.baseUrl` runs, then resume; an update that was not written down is done anew from the version before it, and none counts twice.",
    exit: 1,
  },
  "trainer.refused": {
    when: "The training server refused a request for good, or a request failed there.",
    fix: "Read what the server says; check TINKER_API_KEY, the model's name and the settings of `tinker`, then resume.",
    exit: 1,
  },
  "trainer.lost": {
    when: "The training server does not know a checkpoint or a model that an update needs.",
    fix: "Start the server with the checkpoints that it had, or go back to a version whose checkpoint it still has.",
    exit: 1,
  },
  "trainer.bad-answer": {
    when: "The training server's answer is not one that the protocol allows.",
    fix: "Check that TINKER_BASE_URL or `tinker.baseUrl` is the address of a server that speaks the Tinker protocol.",
    exit: 1,
  },
  "internal.output": {
    when: "What a command prints could not be written, e.g. into a file on a full disk.",
    fix: "Check where the output goes, and run the command again.",
    exit: 1,
  },
  "internal.bug": {
    when: "Something happened that should be impossible.",
    fix: "Report it with the log's last lines.",
    exit: 1,
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;
