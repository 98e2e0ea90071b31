import { Alert, Anchor, Button, Group, Skeleton, Text, TextInput } from '@mantine/core';
import { SCREEN_PHRASE_MOST, type ScreenMatch, type ScreenMatches } from '@sallyport/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../../../../kit/api.ts';
import { clock, formatDate } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { IconSearch } from '../../../../kit/icons.ts';
import { replayAddress } from '../../../base/addresses.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { LoadFailed } from '../../../resource/list/ListStates.tsx';
import { Marked } from '../../../resource/list/search/Marked.tsx';
import { LEAD_SECONDS } from '../ReplayFromHere.tsx';
import styles from './ScreenSearch.module.css';
import { words } from './words.ts';

/** The lines of one session. */
function Session({
  matches,
  phrase,
}: {
  readonly matches: readonly [ScreenMatch, ...ScreenMatch[]];
  readonly phrase: string;
}) {
  const [{ session, user, asset, system_user: account, date_start: start }] = matches;
  return (
    <li className={styles.session}>
      <PageLink to={pagesOf('session').detail(session)}>
        {user} → {asset}
      </PageLink>
      <Text span fz="sm" c="dimmed">
        {' '}
        {account} · {formatDate(start)}
      </Text>
      <ul className={styles.lines}>
        {matches.map(({ at, text }) => (
          <li key={`${at} ${text}`} className={styles.line}>
            <Anchor
              href={replayAddress(session, at - LEAD_SECONDS)}
              target="_blank"
              rel="noopener"
              aria-label={t(words.replayAt, { time: clock(at) })}
              className={styles.time}
            >
              {clock(at)}
            </Anchor>
            <code className={styles.text}>
              <Marked text={text} search={JSON.stringify(phrase)} />
            </code>
          </li>
        ))}
      </ul>
    </li>
  );
}

function Found({
  pages,
  phrase,
}: {
  readonly pages: readonly [ScreenMatches, ...ScreenMatches[]];
  readonly phrase: string;
}) {
  const [{ indexing }] = pages;
  const matches = pages.flatMap((page) => page.matches);
  const isMore = pages.some((page) => page.is_more);
  // Without an index, no answer says what sessions showed.
  if (indexing === 'off') return <Alert color="yellow">{t(words.off)}</Alert>;
  const sessions = [...Map.groupBy(matches, ({ session }) => session)];
  const count = matches.length;
  return (
    <>
      <Text fz="sm" c="dimmed" role="status">
        {count === 0
          ? t(pages.at(-1)?.older ? words.noneYet : words.none)
          : t(isMore ? words.more : words.found, { count })}
        {indexing === 'plain' && ` · ${t(words.plain)}`}
      </Text>
      <ul className={styles.sessions}>
        {sessions.map(([id, [first, ...others]]) =>
          first ? <Session key={id} matches={[first, ...others]} phrase={phrase} /> : null,
        )}
      </ul>
    </>
  );
}

/** Finds sessions by the text that they showed. */
export function ScreenSearch() {
  const [typed, setTyped] = useState('');
  const [phrase, setPhrase] = useState('');
  const query = useInfiniteQuery({
    queryKey: ['screens', phrase],
    queryFn: ({ signal, pageParam }) =>
      api.get<ScreenMatches>(
        `terminal/screen-search/?${new URLSearchParams({ q: phrase, ...(pageParam && { older: pageParam }) })}`,
        { signal, quiet: true },
      ),
    initialPageParam: '',
    getNextPageParam: ({ older }) => older,
    enabled: phrase !== '',
    retry: false,
  });
  const [first, ...others] = query.data?.pages ?? [];
  const refused = query.error instanceof ApiError ? query.error.fields?.q?.join(' ') : undefined;
  function submit(event: FormEvent) {
    event.preventDefault();
    if (typed.trim() === phrase) void query.refetch();
    else setPhrase(typed.trim());
  }
  return (
    <div className={styles.page}>
      <form onSubmit={submit} noValidate>
        <Group align="flex-end" gap="sm">
          <TextInput
            className={styles.field}
            type="search"
            label={t(words.phrase)}
            description={t(words.hint)}
            maxLength={SCREEN_PHRASE_MOST}
            leftSection={<IconSearch size={16} />}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" loading={query.isFetching} disabled={typed.trim() === ''}>
            {t(words.search)}
          </Button>
        </Group>
        {refused && (
          <Text fz="sm" c="var(--mantine-color-error)" role="alert">
            {refused}
          </Text>
        )}
      </form>
      {query.error && !refused && (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isLoading && <Skeleton height={160} />}
      {first && <Found pages={[first, ...others]} phrase={phrase} />}
      {query.hasNextPage && (
        <Button
          variant="default"
          className={styles.older}
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t(words.older)}
        </Button>
      )}
      {phrase !== '' && (
        <PageLink to="/terminal/command" search={{ search: JSON.stringify(phrase) }}>
          {t(words.commands)}
        </PageLink>
      )}
      <Text fz="xs" c="dimmed">
        {t(words.limits)}
      </Text>
    </div>
  );
}
