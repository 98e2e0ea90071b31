import { Loading, lazyComponent } from '../lazy-component.tsx';

// Most people have access: it is loaded where somebody has none.
const WhomToAsk = lazyComponent(() => import('./WhomToAsk.tsx').then((module) => module.WhomToAsk));

/** Whom to ask for access, by name, behind a sentence that says to ask; `alone`: a sentence of its own. With a license it leads to a request; `about` is what the request begins with. */
export function AskSomebody({
  alone = false,
  about,
}: {
  readonly alone?: boolean;
  readonly about?: Readonly<Record<string, string>>;
}) {
  return (
    <Loading>
      {' '}
      <WhomToAsk alone={alone} about={about} />
    </Loading>
  );
}
