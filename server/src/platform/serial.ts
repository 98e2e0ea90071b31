/** Runs work with the same key one after the other, and work with different keys at the same time. */
export type Serial = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Creates a runner; a key is forgotten when no work waits for it. */
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
