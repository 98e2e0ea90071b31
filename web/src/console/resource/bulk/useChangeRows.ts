import { useQueryClient } from '@tanstack/react-query';
import { t } from '../../../kit/i18n/index.ts';
import type { RowAction } from '../list/table/RowActions.tsx';
import type { Source } from '../source.ts';
import { type Switched, switchRows } from './change-rows.ts';
import { words } from './words.ts';

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
