import { Loading, lazyComponent } from '../lazy-component.tsx';

// Loaded lazily, because most users have access.
const WhomToAsk = lazyComponent(() => import('./WhomToAsk.tsx').then((module) => module.WhomToAsk));

/**
 * Names the administrators to ask for access, after a sentence that says to ask; `alone` makes it a
 * sentence. With a license it links to an access request prefilled with `about`.
 */
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
