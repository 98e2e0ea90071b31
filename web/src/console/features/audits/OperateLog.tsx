import { AUDIT_KINDS } from 'virtual:audit-kinds';
import { Text } from '@mantine/core';
import { operateLog, type Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { Changes } from '../../resource/detail/Changes.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { exactMoment } from '../../resource/list/table/columns.tsx';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { NamedObject } from '../../resource/object/LinkedCell.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { VerifyButton } from './VerifyButton.tsx';

type Entry = Row<typeof operateLog>;

const DAYS = 7;

/** The server stores kinds by name, so a filter may use kinds that the log does not contain. */
const KINDS = {
  resource_type: AUDIT_KINDS.map(({ name, title }) => ({ value: name, label: t(title) })),
};

/** Changes by users, with the previous values. */
export function OperateLog() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader>
        <VerifyButton />
      </PageHeader>
      <ResourceList<Entry>
        source={operateLog}
        columns={[
          {
            name: 'user',
            cell: (entry) => (
              <>
                <NamedObject row={entry} name="user" />
                {phone && (
                  <>
                    {' · '}
                    <Moment date={entry.datetime} />
                    <Text span fz="xs" c="dimmed" display="block">
                      <Clipped
                        title={[entry.action_display, entry.resource_type, entry.resource].join(
                          ' · ',
                        )}
                        min={150}
                      />
                    </Text>
                  </>
                )}
              </>
            ),
          },
          { name: 'action', width: 100, hidden: phone },
          { name: 'resource_type', width: 140, hidden: phone },
          { name: 'resource', hidden: phone },
          { name: 'remote_addr', mono: true, width: 150, hidden: phone },
          { name: 'datetime', essential: !phone, hidden: phone, cell: exactMoment('datetime') },
        ]}
        choicesOf={KINDS}
        days={DAYS}
        expand={(entry) => (
          <>
            {phone && (
              <Text fz="xs" c="dimmed" mb={4}>
                {[
                  entry.action_display,
                  entry.resource_type,
                  entry.resource,
                  entry.remote_addr,
                ].join(' · ')}
              </Text>
            )}
            <Changes entry={entry} />
          </>
        )}
      />
    </>
  );
}
