import { api } from '../../../../kit/api.ts';
import { useShowJob } from './useShowJob.ts';

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
