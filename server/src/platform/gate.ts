/** Limits concurrency. Callers beyond the limit wait in order of arrival. */
export interface Gate {
  /**
   * Waits for a place.
   * @returns a function that frees the place
   */
  enter(): Promise<() => void>;
  /** Like `enter`, but returns undefined at once if `maxWaiting` callers already wait. */
  enterUnlessFull(maxWaiting: number): Promise<(() => void) | undefined>;
}

export function createGate(places: number): Gate {
  let free = Math.max(1, Math.floor(places));
  const waiting: (() => void)[] = [];
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  const enter = async () => {
    if (free > 0) free--;
    else await new Promise<void>((settle) => waiting.push(settle));
    let isIn = true;
    return () => {
      if (isIn) leave();
      isIn = false;
    };
  };
  return {
    enter,
    enterUnlessFull: async (maxWaiting) =>
      free === 0 && waiting.length >= maxWaiting ? undefined : enter(),
  };
}

/** Runs work of the same key sequentially, and work of different keys in parallel. */
type Serial = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Creates a runner that drops a key when no work waits for it. */
export function createSerial(): Serial {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    const forget = () => {
      if (last.get(key) === mine) last.delete(key);
    };
    mine.then(forget, forget);
    return mine;
  };
}

/**
 * Returns a function that reads a value again, possibly several times in parallel. Keeps the result
 * of the newest reading: an overtaken one may be stale.
 */
export function newestReading<Found>(
  read: () => Promise<Found>,
  keep: (value: Found) => void,
): () => Promise<void> {
  let begun = 0;
  let kept = 0;
  return async () => {
    begun += 1;
    const turn = begun;
    const value = await read();
    if (turn < kept) return;
    kept = turn;
    keep(value);
  };
}
