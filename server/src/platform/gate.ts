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
