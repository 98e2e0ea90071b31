import type { Consequences, ConsequencesQuestion } from '@sallyport/contract';
import { useEffect, useRef, useState } from 'react';
import { api } from '../api.ts';

/** What is known of the consequences. */
export type ConsequencesState =
  | { readonly phase: 'loading' }
  | { readonly phase: 'known'; readonly found: Consequences }
  | { readonly phase: 'failed'; readonly why: string };

/** Asks the server what follows from an action, once when the dialog opens and again on demand. */
export function useConsequences(
  question: ConsequencesQuestion,
): readonly [state: ConsequencesState, again: () => void] {
  const [state, setState] = useState<ConsequencesState>({ phase: 'loading' });
  const [tries, setTries] = useState(0);
  // The question belongs to the dialog: it does not change while that is open.
  const asked = useRef(question);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try asks again
  useEffect(() => {
    const ending = new AbortController();
    setState({ phase: 'loading' });
    api
      .post<Consequences>('perms/consequences/', asked.current, {
        quiet: true,
        signal: ending.signal,
      })
      .then((found) => setState({ phase: 'known', found }))
      .catch((error: unknown) => {
        if (!ending.signal.aborted)
          setState({ phase: 'failed', why: error instanceof Error ? error.message : '' });
      });
    return () => ending.abort();
  }, [tries]);
  return [state, () => setTries((before) => before + 1)];
}
