/** Runs work of one key one after the other, and of different keys side by side. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Makes a set of turns; keys are forgotten when nothing waits for them. */
export function createTurns(): Turns {
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
