import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { plannedFor } from '../../../kit/consequences/useConsequences.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import type { RowAction } from '../list/table/RowActions.tsx';
import { cacheKey, listUrl, type Source } from '../source.ts';
import { words } from './words.ts';

/** A row that can be disabled. */
interface Switched {
  readonly id: string;
  readonly is_active: boolean;
}

/**
 * Disables or activates all given rows or none, with an undo for ten seconds. Asks for confirmation
 * before disabling.
 */
async function switchRows(
  source: Source,
  client: QueryClient,
  rows: readonly Switched[],
  isActive: boolean,
): Promise<void> {
  async function write(rows: readonly Switched[], isActive: boolean, quiet: boolean) {
    try {
      await api.patch(
        listUrl(source),
        rows.map(({ id }) => ({ id, is_active: isActive })),
        { quiet },
      );
    } finally {
      // After a rejection the list shows the stored values.
      await client.invalidateQueries({ queryKey: cacheKey(source) });
    }
  }

  /** Sends only rows that change, so undo leaves rows alone that already had the new state. */
  async function change(rows: readonly Switched[], isActive: boolean, quiet: boolean) {
    const changing = rows.filter((row) => row.is_active !== isActive);
    if (changing.length > 0) await write(changing, isActive, quiet);
    toast.undo(t(common.updateSuccess), () =>
      changing.length > 0 ? write(changing, !isActive, false) : Promise.resolve(),
    );
  }

  function askToDisable(rows: readonly Switched[]) {
    const consequences = plannedFor(
      source,
      'disable',
      rows.map(({ id }) => id),
    );
    askFirst({
      message: t(words.disableQuestion, { count: rows.length }),
      confirm: t(words.disableSelected),
      danger: true,
      ...(consequences && { consequences }),
      run: () => change(rows, false, true),
    });
  }

  if (isActive) await change(rows, true, false);
  else askToDisable(rows);
}

/** Returns the actions that disable or activate the selected rows of a source with `is_active`. */
export function useActivation(
  source: Source,
): (rows: readonly Switched[]) => readonly [disable: RowAction, activate: RowAction] {
  const client = useQueryClient();
  const run = (rows: readonly Switched[], isActive: boolean) => () =>
    // The request layer has reported the failure to the user.
    void switchRows(source, client, rows, isActive).catch(() => undefined);
  return (rows) => [
    { key: 'disable', label: t(words.disableSelected), run: run(rows, false) },
    { key: 'activate', label: t(words.activateSelected), run: run(rows, true) },
  ];
}
