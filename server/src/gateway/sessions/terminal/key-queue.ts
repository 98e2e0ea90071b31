import type { Typist } from './gated-terminal.ts';

/** Keys of one typist. */
export interface TypedKeys {
  readonly keys: Buffer;
  readonly by: Typist;
}

/** Keys that wait while a line is being decided, in the order in which they were typed. */
export class KeyQueue {
  private waiting: TypedKeys[] = [];
  private waitingBytes = 0;

  get bytes(): number {
    return this.waitingBytes;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  push(keys: Buffer, by: Typist): void {
    this.waiting.push({ keys, by });
    this.waitingBytes += keys.length;
  }

  /** Returns keys to the front of the queue. */
  putBack(keys: Buffer, by: Typist): void {
    if (keys.length === 0) return;
    this.waiting.unshift({ keys, by });
    this.waitingBytes += keys.length;
  }

  shift(): TypedKeys | undefined {
    const next = this.waiting.shift();
    this.waitingBytes -= next?.keys.length ?? 0;
    return next;
  }

  /** Removes and returns the next keys of one typist. */
  shiftOf(by: Typist): TypedKeys | undefined {
    const index = this.waiting.findIndex((typed) => typed.by === by);
    const [next] = index < 0 ? [] : this.waiting.splice(index, 1);
    this.waitingBytes -= next?.keys.length ?? 0;
    return next;
  }

  /** Drops the keys of one typist. */
  forget(by: Typist): void {
    this.waiting = this.waiting.filter((typed) => typed.by !== by);
    this.waitingBytes = this.waiting.reduce((sum, { keys }) => sum + keys.length, 0);
  }

  clear(): void {
    this.waiting = [];
    this.waitingBytes = 0;
  }
}
