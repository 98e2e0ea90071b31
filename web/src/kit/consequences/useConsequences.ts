import {
  CONSEQUENCE_RESOURCES,
  type ConsequenceResource,
  type Consequences,
  type ConsequencesQuestion,
  type PlannedAction,
} from '@sallyport/contract';
import { useEffect, useRef, useState } from 'react';
import { api } from '../api.ts';

export type ConsequencesState =
  | { readonly phase: 'loading' }
  | { readonly phase: 'known'; readonly answer: Consequences }
  | { readonly phase: 'failed'; readonly why: string };

/** Requests the consequences of an action when the dialog opens, and again on retry. */
export function useConsequences(
  question: ConsequencesQuestion,
): readonly [state: ConsequencesState, again: () => void] {
  const [state, setState] = useState<ConsequencesState>({ phase: 'loading' });
  const [tries, setTries] = useState(0);
  // The question does not change while its dialog is open.
  const initial = useRef(question);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try asks again
  useEffect(() => {
    const ending = new AbortController();
    setState({ phase: 'loading' });
    api
      .post<Consequences>('perms/consequences/', initial.current, {
        quiet: true,
        signal: ending.signal,
      })
      .then((answer) => setState({ phase: 'known', answer }))
      .catch((error: unknown) => {
        if (!ending.signal.aborted)
          setState({ phase: 'failed', why: error instanceof Error ? error.message : '' });
      });
    return () => ending.abort();
  }, [tries]);
  return [state, () => setTries((before) => before + 1)];
}

const isKnown = (name: string): name is ConsequenceResource =>
  (CONSEQUENCE_RESOURCES as readonly string[]).includes(name);

/**
 * Returns the planned change whose consequences the server computes, or undefined if the action has
 * none.
 */
export function plannedFor(
  source: { readonly name: string },
  action: PlannedAction,
  objects: readonly string[] | { readonly spm: string },
): ConsequencesQuestion | undefined {
  return isKnown(source.name)
    ? {
        action,
        resource: source.name,
        ...('spm' in objects ? { spm: objects.spm } : { ids: objects }),
      }
    : undefined;
}
