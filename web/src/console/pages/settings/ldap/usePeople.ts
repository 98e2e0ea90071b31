import type { LdapUser, Page } from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ApiError, api } from '../../../../kit/api.ts';

export const PEOPLE_KEY = ['ldap-users'];
/** While the server reads the directory, this is how often the page asks how far it is. */
const ASK_AGAIN = 2_000;

export interface PeopleQuery {
  readonly search: string;
  readonly order: string;
  readonly page: number;
  readonly size: number;
}

/** Whom the directory lists, a page at a time; asks again for as long as the directory is being read. */
export function usePeople({ search, order, page, size }: PeopleQuery) {
  const query = useQuery({
    queryKey: [...PEOPLE_KEY, search, order, page, size],
    queryFn: ({ signal }) =>
      api.get<Page<LdapUser>>('settings/ldap/users/', {
        query: { cache_police: 1, search, order, limit: size, offset: (page - 1) * size },
        signal,
        quiet: true,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.error instanceof ApiError && state.error.status === 409 ? ASK_AGAIN : false),
    gcTime: 0,
  });
  return { ...query, isReading: query.error instanceof ApiError && query.error.status === 409 };
}
