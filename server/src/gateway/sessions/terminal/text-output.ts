import { createTranscoder, type Transcoder } from './charset.ts';
import type { CommandTracker } from './commands/tracker.ts';
import type { TerminalOutput } from './terminal-output.ts';

/** Text on the screen of a terminal, between two charsets: the command tracker follows it. */
export class TextOutput {
  private readonly charset: Transcoder;
  private readonly tracker: CommandTracker;
  private readonly shown: TerminalOutput;

  constructor(charset: 'utf8' | 'gbk', tracker: CommandTracker, shown: TerminalOutput) {
    this.charset = createTranscoder(charset);
    this.tracker = tracker;
    this.shown = shown;
  }

  /** Shows text in UTF-8. */
  draw(text: Buffer): void {
    this.shown.draw(text);
    this.track(text);
  }

  /** Shows output in the charset of the target. */
  readonly fromTarget = (raw: Buffer): void => {
    const chunk = this.charset.fromTarget(raw);
    if (chunk.length > 0) this.draw(chunk);
  };

  /** Records output that the client has already got. */
  readonly seen = (raw: Buffer): void => {
    const chunk = this.charset.fromTarget(raw);
    this.track(chunk);
    this.shown.capture(chunk);
  };

  /** Converts typed text to the charset of the target. */
  toTarget(keys: Buffer): Buffer {
    return this.charset.toTarget(keys);
  }

  private track(text: Buffer): void {
    if (!this.tracker.output(text)) this.shown.flow.hold('tracker', true);
  }
}
