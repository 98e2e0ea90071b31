import { useEffect, useState } from 'react';

/** Longer than a double click, and than Enter repeats: such an answer belongs to something else. */
const PAUSE_MS = 500;

/**
 * Returns true for the first moment after a question opens, while its answers must do nothing: a
 * double click, or a repeated key, was for the question before. `question` differs for each one.
 */
export function useAnswerPause(question: unknown): boolean {
  const [answerable, setAnswerable] = useState<unknown>();
  useEffect(() => {
    const timer = setTimeout(() => setAnswerable(question), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [question]);
  return question !== answerable;
}
