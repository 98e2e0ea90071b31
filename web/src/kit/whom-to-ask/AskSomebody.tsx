import { lazy, Suspense } from 'react';

// Most people have access: it is loaded where somebody has none.
const WhomToAsk = lazy(() => import('./WhomToAsk.tsx').then((module) => ({ default: module.WhomToAsk })));

/** A sentence that says whom to ask for access, behind another one. */
export function AskSomebody() {
  return (
    <Suspense>
      {' '}
      <WhomToAsk />
    </Suspense>
  );
}
