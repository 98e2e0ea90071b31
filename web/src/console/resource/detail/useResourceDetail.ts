import { DETAIL_TITLE_MAX } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { plannedFor } from '../../../kit/consequences/useConsequences.ts';
import { confirmed } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { reportDeleted } from '../deleted/restore.ts';
import { cacheKey, objectUrl, type Source } from '../source.ts';
import { words } from './words.ts';

export interface ResourceDetailModel<T> {
  readonly object: T | undefined;
  readonly error: Error | null;
  readonly loading: boolean;
  readonly refresh: () => Promise<void>;
  /**
   * Deletes the object and invalidates the queries of the others. The object itself is not read
   * again, because its page may still be drawn for a moment.
   */
  readonly remove: (leave: () => Promise<unknown>) => Promise<void>;
  /** Changes some fields, shows a success message and reads the object again. */
  readonly change: (part: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Switches a flag, with an undo for ten seconds. */
  readonly flip: (flag: string, on: boolean) => Promise<void>;
  /** Switches `is_active`; shows the consequences before disabling. */
  readonly activate: (name: string, on: boolean) => Promise<void>;
}

/** Reads one object and changes parts of it. Draws nothing. */
export function useResourceDetail<T>(
  source: Source,
  id: string,
  refetchEvery?: number,
): ResourceDetailModel<T> {
  const client = useQueryClient();
  const url = objectUrl(source, id);
  // The page may still be drawn when the server announces the deletion.
  const [isGoing, setGoing] = useState(false);
  const query = useQuery({
    enabled: !isGoing,
    queryKey: [...cacheKey(source), 'detail', id],
    queryFn: ({ signal }) => api.get<T>(url, { signal, quiet: true }),
    ...(refetchEvery && { refetchInterval: refetchEvery }),
  });
  const refresh = () => client.invalidateQueries({ queryKey: cacheKey(source) });
  const write = async (part: Readonly<Record<string, unknown>>, quiet = false) => {
    await api.patch(url, part, { quiet });
    await refresh();
  };
  const undoable = (flag: string, on: boolean) =>
    toast.undo(t(common.updateSuccess), () => write({ [flag]: !on }));
  return {
    object: query.data,
    error: query.error,
    loading: query.isPending,
    refresh,
    remove: async (leave) => {
      setGoing(true);
      try {
        await api.delete(url, { quiet: true });
      } catch (error) {
        setGoing(false);
        throw error;
      }
      await leave();
      await client.invalidateQueries({
        queryKey: cacheKey(source),
        predicate: ({ queryKey }) => !queryKey.includes(id),
      });
      await reportDeleted(source, [id], {
        message: t(common.deleteSuccess),
        restored: refresh,
      });
    },
    change: async (part) => {
      await write(part);
      toast.success(t(common.updateSuccess));
    },
    flip: async (flag, on) => {
      await write({ [flag]: on });
      undoable(flag, on);
    },
    activate: async (name, on) => {
      if (on) await write({ is_active: true });
      else {
        const consequences = plannedFor(source, 'disable', [id]);
        await confirmed({
          message: t(words.disableQuestion, { name }),
          confirm: t(words.disable),
          danger: true,
          ...(consequences && { consequences }),
          run: () => write({ is_active: false }, true),
        });
      }
      undoable('is_active', on);
    },
  };
}

/**
 * Builds the title of a detail page: the screen title without "Detail" and the object name, cut at
 * eighty characters (conformance 2.79).
 */
export function detailTitle(screen: string, name: string): string {
  const what = screen.replace(/\s*detail/i, '').replace('详情', '');
  const title = name ? `${what}: ${name}` : what;
  const letters = [...title];
  return letters.length > DETAIL_TITLE_MAX
    ? `${letters.slice(0, DETAIL_TITLE_MAX).join('')}...`
    : title;
}
