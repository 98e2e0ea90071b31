/** Keys whose work is done together. */
interface Batch {
  readonly keys: Set<string>;
  readonly done: Promise<void>;
  readonly start: () => void;
}

/**
 * Does the work of keys together: waits `milliseconds` after the first key for more.
 */
export class Gathered {
  private readonly work: (keys: readonly string[]) => Promise<void>;
  private readonly milliseconds: number;
  private next: Batch | undefined;
  private isHurried = false;

  constructor(work: (keys: readonly string[]) => Promise<void>, milliseconds: number) {
    this.work = work;
    this.milliseconds = milliseconds;
  }

  /** Resolves when the work of the key is done. @throws the error of its batch */
  add(key: string): Promise<void> {
    this.next ??= this.begin();
    this.next.keys.add(key);
    return this.next.done;
  }

  /** Starts the work of the waiting keys, and of later ones in the turn in which they come. */
  hurry(): void {
    this.isHurried = true;
    this.next?.start();
  }

  private begin(): Batch {
    const keys = new Set<string>();
    const { promise, resolve } = Promise.withResolvers<void>();
    let hasStarted = false;
    const start = () => {
      if (hasStarted) return;
      hasStarted = true;
      clearTimeout(timer);
      this.next = undefined;
      resolve(this.work([...keys]));
    };
    const timer = this.isHurried ? undefined : setTimeout(start, this.milliseconds);
    if (this.isHurried) setImmediate(start);
    return { keys, done: promise, start };
  }
}
