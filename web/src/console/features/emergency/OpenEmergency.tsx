import type { EmergencyAsset } from '@sallyport/contract';
import { useState } from 'react';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { byWindow, terminalAddress } from '../../base/addresses.ts';
import { useGo } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { HostCell } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { MINE } from './EmergencyButton.tsx';
import { askToEnd } from './EmergencyCard.tsx';
import { OpenDialog } from './OpenDialog.tsx';
import { words } from './words.ts';

const TICKETS = pagesOf('ticket');
const EVERY = 15_000;

/** Lists the assets that the user may open in an emergency, and open accesses. */
export function OpenEmergency() {
  const go = useGo();
  const { phone, narrow } = useBreakpoints();
  const [opening, setOpening] = useState<EmergencyAsset>();
  return (
    <>
      <PageHeader hint={t(words.myHint)} onBack={() => history.back()} />
      <ResourceList<EmergencyAsset>
        source={MINE}
        searchBy={[]}
        refetchEvery={EVERY}
        columns={[
          {
            name: 'hostname',
            label: words.asset,
            essential: true,
            cell: (row) => <HostCell host={row} withAddress />,
          },
          { name: 'rule_name', label: words.rule, hidden: phone },
          {
            name: 'system_users',
            label: words.systemUsers,
            hidden: narrow,
            cell: ({ system_users: names }) => names.join(', '),
          },
          {
            name: 'active_until',
            label: words.state,
            width: 200,
            cell: ({ active_until: until }) =>
              until
                ? t(words.openUntil, { time: formatDate(until).slice(11, 16) })
                : t(words.closed),
          },
        ]}
        emptyHint={t(words.myEmpty)}
        extraActions={(row, refresh) =>
          row.active_until
            ? [
                {
                  key: 'connect',
                  label: t(words.connect),
                  isMain: true,
                  ...byWindow(
                    terminalAddress(row.asset, row.accounts.length > 1 ? 'choose' : undefined),
                  ),
                },
                {
                  key: 'end',
                  label: t(words.endNow),
                  danger: true,
                  run: () => askToEnd(row.ticket ?? '', refresh),
                },
                {
                  key: 'ticket',
                  label: t(words.toTicket),
                  run: () => void go(TICKETS.detail(row.ticket ?? '')),
                },
              ]
            : [
                {
                  key: 'open',
                  label: t(words.open),
                  danger: true,
                  isMain: true,
                  run: () => setOpening(row),
                },
              ]
        }
      />
      {opening && <OpenDialog asset={opening} onClose={() => setOpening(undefined)} />}
    </>
  );
}
