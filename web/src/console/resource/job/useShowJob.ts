import { api } from '../../../kit/api.ts';
import { useGo } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';

const PAGES = pagesOf('job');

/** Opens the page of the job in a server response. */
export function useShowJob(): (answer: { readonly task: string }) => Promise<void> {
  const go = useGo();
  return async ({ task }) => void (await go(PAGES.detail(task)));
}

/** Starts a job on assets and opens its page, which shows the result of each asset. */
export function useAssetTask(): {
  readonly start: (
    place: 'assets' | 'nodes',
    id: string,
    action: 'test' | 'refresh',
  ) => Promise<void>;
} {
  const show = useShowJob();
  return {
    start: async (place, id, action) =>
      void (await show(await api.post(`assets/${place}/${id}/tasks/`, { action }))),
  };
}

/** Starts a job and opens its page, which shows the result of each asset. */
export function useExecute(): (
  path: string,
  body: Readonly<Record<string, string>>,
) => Promise<void> {
  const show = useShowJob();
  return async (path, body) => show(await api.post<{ task: string }>(path, body));
}
