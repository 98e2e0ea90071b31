import type { WhomToAsk } from '@sallyport/contract';
import { useEffect, useState } from 'react';
import { api } from '../api.ts';
import { BASE_PATH } from '../base-path.ts';
import { language, t } from '../i18n/index.ts';
import { REQUEST_ACCESS } from './request-access.ts';
import { words } from './words.ts';

/**
 * Names the administrators who can grant access, after a sentence that says to ask; `alone` makes
 * it a sentence. With a license it links to an access request prefilled with `about`. Draws nothing
 * until the names are known.
 */
export function AdministratorHint({
  alone = false,
  about,
}: {
  readonly alone?: boolean;
  readonly about?: Readonly<Record<string, string>>;
}) {
  const [answer, setAnswer] = useState<WhomToAsk>();
  useEffect(() => {
    const ending = new AbortController();
    api
      .get<WhomToAsk>('perms/users/administrators/', { quiet: true, signal: ending.signal })
      .then(setAnswer)
      .catch(() => undefined);
    return () => ending.abort();
  }, []);
  if (!answer || answer.names.length === 0) return null;
  const { names, count } = answer;
  const list = names.join(language === 'zh' ? '、' : ', ');
  const others = count - names.length;
  const text = t(alone ? words.ask : words.names, {
    names:
      others > 0 ? t(words.more, { names: list, count: language === 'zh' ? count : others }) : list,
  });
  if (!answer.requests) return ` ${text}`;
  const query = about ? `?${new URLSearchParams(about)}` : '';
  return (
    <>
      {' '}
      {text} <a href={`${BASE_PATH}${REQUEST_ACCESS}${query}`}>{t(words.request)}</a>
    </>
  );
}
