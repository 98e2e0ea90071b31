import { Text } from '@mantine/core';
import { type Row, terminal } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { formatNumber } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { DetailPage, factsTab } from '../../resource/detail/DetailPage.tsx';
import { moreOptions } from '../../resource/form/more-options.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { objectUrl } from '../../resource/source.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

type Terminal = Row<typeof terminal>;

/** Polling interval in milliseconds; heartbeats arrive every twenty seconds. */
const LIVE = 10_000;
const FLAGS = {
  hasDelete: true,
  canDelete: ({ is_alive: isAlive }: Terminal) => !isAlive || t(words.runs),
};
const PLAIN = { hasBulkDelete: false, hasImport: false, hasExport: false };

/** Retires a terminal after confirmation, or reactivates it without a question. */
function setActive(row: Terminal, isActive: boolean, refresh: () => Promise<void>): void {
  const run = async () => {
    await api.patch(objectUrl(terminal, row.id), { is_active: isActive });
    await refresh();
  };
  if (isActive) void run();
  else
    askFirst({
      message: t(words.retireQuestion, { name: row.name }),
      confirm: t(words.retire),
      danger: true,
      run,
      success: t(words.retired),
    });
}

/** Percent of load from which on processes wait for a CPU. */
const ALL_BUSY = 100;

/** The load of a terminal's machine, explained in a tooltip or in text next to it. */
function Load({
  percent,
  explained = false,
}: {
  readonly percent: number;
  readonly explained?: boolean;
}) {
  const help = t(terminal.fields.load.help ?? terminal.fields.load.label);
  return (
    <>
      <Text
        span
        fz="inherit"
        {...(percent > ALL_BUSY && { c: 'var(--mantine-color-error)', fw: 600 })}
        {...(!explained && { title: help })}
      >
        {formatNumber(percent)}%
      </Text>
      {explained && (
        <Text span display="block" fz="xs" c="dimmed">
          {help}
        </Text>
      )}
    </>
  );
}

/** The servers of the installation. */
export function TerminalList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.hint)} />
      <ResourceList<Terminal>
        source={terminal}
        columns={[
          { name: 'name' },
          { name: 'remote_addr', hidden: phone },
          { name: 'session_online', width: 100 },
          { name: 'is_active', width: 100 },
          { name: 'is_alive', width: 90 },
          { name: 'load', width: 130, hidden: phone, cell: ({ load }) => <Load percent={load} /> },
          { name: 'version', width: 100, hidden: phone },
          { name: 'replay_storage', hidden: phone },
          { name: 'command_storage', hidden: phone },
          {
            name: 'storage_problem',
            hidden: true,
            cell: ({ storage_problem: problem }) => problem,
          },
          { name: 'command_storage_problem', hidden: true, order: false },
          { name: 'canary_date', hidden: true, order: false },
          { name: 'canary_problem', hidden: true, order: false },
          { name: 'date_heartbeat', hidden: true },
        ]}
        refetchEvery={LIVE}
        extraActions={(row, refresh) => [
          {
            key: 'active',
            label: t(row.is_active ? words.retire : words.use),
            danger: row.is_active,
            run: () => setActive(row, !row.is_active, refresh),
          },
        ]}
        {...FLAGS}
        {...PLAIN}
      />
    </>
  );
}

/** Renames or retires a terminal. */
export function TerminalForm() {
  return (
    <FormPage
      source={terminal}
      groups={[
        { title: words.stores, fields: ['name', 'command_storage', 'replay_storage', 'is_active'] },
        moreOptions(['comment']),
      ]}
    />
  );
}

const LOAD = {
  name: 'load',
  label: terminal.fields.load.label,
  value: ({ load }: Terminal) => <Load percent={load} explained />,
};

const FACTS = [
  'name',
  'remote_addr',
  'ssh_port',
  'http_port',
  'version',
  'session_online',
  LOAD,
  'is_active',
  'is_alive',
  'replay_storage',
  'storage_problem',
  'command_storage',
  'command_storage_problem',
  'canary_date',
  'canary_milliseconds',
  'canary_problem',
  'date_heartbeat',
  'date_created',
  'comment',
] as const;

export function TerminalDetail() {
  return (
    <DetailPage<Terminal>
      source={terminal}
      {...FLAGS}
      tabs={(object) => [factsTab(terminal, object, FACTS)]}
    />
  );
}
