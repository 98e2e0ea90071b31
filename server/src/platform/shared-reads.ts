/**
 * Reads the keys of all calls in one turn of the event loop together. The read begins after the
 * last of these calls, so no caller gets an older answer.
 */
export function sharedReads<Value>(
  read: (keys: readonly string[]) => (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  let turn: ReturnType<typeof begin> | undefined;
  const begin = () => {
    const keys = new Set<string>();
    const answers = new Promise<(key: string) => Promise<Value>>((done) => {
      setImmediate(() => {
        turn = undefined;
        done(read([...keys]));
      });
    });
    return { keys, answers };
  };
  return async (key) => {
    turn ??= begin();
    const { keys, answers } = turn;
    keys.add(key);
    return (await answers)(key);
  };
}

/** Reads each key once. */
export const eachOnce =
  <Value>(read: (key: string) => Promise<Value>) =>
  (keys: readonly string[]): ((key: string) => Promise<Value>) => {
    const answers = new Map(keys.map((key) => [key, read(key)]));
    return (key) => answers.get(key) ?? read(key);
  };
