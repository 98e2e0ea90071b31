import { useState } from 'react';
import { Journey } from '../Journey.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { type FirstCounts, isEmpty } from './first-state.ts';

interface StepsProps extends FirstCounts {
  readonly setsUp: boolean;
}

/**
 * The way to the first session: one form on an empty installation; the remaining steps if some
 * objects exist, or if the administrator prefers them.
 */
export function Steps({ setsUp, ...counts }: StepsProps) {
  const [isOneByOne, setOneByOne] = useState(false);
  return isEmpty(counts) && !isOneByOne ? (
    <FirstSteps setsUp={setsUp} onOneByOne={() => setOneByOne(true)} />
  ) : (
    <Journey {...counts} />
  );
}
