import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { barLine, createProgress, lineProgress } from "../../bot/cli/progress.ts";
import { StageClock } from "../../bot/stage-clock.ts";
import type { RoundEvent, Stage } from "../../graph/events.ts";

const stage = (name: Stage, done: number, total: number): RoundEvent => ({
  type: "stage",
  roundId: "r1",
  stage: name,
  done,
  total,
});

const started: RoundEvent = {
  type: "round-started",
  roundId: "r1",
  resumed: false,
  seed: 7,
  model: "embedded",
};

/** A clock that a test moves. */
function fakeClock() {
  let at = 0;
  return {
    now: () => at,
    pass: (ms: number) => {
      at += ms;
    },
  };
}

describe("the time of a stage", () => {
  it("runs until the stage is done, and is guessed from what is done so far", () => {
    const { now, pass } = fakeClock();
    const clock = new StageClock(now);
    expect(clock.update("play", 0, 8)).toMatchObject({ elapsedMs: 0, remainingMs: null });
    pass(2_000);
    expect(clock.update("play", 2, 8)).toMatchObject({ elapsedMs: 2_000, remainingMs: 6_000 });
    pass(1_000);
    expect(clock.update("play", 8, 8)).toMatchObject({ elapsedMs: 3_000, remainingMs: null });
    pass(5_000);
    expect(clock.all()).toEqual([{ stage: "play", done: 8, total: 8, elapsedMs: 3_000, remainingMs: null }]);
  });

  it("leaves out of the guess what was done before a resume", () => {
    const { now, pass } = fakeClock();
    const clock = new StageClock(now);
    clock.update("play", 90, 100);
    pass(1_000);
    expect(clock.update("play", 95, 100).remainingMs).toBe(1_000);
  });

  it("goes on when a stage comes back, as designs do for repairs", () => {
    const { now, pass } = fakeClock();
    const clock = new StageClock(now);
    clock.update("design", 4, 4);
    pass(500);
    clock.update("design", 3, 4);
    pass(500);
    expect(clock.update("design", 4, 4)).toMatchObject({ elapsedMs: 1_000 });
  });
});

describe("plain lines", () => {
  function display() {
    const clock = fakeClock();
    const lines: string[] = [];
    return { ...clock, lines, progress: lineProgress((text) => void lines.push(text), clock.now) };
  }

  it("come at most once a second for a stage, its first and last always", () => {
    const { progress, pass, lines } = display();
    progress.listen(started);
    for (let done = 0; done <= 40; done += 1) {
      progress.listen(stage("play", done, 40));
      pass(100);
    }
    expect(lines).toEqual([
      "Round r1 starts: model embedded, seed 7.\n",
      "play 0/40, 0.0 s\n",
      "play 10/40, 1.0 s, about 3.0 s left\n",
      "play 20/40, 2.0 s, about 2.0 s left\n",
      "play 30/40, 3.0 s, about 1.0 s left\n",
      "play 40/40, 4.0 s\n",
    ]);
  });

  it("are one for a stage that only keeps books, and none for one with nothing to do", () => {
    const { progress, lines } = display();
    for (const event of [stage("score", 0, 2), stage("score", 2, 2), stage("hint", 0, 0)])
      progress.listen(event);
    expect(lines).toEqual(["score 2/2, 0.0 s\n"]);
  });

  it("pass warnings on, on one line and harmless", () => {
    const { progress, lines } = display();
    progress.listen({ type: "warning", roundId: "r1", message: "half the\nbudget \u001b[2Jis used" });
    expect(lines).toEqual(["Warning: half the budget ␛[2Jis used\n"]);
  });
});

describe("bars", () => {
  it.each([60, 80, 120])("fit a line of %i characters", (width) => {
    const progress = {
      stage: "remember",
      done: 1_234,
      total: 9_999,
      elapsedMs: 7_500_000,
      remainingMs: 9e7,
    } as const;
    expect(stringWidth(barLine(progress, width))).toBeLessThanOrEqual(width);
  });

  it("are full when the stage is done, and empty when it begins", () => {
    const at = (done: number) =>
      barLine({ stage: "play", done, total: 4, elapsedMs: 900, remainingMs: null }, 80);
    expect(at(0)).toBe(`play     ${"░".repeat(31)}        0/4  0.9 s`);
    expect(at(4)).toBe(`play     ${"█".repeat(31)}        4/4  0.9 s`);
  });

  it("stand on the terminal, one a stage, with lines for people above them", async () => {
    const screen = new PassThrough();
    let written = "";
    screen.setEncoding("utf8").on("data", (text: string) => {
      written += text;
    });
    const stream = Object.assign(screen, { isTTY: true, columns: 80 });
    const write = (text: string) => void screen.write(text);
    const progress = await createProgress({ isTerminal: true, width: 80, write, stream }, () => 0);
    progress.listen(started);
    progress.listen(stage("design", 4, 4));
    progress.listen(stage("play", 1, 64));
    const long = `half the budget is used ${"and more of it ".repeat(8)}to the last word`;
    progress.listen({ type: "warning", roundId: "r1", message: long });
    progress.stop();
    // The terminal would cut a longer line while bars are shown.
    const said = written.split("\n").filter((line) => /half the|more of it|last word/.test(line));
    expect(said.length).toBeGreaterThan(1);
    for (const line of said) expect(stripVTControlCharacters(line).trimEnd().length).toBeLessThan(80);
    expect(said.at(-1)).toContain("last word");
    const order = ["Round r1 starts", "half the budget is used", "design ", "play "].map((text) =>
      written.indexOf(text),
    );
    expect(order.every((at) => at >= 0)).toBe(true);
    expect(written.lastIndexOf("play ")).toBeGreaterThan(written.lastIndexOf("design "));
    expect(written).toContain("1/64");
    // The cursor was hidden for the bars and is shown again.
    expect(written.lastIndexOf("\u001b[?25h")).toBeGreaterThan(written.lastIndexOf("\u001b[?25l"));
  });
});
