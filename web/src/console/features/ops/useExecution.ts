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
/** Poll interval of hosts with running output, in milliseconds. */
export const LIVE_MILLISECONDS = 1_000;

/** Reads a batch command with its progress, again on each event of its job. */
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

/**
 * Pages through the hosts of a batch command with a state. `isLive`: the command runs, so the
 * output is polled.
 */
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

/** Reads all hosts of a batch command with a state. */
export async function hostsWith(id: string, state: CommandHostState) {
  const { results, count } = await api.get<CommandHosts>(`${PATH}${id}/hosts/`, {
    query: { state, limit: 500 },
  });
  const hosts = [...results];
  for (let offset = 500; offset < count; offset += 500)
    hosts.push(
      ...(
        await api.get<CommandHosts>(`${PATH}${id}/hosts/`, { query: { state, limit: 500, offset } })
      ).results,
    );
  return hosts.map(({ asset, hostname, ip }) => ({ id: asset, hostname, ip }));
}
