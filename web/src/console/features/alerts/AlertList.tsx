import { alert, MOST_ALERT_NOTE } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { exactMoment } from '../../resource/list/table/columns.tsx';
import type { RowAction } from '../../resource/list/table/RowActions.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { cacheKey } from '../../resource/source.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { type Alert, sentenceOf } from './sentence.ts';
import { words } from './words.ts';

const Incident = lazyComponent(() => import('./Incident.tsx').then((module) => module.Incident));

const DAYS = 30;
const UNSEEN_FIRST = { order: 'is_seen,-datetime' };
// An alert has no detail page.
const nowhere = () => undefined;

/** Asks for a note and marks alerts as seen. */
function useMarkSeen(): (ids: readonly string[], done?: () => void) => void {
  const client = useQueryClient();
  return (ids, done) =>
    askFirst({
      message: t(words.question, { count: ids.length }),
      confirm: t(words.markSeen),
      note: {
        label: t(words.note),
        hint: t(words.noteHint),
        max: MOST_ALERT_NOTE,
        isRequired: true,
      },
      run: async (note) => {
        await api.post(`${alert.path}/seen/`, { ids, note }, { quiet: true });
        done?.();
        await client.invalidateQueries({ queryKey: cacheKey(alert) });
        await client.invalidateQueries({ queryKey: ['attention'] });
      },
      success: t(words.wasSeen),
      failure: t(words.notSeen),
    });
}

/** Unusual sign-ins and access of members, until an administrator or auditor marks them as seen. */
export function AlertList() {
  const markSeen = useMarkSeen();
  const { phone } = useBreakpoints();
  const actions = (row: Alert): RowAction[] =>
    row.is_seen
      ? []
      : [
          {
            key: 'seen',
            label: t(words.markSeen),
            isMain: true,
            run: () => markSeen([row.id]),
          },
        ];
  return (
    <>
      <PageHeader />
      <ResourceList<Alert>
        source={alert}
        link={nowhere}
        columns={[
          { name: 'kind', width: 130, hidden: phone },
          {
            name: 'what',
            label: words.what,
            essential: true,
            cell: (row) => <Clipped title={sentenceOf(row)} min={phone ? 110 : 200} />,
          },
          { name: 'user', width: 160, hidden: true },
          { name: 'subject', mono: true, hidden: true },
          { name: 'amount', width: 80, hidden: true, order: false },
          { name: 'remote_addr', mono: true, width: 130, hidden: true },
          {
            name: 'sign_in',
            width: 100,
            order: false,
            cell: ({ session, username, remote_addr: ip }) =>
              session ? (
                <PageLink to={pagesOf('session').detail(session)}>{t(words.session)}</PageLink>
              ) : (
                <PageLink
                  to="/audits/login-log"
                  search={{ ip, ...(username !== '' && { username }) }}
                >
                  {t(words.signIns)}
                </PageLink>
              ),
          },
          {
            name: 'is_seen',
            cell: ({ is_seen: isSeen, seen_by: by, note }) =>
              isSeen ? <Clipped title={`${by}: ${note}`} min={120} /> : t(words.open),
          },
          { name: 'datetime', cell: exactMoment('datetime') },
        ]}
        days={DAYS}
        base={UNSEEN_FIRST}
        emptyTitle={t(words.none)}
        emptyHint={t(words.noneHint)}
        expand={(row) => (
          <Incident alert={row} onSeen={row.is_seen ? undefined : () => markSeen([row.id])} />
        )}
        extraActions={actions}
        bulkActions={(rows, done) => {
          const unseen = rows.filter(({ is_seen: isSeen }) => !isSeen).map(({ id }) => id);
          return [
            {
              key: 'seen',
              label: t(words.markSelected),
              disabled: unseen.length === 0,
              run: () => markSeen(unseen, done),
            },
          ];
        }}
      />
    </>
  );
}
