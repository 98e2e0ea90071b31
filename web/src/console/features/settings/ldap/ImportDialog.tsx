import { Alert, Button, Group, List, Loader, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { LdapImport, LdapUser, Page } from '@sallyport/contract';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';
import { ApiError, api } from '../../../../kit/api.ts';
import { askFirst } from '../../../../kit/dialogs/confirm.ts';
import { common, t } from '../../../../kit/i18n/index.ts';
import { IconSearch } from '../../../../kit/icons.ts';
import { JobProgress } from '../../../resource/job/JobProgress.tsx';
import { type JobModel, useJob } from '../../../resource/job/useJob.ts';
import { Pager } from '../../../resource/list/Pager.tsx';
import { words } from '../words.ts';
import { PeopleTable } from './PeopleTable.tsx';

const PEOPLE_KEY = ['ldap-users'];

interface PeopleQuery {
  readonly search: string;
  readonly order: string;
  readonly page: number;
  readonly size: number;
}

/** The id of the job that reads the directory, if the server answers 409. */
function readerOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.status !== 409) return undefined;
  const { job } = error.body as { readonly job?: unknown };
  return typeof job === 'string' ? job : undefined;
}

/**
 * Lists users of the directory, page by page. While the server reads the directory, `reader`
 * reports progress; the page is refetched when it finishes.
 */
function usePeople({ search, order, page, size }: PeopleQuery) {
  const query = useQuery({
    queryKey: [...PEOPLE_KEY, search, order, page, size],
    queryFn: ({ signal }) =>
      api.get<Page<LdapUser>>('settings/ldap/users/', {
        query: { cache_police: 1, search, order, limit: size, offset: (page - 1) * size },
        signal,
        quiet: true,
      }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const { refetch } = query;
  const reader: JobModel = useJob(readerOf(query.error));
  const isOver = reader.isOver || reader.problem !== '';
  useEffect(() => {
    if (isOver) void refetch();
  }, [isOver, refetch]);
  return {
    ...query,
    reader,
    isReading: query.error instanceof ApiError && query.error.status === 409,
  };
}

const SIZES = [15, 30, 50, 100];
const TYPING = 300;

function Outcome({ outcome }: { readonly outcome: LdapImport }) {
  const refused = outcome.results.filter(({ result }) => result === 'refused');
  return (
    <Alert color={refused.length > 0 ? 'yellow' : 'green'} title={outcome.msg} role="status">
      {refused.length > 0 && (
        <List size="sm" mah={160} style={{ overflow: 'auto' }}>
          {refused.map(({ username, reason }) => (
            <List.Item key={username}>{`${username}: ${reason}`}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}

type Chosen = ReadonlySet<string>;

/** Reads the directory again, and imports users of it. */
function useDirectoryWork(chosen: Chosen, onChoose: Dispatch<SetStateAction<Chosen>>) {
  const client = useQueryClient();
  const [busy, setBusy] = useState<'refresh' | 'import'>();
  const [outcome, setOutcome] = useState<LdapImport>();
  const [problem, setProblem] = useState('');

  async function act(what: 'refresh' | 'import', work: () => Promise<void>) {
    setBusy(what);
    setOutcome(undefined);
    setProblem('');
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error.message);
    } finally {
      setBusy(undefined);
      await client.invalidateQueries({ queryKey: PEOPLE_KEY });
    }
  }

  const refresh = () =>
    act(
      'refresh',
      async () => void (await api.get('settings/ldap/cache/refresh/', { quiet: true })),
    );
  const take = () =>
    act('import', async () => {
      setOutcome(
        await api.post<LdapImport>(
          'settings/ldap/users/import/',
          { username_list: [...chosen] },
          { quiet: true },
        ),
      );
      // Keep users selected during the import.
      onChoose((now) => new Set([...now].filter((one) => !chosen.has(one))));
      await client.invalidateQueries({ queryKey: ['resource', 'users'] });
    });
  const takeAll = () =>
    askFirst({ message: t(words.importAllQuestion), confirm: t(words.importAll), run: take });
  return { busy, outcome, problem, refresh, take, takeAll };
}

/** Search, order and page of the list. A new search, order or size starts at the first page. */
function usePeopleQuery() {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), TYPING);
  const [order, setOrder] = useState('existing');
  const [size, setSize] = useState(15);
  const [page, setPage] = useState(1);
  const atFirst =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value);
      setPage(1);
    };
  return {
    query: { search, order, page, size },
    typed,
    onType: atFirst(setTyped),
    onOrder: atFirst(setOrder),
    onSize: atFirst(setSize),
    onPage: setPage,
  };
}

/** Imports users of the directory as accounts: selected users, or all. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const { query, ...list } = usePeopleQuery();
  const { page, size } = query;
  const [chosen, setChosen] = useState<Chosen>(new Set());
  const { busy, outcome, problem, refresh, take, takeAll } = useDirectoryWork(chosen, setChosen);
  const people = usePeople(query);
  const count = people.data?.count ?? 0;

  const failure = problem || (people.error && !people.isReading ? people.error.message : '');
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.bulkImport)}
      size={920}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <Stack>
        <Group justify="space-between" gap="xs">
          <TextInput
            aria-label={t(words.search)}
            placeholder={t(words.search)}
            leftSection={<IconSearch size={16} />}
            value={list.typed}
            onChange={(event) => list.onType(event.currentTarget.value)}
          />
          <Button
            variant="default"
            loading={busy === 'refresh'}
            disabled={people.isReading}
            onClick={() => void refresh()}
          >
            {t(words.refreshCache)}
          </Button>
        </Group>
        {outcome && <Outcome outcome={outcome} />}
        {failure && (
          <Alert color="red" role="alert" style={{ overflowWrap: 'anywhere' }}>
            {failure}
          </Alert>
        )}
        {people.isReading ? (
          <JobProgress model={people.reader} hasLog />
        ) : people.isLoading ? (
          <Group justify="center" p="xl" role="status">
            <Loader size="sm" />
            <Text>{t(common.loading)}</Text>
          </Group>
        ) : (
          people.data && (
            <>
              <PeopleTable
                rows={people.data.results}
                order={query.order}
                chosen={chosen}
                onOrder={list.onOrder}
                onChoose={setChosen}
              />
              <Pager
                page={page}
                pages={Math.max(1, Math.ceil(count / size))}
                size={size}
                sizes={SIZES}
                count={count}
                onPage={list.onPage}
                onSize={list.onSize}
              />
            </>
          )
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(common.close)}
          </Button>
          <Button
            loading={busy === 'import'}
            disabled={people.isReading || count === 0}
            onClick={() => (chosen.size > 0 ? void take() : takeAll())}
          >
            {chosen.size > 0 ? t(words.importChosen, { count: chosen.size }) : t(words.importAll)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
