/** Lets so many through at once; others wait in the order that they came in. */
export interface Gate {
  /** Waits for a place. @returns gives it free again */
  enter(): Promise<() => void>;
  /** Waits for a place unless so many wait already: then undefined, at once. */
  enterUnlessFull(maxWaiting: number): Promise<(() => void) | undefined>;
}

/** Makes a gate with some places. */
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
