import type { LdapUser, Page } from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, api } from '../../../../kit/api.ts';
import { type JobModel, useJob } from '../../../resource/job/useJob.ts';

export const PEOPLE_KEY = ['ldap-users'];

export interface PeopleQuery {
  readonly search: string;
  readonly order: string;
  readonly page: number;
  readonly size: number;
}

/** The id of the job that reads the directory, if the server answers 409. */
function readerOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.status !== 409) return undefined;
  const { job } = error.body as { readonly job?: unknown };
  return typeof job === 'string' ? job : undefined;
}

/**
 * Lists users of the directory, page by page. While the server reads the directory, `reader`
 * reports progress; the page is refetched when it finishes.
 */
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
    gcTime: 0,
  });
  const { refetch } = query;
  const reader: JobModel = useJob(readerOf(query.error));
  const isOver = reader.isOver || reader.problem !== '';
  useEffect(() => {
    if (isOver) void refetch();
  }, [isOver, refetch]);
  return {
    ...query,
    reader,
    isReading: query.error instanceof ApiError && query.error.status === 409,
  };
}
