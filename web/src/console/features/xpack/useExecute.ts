import { api } from '../../../kit/api.ts';
import { useGo } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';

const JOBS = pagesOf('job');

/** Starts a job and opens its page, which shows the result of each asset. */
export function useExecute(): (
  path: string,
  body: Readonly<Record<string, string>>,
) => Promise<void> {
  const go = useGo();
  return async (path, body) => {
    const { task } = await api.post<{ task: string }>(path, body);
    await go(JOBS.detail(task));
  };
}
