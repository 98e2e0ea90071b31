import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { toast } from '../../../kit/toast.tsx';
import type { RowAction } from '../list/RowActions.tsx';
import { cacheKey, listUrl, type Source } from '../source.ts';
import { bulkBody } from './bulk-errors.ts';
import { words } from './words.ts';

interface Identified {
  readonly id: string;
}

/** Changes the same fields of several rows, all or none, and says so. */
export function useChangeRows(source: Source): (rows: readonly Identified[], changes: Readonly<Record<string, unknown>>) => Promise<void> {
  const client = useQueryClient();
  return async (rows, changes) => {
    try {
      await api.patch(listUrl(source), bulkBody(rows, changes));
      toast.success(t(common.updateSuccess));
    } catch {
      // The request layer has shown the message; the list shows what is stored.
    }
    await client.invalidateQueries({ queryKey: cacheKey(source) });
  };
}

/** Disabling and activating the selected rows of a source that has `is_active`. */
export function useActivation(source: Source): (rows: readonly Identified[]) => RowAction[] {
  const change = useChangeRows(source);
  return (rows) => [
    { key: 'disable', label: t(words.disableSelected), run: () => void change(rows, { is_active: false }) },
    { key: 'activate', label: t(words.activateSelected), run: () => void change(rows, { is_active: true }) },
  ];
}
