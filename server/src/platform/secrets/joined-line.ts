import type { TextTrack } from './text-track.ts';

const NEWLINE = 0x0a;
/** Context in front of the cursor when a line is copied. */
export const MAX_PREFIX = 256;
/** Bytes that may be copied for each byte and each part of output, and at once. */
const CREDIT_RATE = 4;
const CREDIT = 512;
const MAX_CREDIT = 64 * 1024;

/** Bounds the work that output with many moves of the cursor causes. */
export class CopyBudget {
  private credit = MAX_CREDIT;

  earn(bytes: number): void {
    this.credit = Math.min(MAX_CREDIT, this.credit + CREDIT_RATE * bytes + CREDIT);
  }

  /** Returns false if too much was copied. */
  pay(bytes: number): boolean {
    if (this.credit < bytes) return false;
    this.credit -= bytes;
    return true;
  }
}

/** A line with gaps, which follows without the gaps in an own track. */
export class JoinedLine {
  /** True while the track receives the line. */
  isOpen = false;
  private readonly track: TextTrack;
  private readonly shown: TextTrack;
  private readonly copies: CopyBudget;

  constructor(track: TextTrack, shown: TextTrack, copies: CopyBudget) {
    this.track = track;
    this.shown = shown;
    this.copies = copies;
  }

  /** Begins with the line so far, before a gap at `at`. */
  begin(at: number): void {
    const { track, shown } = this;
    if (this.isOpen) return;
    const from = shown.lineStart(Math.max(0, shown.length - MAX_PREFIX));
    if (!this.copies.pay(shown.length - from)) return;
    this.isOpen = true;
    track.put(NEWLINE, at);
    track.copy(shown, from, shown.length);
  }

  append(output: Buffer, from: number, to: number): void {
    if (this.isOpen) this.track.append(output, from, to);
  }

  repeat(byte: number, offset: number, count: number): void {
    if (this.isOpen) this.track.repeat(byte, offset, count);
  }

  end(at: number): void {
    if (this.isOpen) this.track.put(NEWLINE, at);
    this.isOpen = false;
  }

  /** Keeps the line open while `work` ends the line that is shown. */
  keep(work: () => void): void {
    const { isOpen } = this;
    this.isOpen = false;
    work();
    this.isOpen = isOpen;
  }
}
