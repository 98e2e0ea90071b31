import { Alert, Button, Group, List, Loader, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { LdapImport } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api } from '../../../../kit/api.ts';
import { askFirst } from '../../../../kit/dialogs/confirm.ts';
import { common, t } from '../../../../kit/i18n/index.ts';
import { IconSearch } from '../../../../kit/icons.ts';
import { JobProgress } from '../../../resource/job/JobProgress.tsx';
import { Pager } from '../../../resource/list/Pager.tsx';
import { words } from '../words.ts';
import { PeopleTable } from './PeopleTable.tsx';
import { PEOPLE_KEY, usePeople } from './usePeople.ts';

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

/** Imports users of the directory as accounts: selected users, or all. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), TYPING);
  const [order, setOrder] = useState('existing');
  const [page, setPage] = useState(1);
  const [size, setSize] = useState(15);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState<'refresh' | 'import'>();
  const [outcome, setOutcome] = useState<LdapImport>();
  const [problem, setProblem] = useState('');
  const people = usePeople({ search, order, page, size });
  const count = people.data?.count ?? 0;

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
      setChosen((now) => new Set([...now].filter((one) => !chosen.has(one))));
      await client.invalidateQueries({ queryKey: ['resource', 'users'] });
    });

  const takeAll = () =>
    askFirst({ message: t(words.importAllQuestion), confirm: t(words.importAll), run: take });

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
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              setPage(1);
            }}
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
                order={order}
                chosen={chosen}
                onOrder={(next) => {
                  setOrder(next);
                  setPage(1);
                }}
                onChoose={setChosen}
              />
              <Pager
                page={page}
                pages={Math.max(1, Math.ceil(count / size))}
                size={size}
                sizes={SIZES}
                count={count}
                onPage={setPage}
                onSize={(next) => {
                  setSize(next);
                  setPage(1);
                }}
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
