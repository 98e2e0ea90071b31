import { lazy, Suspense } from 'react';

// Most people have access: it is loaded where somebody has none.
const WhomToAsk = lazy(() => import('./WhomToAsk.tsx').then((module) => ({ default: module.WhomToAsk })));

/** Whom to ask for access, by name, behind a sentence that says to ask; `alone`: a sentence of its own. With a license it leads to a request; `host` is what the request is about. */
export function AskSomebody({ alone = false, host }: { readonly alone?: boolean; readonly host?: string | undefined }) {
  return (
    <Suspense>
      {' '}
      <WhomToAsk alone={alone} host={host} />
    </Suspense>
  );
}
