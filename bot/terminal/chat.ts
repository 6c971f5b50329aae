/**
 * The terminal chat: the commands of the team's chat, typed with a slash. Cards are drawn as text, what they offer next
 * is numbered, and a number does it. From a pipe it takes one command a line, and ends with the last.
 */
import { asSpadeworkError, ChatError, type SpadeworkError } from "../../config/errors.ts";
import type { Config } from "../../config/schema.ts";
import type { Listener } from "../../graph/events.ts";
import type { Services } from "../../graph/services.ts";
import type { Caller } from "../caller.ts";
import type { Button, Card } from "../cards/card.ts";
import { harmless } from "../cards/harmless.ts";
import { wrap } from "../cards/wrap.ts";
import { createDisplay, type Display } from "../cli/display.ts";
import { createOutput, hasColor, type Output, widthOf } from "../cli/output.ts";
import { renderCard } from "../cli/render.ts";
import type { InputStream, OutputStream } from "../cli/streams.ts";
import {
  type Answer,
  type Command,
  type CommandContext,
  type Dialog,
  isOffered,
} from "../commands/command.ts";
import { keysToAsk, optionName, type RawOptions } from "../commands/option.ts";
import { type ChatSettings, openChatSettings } from "../settings.ts";
import { completeLine } from "./complete-line.ts";
import { openHistory } from "./history.ts";
import { createLines, type Lines } from "./lines.ts";
import { lineOf, requestOf, type TerminalRequest } from "./request.ts";
import { typed } from "./words.ts";

export interface TerminalChatOptions {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly commands: readonly Command[];
  readonly caller: Caller;
  readonly context: CommandContext;
  /** Services whose events go to the listener; the chat closes them. */
  readonly open: (listener: Listener) => Promise<Services>;
  readonly redact: (text: string) => string;
  /** Ends the process at once. */
  readonly stopNow: () => never;
}

export interface ChatEnd {
  /** The documents of the commands that were carried out, in order. */
  readonly answers: readonly unknown[];
  /** The first exit code that was not 0. */
  readonly exit: 0 | 1 | 2 | 3 | 130;
}

const leave = /^\/?(quit|exit)$/i;
const prompt = "spadework> ";
const welcome =
  "Spadework, in the terminal. /round starts a round, /help says what there is.\nTab completes, the arrow keys bring back what was typed, Ctrl-D ends.\n";

class TerminalChat {
  readonly #options: TerminalChatOptions;
  readonly #commands: readonly Command[];
  readonly #lines: Lines;
  readonly #output: Output;
  readonly #answers: unknown[] = [];
  #display: Display | null = null;
  #settings: Promise<ChatSettings> | null = null;
  #drain: AbortController | null = null;
  #offered: readonly Button[] = [];
  #exit: ChatEnd["exit"] = 0;
  readonly #history;

  constructor(options: TerminalChatOptions, config: Config) {
    this.#options = options;
    this.#commands = options.commands.filter((command) => isOffered(command, "terminal"));
    this.#history = openHistory(config.dataDir);
    const { stdin, stdout, stderr, environment, redact } = options;
    this.#output = createOutput({
      stdout,
      stderr,
      environment,
      json: false,
      redact,
      commands: options.commands,
      resumeLine: (command, id) => `/${command} id:${id}`,
    });
    this.#lines = createLines({
      input: stdin,
      output: stdout,
      history: this.#history.lines,
      complete: (line) => completeLine(line, this.#commands, async () => (await this.#open()).services),
      onInterrupt: (line) => this.#interrupted(line),
    });
    // SIGTERM, and Ctrl-C where the terminal is not in raw mode: finish what is in flight, then end.
    options.context.drainable().addEventListener("abort", () => {
      this.#drain?.abort();
      this.#lines.close();
    });
  }

  async run(): Promise<ChatEnd> {
    const { terminal } = this.#lines;
    if (terminal) this.#options.stdout.write(welcome);
    let said = 0;
    for (;;) {
      const line = await this.#lines.next(prompt);
      if (line === null || leave.test(line.trim())) break;
      if (line.trim() === "") continue;
      said += 1;
      if (terminal) this.#history.add(line);
      await this.#take(line.trim());
    }
    this.#lines.close();
    if (terminal) this.#options.stdout.write("\n");
    await (await this.#settings?.catch(() => null))?.services.close();
    if (said === 0 && !terminal) {
      throw new ChatError(
        "chat.nothing-to-do",
        "There is no DISCORD_TOKEN, and nothing came on standard input.",
      );
    }
    return { answers: this.#answers, exit: this.#exit };
  }

  async #take(line: string): Promise<void> {
    try {
      const button = /^\d+$/.test(line) ? this.#offered[Number(line) - 1] : undefined;
      const request = button === undefined ? requestOf(line, this.#commands) : this.#pressed(button);
      const answer = await this.#carryOut(request, button?.ask ?? []);
      if (answer === null) return;
      this.#answers.push(answer.json);
      this.#note(answer.exit ?? 0);
      await this.#show(answer);
    } catch (thrown) {
      this.#failed(asSpadeworkError(thrown));
    } finally {
      this.#display?.stop();
      this.#display = null;
      this.#drain = null;
    }
  }

  #pressed({ command: name, options }: Button): TerminalRequest {
    const command = this.#commands.find((one) => one.name === name);
    if (command === undefined) return requestOf(`/${name}`, this.#commands);
    return { command, options };
  }

  /** Null if whoever was asked for more left it at that. */
  async #carryOut({ command, options }: TerminalRequest, ask: readonly string[]): Promise<Answer | null> {
    const { context, caller, stderr, environment } = this.#options;
    const dialog = this.#dialog();
    const asked = await this.#askFor(command, options, ask, dialog);
    if (asked === null) return null;
    const display = createDisplay(stderr, environment);
    const drain = new AbortController();
    this.#display = display;
    return command.run(asked, caller, {
      ...context,
      dialog,
      config: async (preset) => (await this.#open()).config(preset),
      services: async () => {
        const services = await (await this.#open()).refresh();
        await display.open();
        return services;
      },
      drainable: () => {
        this.#drain = drain;
        return drain.signal;
      },
    });
  }

  async #askFor(
    command: Command,
    options: RawOptions,
    ask: readonly string[],
    dialog: Dialog,
  ): Promise<RawOptions | null> {
    const wanted = [...ask, ...keysToAsk(command.options, options)];
    const given: Record<string, unknown> = { ...options };
    for (const key of new Set(wanted)) {
      const option = command.options[key];
      if (option === undefined || option.surfaces?.includes("terminal") === false) continue;
      const answer = await dialog.ask(`${optionName(key)} (${option.summary})> `);
      if (answer === null) return null;
      if (answer.trim() !== "") given[key] = answer;
    }
    return given;
  }

  #open(): Promise<ChatSettings> {
    const { open, context } = this.#options;
    this.#settings ??= open((event) => this.#display?.listen(event))
      .then((services) => openChatSettings(services, (preset) => context.config(preset)))
      .catch((error: unknown) => {
        // What failed to open may open the next time.
        this.#settings = null;
        throw error;
      });
    return this.#settings;
  }

  #dialog(): Dialog {
    const { stdout, environment } = this.#options;
    const width = widthOf(stdout, environment);
    return {
      canAnswer: this.#lines.terminal,
      say: (text) => void stdout.write(`${wrap(harmless(text), width)}\n`),
      ask: (question) => this.#lines.next(question),
    };
  }

  async #show(answer: Answer): Promise<void> {
    this.#display?.stop();
    const { stdout, environment } = this.#options;
    if (answer.raw !== undefined) return this.#output.answer(answer);
    this.#offered = this.#buttonsOf(answer.card);
    const text = renderCard(answer.card, {
      width: widthOf(stdout, environment),
      color: hasColor(stdout, environment),
      commands: this.#commands,
      offer: (button) => this.#offerOf(button),
    });
    stdout.write(`${text}\n`);
  }

  #buttonsOf({ buttons }: Card): readonly Button[] {
    return buttons.filter(
      ({ chatOnly, command }) => chatOnly !== true && this.#commands.some(({ name }) => name === command),
    );
  }

  /** The line that stands for a button, with its number before it where somebody can type it. */
  #offerOf(button: Button): string | null {
    const at = this.#offered.indexOf(button);
    if (at < 0) return null;
    const line = lineOf(button, typed);
    return this.#lines.terminal ? `${at + 1}  ${line}` : line;
  }

  #failed(error: SpadeworkError): void {
    this.#display?.stop();
    const { log } = this.#options.context;
    log[error.exit === 1 ? "error" : "info"]({ err: error }, error.message);
    this.#note(error.exit);
    this.#answers.push({ error: { code: error.code, message: this.#options.redact(error.message) } });
    this.#output.error(error, null);
  }

  #note(exit: ChatEnd["exit"]): void {
    if (this.#exit === 0) this.#exit = exit;
  }

  /** Ctrl-C: the first lets a command finish what is in flight, the second ends the process; at the prompt it clears the line. */
  #interrupted(line: string): void {
    if (this.#display === null) {
      if (line === "") this.#options.stdout.write("\n(Ctrl-D or /quit ends.)");
      this.#lines.again();
      return;
    }
    if (this.#drain === null || this.#drain.signal.aborted) this.#options.stopNow();
    this.#drain.abort();
    this.#display.say("Finishing the episodes in flight. Press Ctrl-C once more to stop at once.\n");
  }
}

/**
 * Runs the chat until its input ends. Throws `chat.nothing-to-do` if nothing was typed and nobody is there to type,
 * `input.bad-config`.
 */
export async function runTerminalChat(options: TerminalChatOptions): Promise<ChatEnd> {
  return new TerminalChat(options, await options.context.config()).run();
}
