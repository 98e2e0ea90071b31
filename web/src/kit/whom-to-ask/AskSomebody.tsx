import { lazy, Suspense } from 'react';

// Most people have access: it is loaded where somebody has none.
const WhomToAsk = lazy(() => import('./WhomToAsk.tsx').then((module) => ({ default: module.WhomToAsk })));

/** Whom to ask for access, by name, behind a sentence that says to ask; `alone`: a sentence of its own. With a license it leads to a request; `about` is what the request begins with. */
export function AskSomebody({ alone = false, about }: { readonly alone?: boolean; readonly about?: Readonly<Record<string, string>> }) {
  return (
    <Suspense>
      {' '}
      <WhomToAsk alone={alone} about={about} />
    </Suspense>
  );
}
