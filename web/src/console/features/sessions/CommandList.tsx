import { Button, Text } from '@mantine/core';
import { command, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { openWindow } from '../../base/addresses.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { Marked } from '../../resource/list/search/Marked.tsx';
import type { SearchPreset } from '../../resource/list/search/search-fields.ts';
import { NamedObject } from '../../resource/object/LinkedCell.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { meaningful } from '../../resource/transfer/export-address.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { commandDate, commandOutput } from './CommandOutput.tsx';
import { OpenSession } from './OpenSession.tsx';
import { isOrdinary, Risk } from './Risk.tsx';
import { reportAddress } from './session-actions.ts';
import { words } from './words.ts';

/**
 * Matches a program at the beginning of a command, or after a character that cannot be part of its
 * name, such as `/`, `;` or `|`.
 */
const program = (names: string) => `(^|[^\\w.-])(${names})`;

/**
 * Searches for risky commands. They match typed text only: an alias or a script can run the same
 * program under another name.
 */
const commandPresets = (): readonly SearchPreset[] => [
  {
    label: t(words.deletesFiles),
    search: `re:"${program('rm|rmdir|unlink|shred')}\\s|\\s-delete\\b"`,
  },
  { label: t(words.becomesRoot), search: `re:"${program('su|sudo|doas|pkexec')}(\\s|$)"` },
  {
    label: t(words.writesToEtc),
    search: `re:"(>|${program('tee|vim?|nano|cp|mv|rm|ln|chmod|chown|sed -i')}\\s).*/etc/"`,
  },
  {
    label: t(words.usesNetwork),
    search: `re:"${program('curl|wget|scp|sftp|rsync|ssh|nc|ncat|telnet|ftp')}\\s"`,
  },
];

type Command = Row<typeof command>;

const DAYS = 7;

const nameCell = (row: Command, name: 'user' | 'asset' | 'system_user', min?: number) => (
  <Clipped title={row[name]} link {...(min && { min })}>
    <NamedObject row={row} name={name} />
  </Clipped>
);

/** Every entered command, with the beginning of its output. */
export function CommandList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader />
      <ResourceList<Command>
        source={command}
        columns={[
          {
            name: 'input',
            mono: true,
            essential: phone,
            cell: (row) => (
              <>
                <Clipped title={row.input} min={160}>
                  <Marked text={row.input} />
                </Clipped>
                {phone && (
                  <Text span fz="xs" c="dimmed" display="block">
                    {commandDate(row)}
                    <Clipped title={`${row.asset} · ${row.user}`} min={160} />
                  </Text>
                )}
              </>
            ),
          },
          {
            name: 'risk_level',
            width: 110,
            quiet: isOrdinary,
            cell: (row) => (
              <Risk
                level={row.risk_level}
                denied={row.is_denied}
                failed={row.is_failed}
                verdict={row.verdict}
              />
            ),
          },
          { name: 'user', width: 150, hidden: phone, cell: (row) => nameCell(row, 'user') },
          { name: 'asset', width: 130, hidden: phone, cell: (row) => nameCell(row, 'asset') },
          {
            name: 'system_user',
            width: 120,
            hidden: phone,
            cell: (row) => nameCell(row, 'system_user', 84),
          },
          {
            name: 'session',
            width: 72,
            align: 'center',
            cell: (row) => <OpenSession id={row.session} />,
          },
          { name: 'verdict', width: 150, hidden: true },
          { name: 'row_count', width: 80, align: 'right', hidden: true },
          { name: 'duration_ms', width: 110, align: 'right', hidden: true },
          {
            name: 'error',
            hidden: true,
            cell: ({ error }) => <Clipped title={error ?? ''} min={160} />,
          },
          { name: 'timestamp', width: 160, essential: !phone, hidden: phone, cell: commandDate },
        ]}
        searchPresets={commandPresets()}
        isPhrase
        days={DAYS}
        toolbar={(extent) => (
          <Button
            variant="default"
            // The query changes without a new drawing, so the address is made by the click.
            onClick={() => openWindow(reportAddress(meaningful(extent().query)))}
          >
            {t(words.report)}
          </Button>
        )}
        expand={commandOutput}
      />
    </>
  );
}
