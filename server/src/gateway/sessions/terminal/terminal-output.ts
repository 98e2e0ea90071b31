import type { TargetShell, TerminalSize } from '../../protocols/connector.ts';
import { terminalBudget } from '../../shared-budget.ts';
import type { Capture, CapturedOutput } from '../capture.ts';
import { OutputFlow } from '../output-flow.ts';
import type { Watcher } from '../session-client.ts';
import type { Recorder } from './recorder/recorder.ts';
import { ScreenTail } from './screen-tail.ts';
import type { Resumption, TerminalSessionClient } from './terminal-client.ts';

export interface TerminalOutputParts {
  readonly client: TerminalSessionClient;
  readonly shell: () => TargetShell | undefined;
  readonly recorder: Recorder;
  readonly watchers: ReadonlySet<Watcher>;
  readonly capture: Capture;
  readonly size: TerminalSize;
}

/** Output of a terminal on its way to the user, and as captured to the recording and watchers. */
export class TerminalOutput {
  readonly flow: OutputFlow;
  private readonly tail = new ScreenTail();
  /** The tail as captured. */
  private readonly watched: ScreenTail;
  private readonly captured: CapturedOutput;
  private readonly parts: TerminalOutputParts;
  private readonly leaveBudget = terminalBudget.join();

  constructor(parts: TerminalOutputParts) {
    this.parts = parts;
    this.flow = new OutputFlow({
      window: () => terminalBudget.share,
      send: (chunk) => parts.client.output(chunk),
      pause: () => parts.shell()?.pause(),
      resume: () => parts.shell()?.resume(),
    });
    this.watched = parts.capture.isMasked ? new ScreenTail() : this.tail;
    this.captured = parts.capture.output({
      cols: parts.size.cols,
      now: () => parts.recorder.elapsed,
      onOutput: (output, at) => this.record(output, at),
    });
  }

  /** Bytes that draw the current screen of watchers in an empty terminal. */
  snapshot(): Buffer {
    return this.watched.snapshot();
  }

  /** Sends output, and records it in the same turn. */
  draw(chunk: Buffer): void {
    const confirmed = this.tail.position - this.flow.waiting;
    this.flow.push(chunk);
    this.tail.push(chunk, confirmed);
    this.captured.push(chunk);
  }

  /** Records output that the client has already got. */
  capture(chunk: Buffer): void {
    this.tail.push(chunk, this.tail.position - this.flow.waiting);
    this.captured.push(chunk);
  }

  /** Adds a marker to the recording, after the output so far. */
  mark(label: string): void {
    this.captured.after((at) => this.parts.recorder.mark(label, at));
  }

  resize(size: TerminalSize): void {
    const { recorder, watchers } = this.parts;
    this.captured.resize(size.cols);
    this.captured.after((at) => {
      recorder.resize(size, at);
      for (const watcher of watchers) watcher.resize(size.cols, size.rows);
    });
  }

  /** Passes on the captured output that waits for its rest, and leaves the budget. */
  end(): void {
    this.captured.flush();
    this.leaveBudget();
  }

  /**
   * Resumes at a client that has seen the output up to a position, or none (undefined). Afterwards
   * the client confirms only output after that position. `redraw` asks the target for its screen.
   */
  resume(seen: number | undefined, redraw: () => void): Resumption {
    const { position } = this.tail;
    const confirmed = position - this.flow.waiting;
    const missed = seen !== undefined && seen >= confirmed ? this.tail.since(seen) : undefined;
    this.flow.acknowledge(missed ? this.flow.waiting - missed.length : this.flow.waiting);
    if (missed) return { bytes: missed, isScreen: false, position };
    if (this.tail.isPartial) redraw();
    return { bytes: this.tail.snapshot(), isScreen: true, position };
  }

  private record(output: Buffer, at: number): void {
    const { recorder, watchers } = this.parts;
    if (!recorder.output(output, at)) this.flow.hold('recorder', true);
    if (this.watched !== this.tail) this.watched.push(output);
    for (const watcher of watchers) watcher.output(output);
  }
}
