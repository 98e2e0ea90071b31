import { lazy, Suspense } from 'react';

// Most people have access: it is loaded where somebody has none.
const WhomToAsk = lazy(() => import('./WhomToAsk.tsx').then((module) => ({ default: module.WhomToAsk })));

/** Whom to ask for access, by name, behind a sentence that says to ask; `alone`: a sentence of its own. */
export function AskSomebody({ alone = false }: { readonly alone?: boolean }) {
  return (
    <Suspense>
      {' '}
      <WhomToAsk alone={alone} />
    </Suspense>
  );
}
