import { allows, lostChange, MOST_LOST_NOTE, Permission, type Row } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, api, PROPOSED } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { useSession } from '../../base/session.tsx';
import { Changes } from '../../resource/detail/Changes.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { exactMoment } from '../../resource/list/table/columns.tsx';
import type { RowAction } from '../../resource/list/table/RowActions.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { cacheKey } from '../../resource/source.ts';
import { Clipped } from '../Clipped.tsx';
import { words } from './words.ts';

type Lost = Row<typeof lostChange>;

const DAYS = 30;
const OPEN_FIRST = { order: 'is_settled,datetime' };
// A lost change has no detail page.
const nowhere = () => undefined;

const settle = (ids: readonly string[], note: string) =>
  api.post(`${lostChange.path}/settled/`, { ids, note }, { quiet: true });

/** Sends the request of a lost change. Returns what became of it, for the note. */
async function send({ method, path, body }: NonNullable<Lost['request']>): Promise<string> {
  try {
    if (method === 'POST') await api.post(path, body, { quiet: true });
    else if (method === 'PATCH') await api.patch(path, body, { quiet: true });
    else if (method === 'PUT') await api.put(path, body, { quiet: true });
    else await api.delete(path, { quiet: true });
    return t(words.madeAgain);
  } catch (error) {
    if (error instanceof ApiError && error.code === PROPOSED) return t(words.proposed);
    throw error;
  }
}

/** Returns the actions on lost changes, each after a question. */
function useLostActions() {
  const client = useQueryClient();
  const reload = async () => {
    await client.invalidateQueries({ queryKey: cacheKey(lostChange) });
    await client.invalidateQueries({ queryKey: ['attention'] });
  };
  return {
    again({ id, request, action_display: action, resource }: Lost) {
      if (!request) return;
      const without = request.without.join(', ');
      askFirst({
        message: [
          t(words.againQuestion, { action, resource }),
          ...(without === '' ? [] : [t(words.without, { fields: without })]),
        ].join(' '),
        confirm: t(words.again),
        run: async () => {
          await settle([id], await send(request));
          await reload();
        },
        success: t(words.settled),
        failure: t(words.notMade),
      });
    },
    settle(ids: readonly string[], done?: () => void) {
      askFirst({
        message: t(words.settleQuestion, { count: ids.length }),
        confirm: t(words.settle),
        note: {
          label: t(words.note),
          hint: t(words.noteHint),
          max: MOST_LOST_NOTE,
          isRequired: true,
        },
        run: async (note) => {
          await settle(ids, note);
          done?.();
          await reload();
        },
        success: t(words.settled),
        failure: t(words.notSettled),
      });
    },
  };
}

/** Confirmed changes that a failover of the database took away, until they are settled. */
export function LostChanges() {
  const actions = useLostActions();
  const { role } = useSession();
  const decides = allows(role.current, Permission.ADMIN);
  return (
    <>
      <PageHeader />
      <ResourceList<Lost>
        source={lostChange}
        link={nowhere}
        columns={[
          { name: 'user', width: 160, essential: true },
          { name: 'action', width: 100 },
          { name: 'resource_type', width: 140 },
          { name: 'resource', essential: true },
          { name: 'datetime', cell: exactMoment('datetime') },
          {
            name: 'is_settled',
            cell: ({ is_settled: isSettled, settled_by: by, note }) =>
              isSettled ? <Clipped title={`${by}: ${note}`} min={120} /> : t(words.open),
          },
        ]}
        days={DAYS}
        base={OPEN_FIRST}
        emptyTitle={t(words.none)}
        emptyHint={t(words.noneHint)}
        expand={(row) => <Changes entry={row} />}
        extraActions={(row): RowAction[] =>
          row.is_settled || !decides
            ? []
            : [
                {
                  key: 'again',
                  label: t(words.again),
                  refusal: row.request === null ? t(words.notAgain) : undefined,
                  run: () => actions.again(row),
                },
                { key: 'settle', label: t(words.settle), run: () => actions.settle([row.id]) },
              ]
        }
        {...(decides && {
          bulkActions: (rows: readonly Lost[], done: () => void) => {
            const open = rows.filter(({ is_settled: isSettled }) => !isSettled);
            return [
              {
                key: 'settle',
                label: t(words.settleSelected),
                disabled: open.length === 0,
                run: () =>
                  actions.settle(
                    open.map(({ id }) => id),
                    done,
                  ),
              },
            ];
          },
        })}
      />
    </>
  );
}
