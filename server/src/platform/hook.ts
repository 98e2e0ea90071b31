/** A function that a higher part of the program may set for a lower one. */
export interface Hook<Arguments extends readonly unknown[], Result> {
  /** @throws Error if the function is set */
  set(work: (...given: Arguments) => Result): void;
  /** Calls the function, or the default while none is set. */
  readonly call: (...given: Arguments) => Result;
}

/** Creates a hook. `name` is for the error of a second setter. */
export function createHook<Arguments extends readonly unknown[], Result>(
  name: string,
  otherwise: (...given: Arguments) => Result,
): Hook<Arguments, Result> {
  let current: ((...given: Arguments) => Result) | undefined;
  return {
    set(work) {
      if (current) throw new Error(`${name} is set`);
      current = work;
    },
    call: (...given) => (current ?? otherwise)(...given),
  };
}
