import { allows, Permission, session } from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { byWindow, replayAddress, watchAddress } from '../../base/addresses.ts';
import { useSession } from '../../base/session.tsx';
import type { Figure } from '../../resource/detail/Figures.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import type { TabSpec } from '../../resource/TabbedPage.tsx';
import { useCount } from '../../resource/useCount.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import type { Session } from './session-actions.ts';
import { sessionColumns } from './session-columns.tsx';
import { words } from './words.ts';

const nowhere = () => undefined;

const SESSIONS = 'Sessions';

/** The period of the counted sessions, in days. */
const LATELY = 30;

const DAY = 86_400_000;

/**
 * Sessions of a user, an account or an asset, on its detail page. `by` is the filter of the server.
 */
function LinkedSessions({ by }: { readonly by: Readonly<Record<string, string>> }) {
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
              ...byWindow(replayAddress(row.id)),
            }
          : {
              key: 'monitor',
              label: t(words.monitor),
              disabled: !row.can_join,
              ...byWindow(watchAddress(row.id)),
            },
      ]}
    />
  );
}

/**
 * The sessions tab of an object, for users who may see sessions. `by` is the filter of the server.
 */
export function useSessionsTab(): (by: Readonly<Record<string, string>>) => readonly TabSpec[] {
  const { role } = useSession();
  return (by) =>
    allows(role.current, Permission.AUDIT)
      ? [{ name: SESSIONS, label: t(words.sessions), render: () => <LinkedSessions by={by} /> }]
      : [];
}

/**
 * The number of recent and live sessions of an object; undefined for users who may not see
 * sessions.
 */
export function useSessionsFigure(by: Readonly<Record<string, string>>): Figure | undefined {
  const { role } = useSession();
  const enabled = allows(role.current, Permission.AUDIT);
  const [from] = useState(() => new Date(Date.now() - LATELY * DAY).toISOString());
  const recent = useCount(session, { ...by, date_from: from }, { enabled });
  const live = useCount(session, { ...by, is_finished: 0 }, { enabled });
  return enabled
    ? {
        label: words.sessionsLately,
        value: recent,
        note: !!live && t(words.liveNow, { count: live }),
        tab: SESSIONS,
      }
    : undefined;
}
