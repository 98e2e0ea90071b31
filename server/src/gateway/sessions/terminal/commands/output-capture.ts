import type { CommandRecord } from '../../../../platform/command-record.ts';
import { cut, plainText } from './plain-text.ts';

const MAX_OUTPUT = 1024;
/** Maximum raw bytes, including escape sequences. */
const MAX_RAW = 8 * 1024;
/** Log a running command after this time, with its output so far. */
const LOG_AFTER_MS = 1500;

/** Collects the first output of a command, then reports the complete record. */
export class OutputCapture {
  private command: Omit<CommandRecord, 'output'> | undefined;
  private parts: Buffer[] = [];
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly onCommand: (command: CommandRecord) => void;

  constructor(onCommand: (command: CommandRecord) => void) {
    this.onCommand = onCommand;
  }

  /** Starts collecting the output of a command. */
  begin(command: Omit<CommandRecord, 'output'>): void {
    this.finish();
    this.command = command;
    this.timer = setTimeout(() => this.finish(), LOG_AFTER_MS);
  }

  /** Adds output of the current command. */
  add(part: Buffer): void {
    if (!this.command) return;
    this.parts.push(part);
    this.bytes += part.length;
    if (this.bytes >= MAX_RAW) this.finish();
  }

  /**
   * Reports the command. Drops an unfinished last line, which is usually the next prompt, unless
   * the end is exact.
   */
  finish(end?: 'prompt follows'): void {
    if (!this.command) return;
    clearTimeout(this.timer);
    const raw = Buffer.concat(this.parts, this.bytes).toString('utf8');
    const text = plainText(
      end || this.bytes >= MAX_RAW ? raw : raw.slice(0, raw.lastIndexOf('\n') + 1),
    );
    const command = this.command;
    this.command = undefined;
    this.parts = [];
    this.bytes = 0;
    this.onCommand({ ...command, output: cut(text.replace(/^\n+/, '').trimEnd(), MAX_OUTPUT) });
  }
}
