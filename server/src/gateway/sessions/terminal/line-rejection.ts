import { setTimeout as sleep } from 'node:timers/promises';
import { PROMPT_MS, PROMPT_POLL_MS } from '../../limits.ts';
import type { Keyboard, PendingLine, Prompt, RefusedLine } from './gated-terminal.ts';

/** End of line, then delete to the beginning: empties the line without running it. */
const CLEAR_LINE = Buffer.from('\x05\x15');
/**
 * Ctrl-C makes a line editor discard any line and show its prompt again. It works in modes where
 * `CLEAR_LINE` has another meaning.
 */
const GIVE_UP_LINE = Buffer.from('\x03');
/** Empties the line and redraws it, for an editor that shows no prompt after Ctrl-C. */
const CLEAR_AND_SHOW = Buffer.from('\x05\x15\x0c');
/** Not a prompt: an empty row, or the echo of a control key. */
const ECHO_OR_NOTHING = /^(?:\^[A-Z])?\s*$/;

/** The reason of a rejection, for the user. */
export type Reason = Omit<RefusedLine, 'text'>;

/** Removes rejected lines from the target's line editor or terminal, and shows the reason. */
export class LineRejection {
  private readonly prompt: Prompt;
  private readonly keyboard: Keyboard;
  private over = false;
  /** A rejected line that the line editor may still hold. */
  private uncleared: { readonly prompts: number; readonly prompt: string } | undefined;

  constructor(prompt: Prompt, keyboard: Keyboard) {
    this.prompt = prompt;
    this.keyboard = keyboard;
  }

  stop(): void {
    this.over = true;
  }

  async reject(line: PendingLine, reason: Reason): Promise<void> {
    if (line.isEditor) await this.giveUp(line, reason);
    else await this.empty(line, reason);
  }

  /**
   * Makes the line editor discard the line. Sends no Enter until the editor shows a prompt again.
   */
  private async giveUp(line: PendingLine, reason: Reason): Promise<void> {
    const { message } = reason;
    this.uncleared = { prompts: this.prompt.prompts, prompt: line.prompt };
    this.record(line, reason);
    this.keyboard.show(`\r\n${message}\r\n`);
    this.keyboard.clear(GIVE_UP_LINE);
    if ((await this.showsPrompt()) || this.over) return;
    this.keyboard.clear(CLEAR_AND_SHOW);
    await this.showsPrompt();
    if (!this.over && !this.isUncleared())
      this.keyboard.show(`\r\x1b[K${message}\r\n${this.promptOf(line)}`);
  }

  /**
   * Waits for a prompt and returns true if one appeared. A slow target first echoes only the key.
   */
  private async showsPrompt(): Promise<boolean> {
    const latest = performance.now() + PROMPT_MS;
    const hasPrompt = () => !ECHO_OR_NOTHING.test(this.prompt.beforeCursor());
    for (
      await this.prompt.settled(hasPrompt);
      !this.over && !hasPrompt() && performance.now() < latest;
    )
      await sleep(PROMPT_POLL_MS);
    return hasPrompt();
  }

  /**
   * The prompt to show after clearing the line. A line typed ahead has none, so use the text before
   * the cursor.
   */
  private promptOf({ prompt }: PendingLine): string {
    return prompt === '' && this.prompt.takesMarkedPastes ? this.prompt.beforeCursor() : prompt;
  }

  /** Returns true while a line editor may still hold a rejected line: send it no Enter. */
  isUncleared(): boolean {
    const { uncleared, prompt } = this;
    if (uncleared && (prompt.prompts !== uncleared.prompts || prompt.isAtPrompt(uncleared.prompt)))
      this.uncleared = undefined;
    return this.uncleared !== undefined;
  }

  /**
   * Clears the line. Outside of a line editor Ctrl-C could end a program, so send it only if the
   * line is still present.
   */
  private async empty(line: PendingLine, reason: Reason): Promise<void> {
    const { message } = reason;
    this.keyboard.clear(CLEAR_LINE);
    await this.prompt.settled();
    if (this.over) return;
    const left = line.isHidden ? undefined : await this.prompt.pendingLine();
    const isLeft = left !== undefined && !left.isHidden && left.text !== '';
    this.record(line, reason);
    this.keyboard.show(isLeft ? `\r\n${message}\r\n` : `\r\n${message}\r\n${this.promptOf(line)}`);
    if (!isLeft) return;
    this.keyboard.clear(GIVE_UP_LINE);
    await this.prompt.settled();
  }

  private record({ text, isHidden }: PendingLine, reason: Reason): void {
    this.prompt.refuse({ ...reason, text: isHidden ? '' : text });
  }
}
