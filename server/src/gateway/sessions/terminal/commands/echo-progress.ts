import type { Key } from './key-reader.ts';

/** After this pause in the output the target has answered all earlier keys. */
const QUIET_MS = 200;
/** A key without text that shows nothing for this long has no effect on the screen. */
const SILENT_MS = 300;
/** Longest echo that counts: later output is not an echo. */
const MAX_DELAY_MS = 1000;
/** Share of an earlier delay that still counts after the next echo. */
const DECAY = 0.9;

/** Tells how far the echo of the target is behind the keys. */
export class EchoProgress {
  /** The first key without any output since. */
  private waiting: { readonly since: number; hasText: boolean } | undefined;
  /** True if keys came before the output for an earlier one: output may belong to any of them. */
  private isBurst = false;
  private pressedAt = 0;
  private updatedAt = 0;
  private recent = 0;

  /** Milliseconds from a key to its output: the longest of the recent ones. */
  get delay(): number {
    return this.recent;
  }

  /** True if each key had its own output before the next key came. */
  get isInStep(): boolean {
    return !this.isBurst && this.waiting === undefined;
  }

  /** Returns true if the target has answered all keys before `now`. */
  hasSettled(now: number): boolean {
    return (
      this.updatedAt > this.pressedAt && now - this.updatedAt >= Math.max(QUIET_MS, 2 * this.delay)
    );
  }

  /** `now` in milliseconds since the session began. */
  pressed(key: Key, now: number): void {
    if (this.hasSettled(now)) {
      this.waiting = undefined;
      this.isBurst = false;
    }
    this.pressedAt = now;
    const { waiting } = this;
    if (key.kind === 'enter' || key.kind === 'interrupt') {
      // The output of a command answers no key.
      this.waiting = undefined;
      this.isBurst = true;
      return;
    }
    const isText = key.kind === 'text';
    this.isBurst ||= waiting !== undefined || (isText && [...key.text].length > 1);
    if (waiting && (waiting.hasText || now - waiting.since < SILENT_MS)) waiting.hasText ||= isText;
    else this.waiting = { since: now, hasText: isText };
  }

  /** The screen shows more output. */
  updated(now: number): void {
    this.updatedAt = now;
    if (!this.waiting) return;
    this.recent = Math.max(Math.min(now - this.waiting.since, MAX_DELAY_MS), this.recent * DECAY);
    this.waiting = undefined;
  }
}
