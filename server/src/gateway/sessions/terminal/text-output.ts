import type { Charset } from '@sallyport/contract';
import { textDecoder, withoutLacking } from '../../charsets.ts';
import { createTranscoder, type Transcoder } from './charset.ts';
import type { CommandTracker } from './commands/tracker.ts';
import type { TerminalOutput } from './terminal-output.ts';

/** Text on the screen of a terminal, between two charsets: the command tracker follows it. */
export class TextOutput {
  private readonly charset: Transcoder;
  private readonly lacks: boolean;
  private readonly name: Charset;
  private readonly typed = textDecoder('utf8');
  private readonly tracker: CommandTracker;
  private readonly shown: TerminalOutput;

  constructor(charset: Charset, tracker: CommandTracker, shown: TerminalOutput) {
    this.charset = createTranscoder(charset);
    this.name = charset;
    this.lacks = charset !== 'utf8' && charset !== 'gbk';
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

  /** Returns typed text without the characters that the charset lacks. */
  known(keys: Buffer, onLacking: () => void): Buffer {
    if (!this.lacks) return keys;
    const text = this.typed(keys);
    const kept = withoutLacking(text, this.name);
    // A question mark in place of a lacking character could match names in a shell.
    if (kept !== text) onLacking();
    return Buffer.from(kept);
  }

  /** Converts typed text to the charset of the target. */
  toTarget(keys: Buffer): Buffer {
    return this.charset.toTarget(keys);
  }

  private track(text: Buffer): void {
    if (!this.tracker.output(text)) this.shown.flow.hold('tracker', true);
  }
}
