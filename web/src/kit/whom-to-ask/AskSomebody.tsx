import type { WhomToAsk as Answer } from '@sallyport/contract';
import { useEffect, useState } from 'react';
import { api } from '../api.ts';
import { language, t } from '../i18n/index.ts';
import { Loading } from '../lazy-component.tsx';
import { REQUEST_ACCESS } from './request-access.ts';
import { words } from './words.ts';

/** Names the administrators who can grant access; draws nothing until they are known. */
function WhomToAsk({
  alone,
  about,
}: {
  readonly alone: boolean;
  readonly about?: Readonly<Record<string, string>> | undefined;
}) {
  const [found, setFound] = useState<Answer>();
  useEffect(() => {
    const ending = new AbortController();
    api
      .get<Answer>('perms/users/administrators/', { quiet: true, signal: ending.signal })
      .then(setFound)
      .catch(() => undefined);
    return () => ending.abort();
  }, []);
  if (!found || found.names.length === 0) return null;
  const { names, count } = found;
  const list = names.join(language === 'zh' ? '、' : ', ');
  const others = count - names.length;
  const text = t(alone ? words.ask : words.names, {
    names:
      others > 0 ? t(words.more, { names: list, count: language === 'zh' ? count : others }) : list,
  });
  if (!found.requests) return text;
  const query = about ? `?${new URLSearchParams(about)}` : '';
  return (
    <>
      {text} <a href={`/ui${REQUEST_ACCESS}${query}`}>{t(words.request)}</a>
    </>
  );
}

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
