import { session } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { openWindow, replayAddress, watchAddress } from '../../base/addresses.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import type { Session } from './session-actions.ts';
import { sessionColumns } from './session-columns.tsx';
import { words } from './words.ts';

const nowhere = () => undefined;

/**
 * Sessions of a user, an account or an asset, on its detail page. `by` is the filter of the server.
 */
export function LinkedSessions({ by }: { readonly by: Readonly<Record<string, string>> }) {
  return (
    <ResourceList<Session>
      source={session}
      embedded
      link={nowhere}
      base={by}
      columns={sessionColumns(useBreakpoints(), false)}
      emptyHint={t(words.emptySessions)}
      extraActions={(row) => [
        row.is_finished
          ? {
              key: 'replay',
              label: t(words.replay),
              disabled: !row.can_replay,
              run: () => openWindow(replayAddress(row.id)),
            }
          : {
              key: 'monitor',
              label: t(words.monitor),
              disabled: !row.can_join,
              run: () => openWindow(watchAddress(row.id)),
            },
      ]}
    />
  );
}
