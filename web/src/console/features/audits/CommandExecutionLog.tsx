import { Code, Text } from '@mantine/core';
import { commandExecutionHost, commandExecutionLog, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { OutcomeState } from '../../resource/job/OutcomeState.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { exactMoment } from '../../resource/list/table/columns.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { Clipped } from '../Clipped.tsx';
import { HostState } from '../ops/index.ts';
import { words } from './words.ts';

const DAYS = 7;
const BLOCK = {
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  maxHeight: 360,
  overflowY: 'auto',
} as const;

type Execution = Row<typeof commandExecutionLog>;
type Host = Row<typeof commandExecutionHost>;

/** The output of one host. */
function HostOutput({ host }: { readonly host: Host }) {
  return (
    <Code block style={BLOCK} tabIndex={0}>
      {host.stdout || host.stderr ? host.stdout : t(words.noOutput)}
      {host.stderr && (
        <Text component="span" ff="inherit" fz="inherit" c="var(--mantine-color-error)">
          {host.stderr}
        </Text>
      )}
    </Code>
  );
}

/** The full command and its hosts. */
function Hosts({ execution }: { readonly execution: Execution }) {
  return (
    <>
      <Code block style={BLOCK} tabIndex={0} mb="sm">
        {execution.command}
      </Code>
      <Text size="sm" mb="sm">
        <PageLink to={`/ops/celery/task/${execution.id}/log`}>{t(words.taskLog)}</PageLink>
      </Text>
      <ResourceList<Host>
        source={commandExecutionHost}
        embedded
        base={{ commandexecution: execution.id }}
        columns={[
          { name: 'asset_display', essential: true, width: 200 },
          {
            name: 'state',
            width: 130,
            essential: true,
            cell: (host) => <HostState host={host} />,
          },
          {
            name: 'reason',
            cell: ({ reason }) => reason && <Clipped title={reason} min={120} />,
          },
          {
            name: 'milliseconds',
            width: 120,
            align: 'right',
            cell: ({ milliseconds }) => milliseconds.toLocaleString(),
          },
        ]}
        expand={(host) => <HostOutput host={host} />}
      />
    </>
  );
}

/** Batch commands of the organization, each with its hosts and their output. */
export function CommandExecutionLog() {
  return (
    <>
      <PageHeader />
      <ResourceList<Execution>
        source={commandExecutionLog}
        columns={[
          { name: 'hosts_amount', width: 90, align: 'right', essential: true },
          { name: 'failed_amount', width: 90, align: 'right' },
          { name: 'user_display', width: 150 },
          {
            name: 'command',
            essential: true,
            mono: true,
            cell: ({ command }) => <Clipped title={command} min={140} />,
          },
          { name: 'run_as_display', width: 150 },
          { name: 'remote_addr', mono: true, width: 120, hidden: true },
          {
            name: 'outcome',
            label: commandExecutionHost.fields.state.label,
            width: 210,
            cell: (row) => <OutcomeState outcome={row.outcome} text={row.state_display} />,
          },
          { name: 'date_start', cell: exactMoment('date_start') },
        ]}
        expand={(execution) => <Hosts execution={execution} />}
        days={DAYS}
      />
    </>
  );
}
