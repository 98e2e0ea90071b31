import type { CommandHostState, CommandHosts, commandExecution, Row } from '@sallyport/contract';
import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../../kit/api.ts';
import { useJob } from '../../resource/job/useJob.ts';

export type Execution = Row<typeof commandExecution>;

export const PATH = 'ops/command-executions/';
const ROWS = 100;
/** Hosts that print are read again this often. */
export const LIVE_MILLISECONDS = 1_000;

/** A batch command and its progress, read again with every news of its job. */
export function useExecution(id: string | undefined) {
  const client = useQueryClient();
  const { job } = useJob(id);
  const { data } = useQuery({
    queryKey: ['execution', id],
    queryFn: () => api.get<Execution>(`${PATH}${id}/`, { query: { 'fields!': 'result,hosts' } }),
    enabled: id !== undefined,
    placeholderData: keepPreviousData,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of them is news
  useEffect(() => {
    if (id !== undefined && job) void client.invalidateQueries({ queryKey: ['execution', id] });
  }, [id, job?.state, job?.done]);
  return data?.id === id ? data : undefined;
}

/** The hosts of a batch command with a state, page after page. `isLive`: it runs, and what its hosts print is shown as it comes. */
export function useHosts(id: string, state: CommandHostState | undefined, isLive: boolean) {
  return useInfiniteQuery({
    queryKey: ['execution', id, 'hosts', state ?? ''],
    queryFn: ({ pageParam: offset }) =>
      api.get<CommandHosts>(`${PATH}${id}/hosts/`, { query: { state, offset, limit: ROWS } }),
    initialPageParam: 0,
    getNextPageParam: ({ count }: CommandHosts, _, offset) =>
      offset + ROWS < count ? offset + ROWS : undefined,
    placeholderData: keepPreviousData,
    refetchInterval: isLive && LIVE_MILLISECONDS,
  });
}

/** All hosts of a batch command with a state. */
export async function hostsWith(id: string, state: CommandHostState) {
  const { results, count } = await api.get<CommandHosts>(`${PATH}${id}/hosts/`, {
    query: { state, limit: 500 },
  });
  const found = [...results];
  for (let offset = 500; offset < count; offset += 500)
    found.push(
      ...(
        await api.get<CommandHosts>(`${PATH}${id}/hosts/`, { query: { state, limit: 500, offset } })
      ).results,
    );
  return found.map(({ asset, hostname, ip }) => ({ id: asset, hostname, ip }));
}
