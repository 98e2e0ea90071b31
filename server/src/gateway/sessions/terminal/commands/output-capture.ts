import type { CommandRecord } from '../../../../platform/command-record.ts';
import { cut, plainText } from './plain-text.ts';

const MAX_OUTPUT = 1024;
/** Raw bytes that are looked at; escape sequences take their share of them. */
const ENOUGH = 8 * 1024;
/** A command that runs on is logged with what it printed until then, so that the log is not behind. */
const AT_LATEST_MS = 1500;

/** Collects the beginning of what a command prints, then hands the whole record on. */
export class OutputCapture {
  private command: Omit<CommandRecord, 'output'> | undefined;
  private parts: Buffer[] = [];
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly onCommand: (command: CommandRecord) => void;

  constructor(onCommand: (command: CommandRecord) => void) {
    this.onCommand = onCommand;
  }

  /** A command was sent off; what comes now is its output. */
  begin(command: Omit<CommandRecord, 'output'>): void {
    this.finish();
    this.command = command;
    this.timer = setTimeout(() => this.finish(), AT_LATEST_MS);
  }

  /** Takes output, while a command waits for it. */
  add(part: Buffer): void {
    if (!this.command) return;
    this.parts.push(part);
    this.bytes += part.length;
    if (this.bytes >= ENOUGH) this.finish();
  }

  /** The output is complete. Unless the end is known to be exact, an unfinished last line is taken for the next prompt. */
  finish(end?: 'prompt follows'): void {
    if (!this.command) return;
    clearTimeout(this.timer);
    const raw = Buffer.concat(this.parts, this.bytes).toString('utf8');
    const text = plainText(
      end || this.bytes >= ENOUGH ? raw : raw.slice(0, raw.lastIndexOf('\n') + 1),
    );
    const command = this.command;
    this.command = undefined;
    this.parts = [];
    this.bytes = 0;
    this.onCommand({ ...command, output: cut(text.replace(/^\n+/, '').trimEnd(), MAX_OUTPUT) });
  }
}
