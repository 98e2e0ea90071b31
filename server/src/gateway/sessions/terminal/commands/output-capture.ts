import type { CommandRecord } from '../../../../platform/command-record.ts';

const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches escape sequences
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[P\]X^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]|\x1b$/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Returns raw output as a reader sees it: without escape sequences and overwritten text. */
export function plainText(raw: string): string {
  return raw
    .replace(SEQUENCES, '')
    .split('\n')
    .map((line) => overwrite(line.replace(/\r+$/, '')).replace(CONTROLS, ''))
    .join('\n');
}

/** A carriage return restarts the line, as in progress bars; a backspace removes a character. */
function overwrite(line: string): string {
  const text = line.slice(line.lastIndexOf('\r') + 1);
  if (!text.includes('\b')) return text;
  const kept: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charAt(at);
    if (unit === '\b') kept.pop();
    else kept.push(unit);
  }
  return kept.join('');
}

/** Truncates to `max` UTF-16 units without splitting a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}

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
  private readonly captured: (text: string, isCut: boolean) => string;

  /** `captured` removes what the log must not have, before the output is cut. */
  constructor(
    onCommand: (command: CommandRecord) => void,
    captured: (text: string, isCut: boolean) => string = (text) => text,
  ) {
    this.onCommand = onCommand;
    this.captured = captured;
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
    const text = this.captured(
      plainText(end || this.bytes >= MAX_RAW ? raw : raw.slice(0, raw.lastIndexOf('\n') + 1)),
      this.bytes >= MAX_RAW,
    );
    const command = this.command;
    this.command = undefined;
    this.parts = [];
    this.bytes = 0;
    this.onCommand({ ...command, output: cut(text.replace(/^\n+/, '').trimEnd(), MAX_OUTPUT) });
  }
}
