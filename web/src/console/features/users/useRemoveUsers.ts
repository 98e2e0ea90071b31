import { type Row, user } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import type { RowAction } from '../../resource/list/table/RowActions.tsx';
import { refusalToDelete } from '../../resource/list/table/row-actions.ts';
import { cacheKey, listUrl, nameSet, objectUrl } from '../../resource/source.ts';
import { words } from './words.ts';

type User = Row<typeof user>;

/** Removes users from the current organization; their accounts remain. */
export function useRemoveUsers() {
  const client = useQueryClient();
  const ask = (what: string, ids: readonly string[], run: () => Promise<unknown>) =>
    askFirst({
      consequences: { action: 'delete', resource: 'user', ids },
      message: `${t(words.removeQuestion)} ${what} ?`,
      confirm: t(common.remove),
      danger: true,
      success: t(common.removeSuccess),
      failure: t(words.removeFailed),
      run: async () => {
        await run();
        await client.invalidateQueries({ queryKey: cacheKey(user) });
      },
    });
  return {
    one: (row: User): RowAction => ({
      key: 'remove',
      label: t(common.remove),
      danger: true,
      ...(!row.can_delete && { refusal: t(words.reasonOnPage) }),
      run: () =>
        ask(`"${row.name}"`, [row.id], () => api.delete(objectUrl(user, row.id), { quiet: true })),
    }),
    selected: (rows: readonly User[], done: () => void): RowAction => ({
      key: 'remove',
      label: t(words.removeSelected),
      danger: true,
      refusal: refusalToDelete(
        rows,
        ({ can_delete }) => can_delete || t(words.reasonOnPage),
        ({ name }) => name,
      ),
      run: () => {
        const ids = rows.map(({ id }) => id);
        ask(t(words.rows, { count: rows.length }), ids, async () => {
          const spm = await nameSet(ids);
          await api.delete(listUrl(user), { query: { spm }, quiet: true });
          done();
        });
      },
    }),
  };
}
