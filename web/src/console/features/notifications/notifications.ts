import { CHANGE_SET, type notification, type Page, type Row } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { findSummary, pagesOf, summaryNamed } from '../../base/resources.ts';
import { cacheKey, listUrl } from '../../resource/source.ts';

export type News = Row<typeof notification>;

/** Where the notifications of the user are read. */
export const SOURCE = summaryNamed('notification');
/** The page of all notifications. */
export const NOTIFICATIONS = '/users/notifications';
/** The page of alerts; a single alert has no page. */
const ALERTS = '/audits/alert';
/** Notifications that the panel shows. */
const LATEST = 20;

/** The newest notifications; the live channel keeps them current. */
export function useLatest() {
  return useQuery({
    queryKey: [...cacheKey(SOURCE), 'latest'],
    queryFn: ({ signal }) =>
      api.get<Page<News>>(listUrl(SOURCE), {
        query: { limit: LATEST },
        signal,
        quiet: true,
      }),
  });
}

/** Marks notifications as read; without ids, all. */
export function useMarkRead(): (ids?: readonly string[]) => Promise<void> {
  const client = useQueryClient();
  return async (ids) => {
    await api.post(`${SOURCE.path}/read/`, ids ? { ids } : {}, { quiet: true });
    await client.invalidateQueries({ queryKey: cacheKey(SOURCE) });
  };
}

/** The page of the object, or undefined for an unknown kind of object. */
export const pageOf = ({ kind, resource, resource_id: id }: News): string | undefined => {
  if (kind === 'own_new_network') return '/users/profile';
  if (resource === 'alert') return ALERTS;
  if (resource === CHANGE_SET.name) return `/${CHANGE_SET.path}/${id}`;
  return findSummary(resource) ? pagesOf(resource).detail(id) : undefined;
};
