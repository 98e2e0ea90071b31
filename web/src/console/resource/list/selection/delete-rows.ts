import type { QueryClient } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { plannedFor } from '../../../../kit/consequences/useConsequences.ts';
import { askFirst, askToDelete } from '../../../../kit/dialogs/confirm.ts';
import { common, t } from '../../../../kit/i18n/index.ts';
import { cacheKey, listUrl, nameIn, nameSet, objectUrl, type Source } from '../../source.ts';
import { countOf } from '../empty-title.ts';
import { words } from '../words.ts';

/** Asks for confirmation, then deletes one row. */
export function deleteOne<T extends { readonly id: string }>(
  source: Source,
  client: QueryClient,
  row: T,
): void {
  askToDelete(
    nameIn(source, row),
    async () => {
      await api.delete(objectUrl(source, row.id), { quiet: true });
      await client.invalidateQueries({ queryKey: cacheKey(source) });
    },
    plannedFor(source, 'delete', [row.id]),
  );
}

/** Asks for confirmation, then deletes all given rows or none (conformance 7.23). */
export function deleteSelected<T extends { readonly id: string }>(
  source: Source,
  client: QueryClient,
  rows: readonly T[],
  done: () => void,
): void {
  const ids = rows.map(({ id }) => id);
  const consequences = plannedFor(source, 'delete', ids);
  askFirst({
    ...(consequences && { consequences }),
    message: `${t(common.deleteQuestion)} ${t(words.rows, { count: rows.length })} ?`,
    confirm: t(words.deleteMany, { objects: countOf(source, rows.length) }),
    danger: true,
    run: async () => {
      await api.delete(listUrl(source), { query: { spm: await nameSet(ids) }, quiet: true });
      await client.invalidateQueries({ queryKey: cacheKey(source) });
      done();
    },
    success: t(words.bulkDeleteSuccess),
    failure: t(words.bulkDeleteFailed),
  });
}
