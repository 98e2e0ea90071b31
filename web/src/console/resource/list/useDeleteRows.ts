import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst, askToDelete } from '../../../kit/confirm.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { nameSet } from '../../../kit/resource-set.ts';
import { plannedFor } from '../consequences.ts';
import { cacheKey, listUrl, objectUrl, type Source, textOf } from '../source.ts';
import { words } from './words.ts';

/** Deleting one row or all selected ones, each after one question and with one result. */
export function useDeleteRows<T extends { readonly id: string }>(source: Source) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: cacheKey(source) });

  /** All of them or none (conformance 7.23). */
  async function deleteAll(rows: readonly T[]): Promise<void> {
    const spm = await nameSet(rows.map(({ id }) => id));
    await api.delete(listUrl(source), { query: { spm }, quiet: true });
    await refresh();
  }

  return {
    deleteOne: (row: T) =>
      askToDelete(
        textOf(row, source.labelField),
        async () => {
          await api.delete(objectUrl(source, row.id), { quiet: true });
          await refresh();
        },
        plannedFor(source, 'delete', [row.id]),
      ),
    deleteSelected: (rows: readonly T[], done: () => void) => {
      const ids = rows.map(({ id }) => id);
      const consequences = plannedFor(source, 'delete', ids);
      askFirst({
        ...(consequences && { consequences }),
        message: `${t(common.deleteQuestion)} ${t(words.rows, { count: rows.length })} ?`,
        confirm: t(common.delete),
        danger: true,
        run: () => deleteAll(rows).then(done),
        success: t(words.bulkDeleteSuccess),
        failure: t(words.bulkDeleteFailed),
      });
    },
  };
}
