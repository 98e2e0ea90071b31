import { Text } from '@mantine/core';
import { command, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink } from '../../base/navigation.tsx';
import { choiceText } from '../../resource/list/columns.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { Clipped } from '../Clipped.tsx';
import { commandDate, commandOutput } from './command-parts.tsx';
import { words } from './words.ts';

type Command = Row<typeof command>;

const DAYS = 7;

/** Every command that was typed, with the beginning of its output. */
export function CommandList() {
  return (
    <>
      <PageHeader />
      <ResourceList<Command>
        source={command}
        columns={[
          { name: 'input', mono: true, cell: ({ input }) => <Clipped title={input} min={160} /> },
          {
            name: 'risk_level',
            width: 100,
            cell: (row) => (
              <Text span fz="inherit" {...(row.risk_level !== 0 && { c: 'red', fw: 600 })}>
                {choiceText(command.fields.risk_level, row.risk_level)}
              </Text>
            ),
          },
          { name: 'user', width: 150, cell: ({ user }) => <Clipped title={user} /> },
          { name: 'asset', width: 130, cell: ({ asset }) => <Clipped title={asset} /> },
          { name: 'system_user', width: 120, cell: ({ system_user: account }) => <Clipped title={account} min={84} /> },
          {
            name: 'session',
            width: 84,
            cell: (row) => (
              <PageLink to={`/terminal/sessions/${row.session}`} search={{ activeTab: 'SessionCommandList' }}>
                {t(words.goto)}
              </PageLink>
            ),
          },
          { name: 'timestamp', width: 160, essential: true, cell: commandDate },
        ]}
        days={DAYS}
        expand={commandOutput}
      />
    </>
  );
}
