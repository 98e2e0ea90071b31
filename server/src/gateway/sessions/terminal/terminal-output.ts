import { type FlowActions, OutputFlow } from '../output-flow.ts';
import type { Watcher } from '../session-client.ts';
import type { Recorder } from './recorder/recorder.ts';
import { ScreenTail } from './screen-tail.ts';
import type { Resumption } from './terminal-client.ts';

export interface TerminalOutputParts extends FlowActions {
  readonly recorder: Recorder;
  readonly watchers: ReadonlySet<Watcher>;
}

/** Output of a terminal on its way to the recording, the user and all watchers. */
export class TerminalOutput {
  readonly flow: OutputFlow;
  private readonly tail = new ScreenTail();
  private readonly parts: TerminalOutputParts;

  constructor(parts: TerminalOutputParts) {
    this.parts = parts;
    this.flow = new OutputFlow(parts);
  }

  /** Bytes that draw the current screen in an empty terminal. */
  snapshot(): Buffer {
    return this.tail.snapshot();
  }

  draw(chunk: Buffer): void {
    const { recorder, watchers } = this.parts;
    if (!recorder.output(chunk)) this.flow.hold('recorder', true);
    this.tail.push(chunk, this.tail.position - this.flow.waiting);
    this.flow.push(chunk);
    for (const watcher of watchers) watcher.output(chunk);
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
}
