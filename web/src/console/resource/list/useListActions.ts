import { allows } from '@sallyport/contract';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { plannedFor } from '../../../kit/consequences/useConsequences.ts';
import { askFirst, askToDelete } from '../../../kit/dialogs/confirm.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { useGo, useLoadAhead } from '../../base/navigation.tsx';
import { usePages } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { words as bulkWords } from '../bulk/words.ts';
import { reportDeleted } from '../deleted/restore.ts';
import { LIKE } from '../form/copied.ts';
import { cacheKey, listUrl, nameIn, nameSet, objectUrl, type Source } from '../source.ts';
import type { ImportMode } from '../transfer/import-model.ts';
import { useReadOnly } from '../useReadOnly.ts';
import { countOf } from './empty-title.ts';
import type { ListDialog } from './ListDialogs.tsx';
import type { ResourceListProps } from './resource-list-props.ts';
import type { RowAction } from './table/RowActions.tsx';
import { refusalToDelete, rowActions } from './table/row-actions.ts';
import type { useListPage } from './useListPage.ts';
import { words } from './words.ts';

/** Asks for confirmation, then deletes one row. */
function deleteOne<T extends { readonly id: string }>(
  source: Source,
  client: QueryClient,
  row: T,
): void {
  const refresh = () => client.invalidateQueries({ queryKey: cacheKey(source) });
  askToDelete(
    nameIn(source, row),
    async () => {
      await api.delete(objectUrl(source, row.id), { quiet: true });
      await refresh();
      await reportDeleted(source, [row.id], {
        message: t(common.deleteSuccess),
        restored: refresh,
      });
    },
    plannedFor(source, 'delete', [row.id]),
    { isReported: true },
  );
}

/** Asks for confirmation, then deletes all given rows or none (conformance 7.23). */
function deleteSelected<T extends { readonly id: string }>(
  source: Source,
  client: QueryClient,
  rows: readonly T[],
  done: () => void,
): void {
  const ids = rows.map(({ id }) => id);
  const consequences = plannedFor(source, 'delete', ids);
  const objects = countOf(source, rows.length);
  const refresh = () => client.invalidateQueries({ queryKey: cacheKey(source) });
  askFirst({
    ...(consequences && { consequences }),
    // The list of consequences names them.
    message: t(words.deletes, { objects }),
    confirm: t(words.deleteMany, { objects }),
    danger: true,
    run: async () => {
      await api.delete(listUrl(source), { query: { spm: await nameSet(ids) }, quiet: true });
      await refresh();
      done();
      await reportDeleted(source, ids, {
        message: t(words.bulkDeleteSuccess),
        restored: refresh,
      });
    },
    failure: t(words.bulkDeleteFailed),
  });
}

/**
 * Returns functions that delete one row or all selected rows, with one confirmation and one result
 * message.
 */
function useDeleteRows<T extends { readonly id: string }>(source: Source) {
  const client = useQueryClient();
  return {
    deleteOne: (row: T) => deleteOne(source, client, row),
    deleteSelected: (rows: readonly T[], done: () => void) =>
      deleteSelected(source, client, rows, done),
  };
}

/** The actions that the user has in a list. */
export type ListActions<T extends { readonly id: string }> = ReturnType<typeof useListActions<T>>;

/** Returns the actions of a list: create, import, export, and those of one or several rows. */
export function useListActions<T extends { readonly id: string }>(
  props: ResourceListProps<T>,
  { list, selection }: ReturnType<typeof useListPage<T>>,
  setDialog: (dialog: ListDialog) => void,
) {
  const { source, embedded = false, createSearch, hasDelete = false, extraActions } = props;
  const go = useGo();
  const loadAhead = useLoadAhead();
  const { role } = useSession();
  const pages = usePages(source.name);
  const editable = props.editable ?? !embedded;
  const createPath = editable && (!embedded || createSearch) ? pages.create : undefined;
  const updatePath = editable ? pages.update : undefined;
  const detailPath = pages.detail;
  const may = (needed: number | undefined) =>
    needed !== undefined && allows(role.permissions, needed);
  const modes: readonly ImportMode[] = [
    ...(may(source.access?.create) ? (['create'] as const) : []),
    ...(may(source.access?.update) ? (['update'] as const) : []),
  ];
  const rowsDeletion = useDeleteRows<T>(source);
  const readOnly = useReadOnly(source.access?.update);
  const refused = (actions: RowAction[]): RowAction[] =>
    readOnly === undefined ? actions : actions.map((one) => ({ ...one, refusal: readOnly }));

  const exportable = (props.hasExport ?? !embedded) && source.access !== undefined;
  const hasBulkDelete = props.hasBulkDelete ?? hasDelete !== false;
  const hasBulk =
    hasBulkDelete || props.bulkActions !== undefined || props.bulkUpdate !== undefined;
  const bulkOf = (rows: readonly T[]): RowAction[] =>
    refused([
      ...(props.bulkUpdate
        ? [{ key: 'update', label: t(bulkWords.updateSelected), run: () => setDialog('update') }]
        : []),
      ...(props.bulkActions?.(rows, selection.clear) ?? []),
      ...(hasBulkDelete
        ? [
            {
              key: 'delete',
              label: t(words.deleteSelected),
              danger: true,
              refusal: refusalToDelete(rows, props.canDelete, (row) => nameIn(source, row)),
              run: () => rowsDeletion.deleteSelected(rows, selection.clear),
            },
          ]
        : []),
    ]);

  const handlers = {
    update: (row: T) =>
      updatePath &&
      void go(updatePath(row.id), { ...(props.updateSearch && { search: props.updateSearch }) }),
    ahead: (row: T) => updatePath && loadAhead(updatePath(row.id)),
    remove: rowsDeletion.deleteOne,
    ...(createPath &&
      source.copyWithout && {
        copy: (row: T) => void go(createPath, { search: { [LIKE]: row.id } }),
      }),
  };
  const hasUpdate = updatePath !== undefined || readOnly !== undefined;
  const actionsOf = (row: T): RowAction[] =>
    refused([
      ...rowActions(row, { ...props, hasUpdate }, handlers),
      ...(extraActions?.(row, list.refresh) ?? []),
    ]);

  return {
    createPath,
    /** Reason for refusing every change. */
    readOnly,
    link: props.link ?? (detailPath && ((row: T) => detailPath(row.id))),
    modes,
    exportable,
    hasBulk,
    hasBulkDelete,
    bulkOf,
    actionsOf: hasUpdate || hasDelete !== false || extraActions ? actionsOf : undefined,
  };
}
