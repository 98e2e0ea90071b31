import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { toast } from '../../../kit/toast.tsx';
import { cacheKey, objectUrl, type Source } from '../source.ts';

export interface ResourceDetailModel<T> {
  readonly object: T | undefined;
  readonly error: Error | null;
  readonly loading: boolean;
  readonly refresh: () => Promise<void>;
  /** Deletes it. What was read of the others is read again; of itself nothing is, for its page may still be drawn for a moment. */
  readonly remove: (leave: () => Promise<unknown>) => Promise<void>;
  /** Changes some fields, says so, and shows what is stored now. */
  readonly change: (part: Readonly<Record<string, unknown>>) => Promise<void>;
}

/** Reads one object and changes parts of it. Draws nothing. */
export function useResourceDetail<T>(source: Source, id: string, refetchEvery?: number): ResourceDetailModel<T> {
  const client = useQueryClient();
  const url = objectUrl(source, id);
  const query = useQuery({
    queryKey: [...cacheKey(source), 'detail', id],
    queryFn: ({ signal }) => api.get<T>(url, { signal, quiet: true }),
    ...(refetchEvery && { refetchInterval: refetchEvery }),
  });
  const refresh = () => client.invalidateQueries({ queryKey: cacheKey(source) });
  return {
    object: query.data,
    error: query.error,
    loading: query.isPending,
    refresh,
    remove: async (leave) => {
      await api.delete(url, { quiet: true });
      await leave();
      await client.invalidateQueries({ queryKey: cacheKey(source), predicate: ({ queryKey }) => !queryKey.includes(id) });
    },
    change: async (part) => {
      await api.patch(url, part);
      await refresh();
      toast.success(t(common.updateSuccess));
    },
  };
}
