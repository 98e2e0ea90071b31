import { api } from '../../../../kit/api.ts';
import { useShowJob } from '../../../resource/job/useShowJob.ts';

/** Starts jobs on the accounts of assets and opens the page of the job. */
export function useAccountTask(): {
  readonly testAdminUser: (id: string) => Promise<void>;
  /**
   * Creates the accounts of a system user on its assets, on one asset, or again where it failed.
   */
  readonly pushSystemUser: (
    id: string,
    which?: { readonly asset: string; readonly username: string } | 'failed',
  ) => Promise<void>;
  /** Dry run: reports the changes of a push on each server without making them. */
  readonly checkPush: (id: string) => Promise<void>;
  /** Signs in as a system user on its assets, or on one asset. */
  readonly testSystemUser: (id: string, asset?: string) => Promise<void>;
} {
  const show = useShowJob();
  return {
    testAdminUser: async (id) => show(await api.get(`assets/admin-users/${id}/connective/`)),
    async pushSystemUser(id, which) {
      const query =
        typeof which === 'object' ? `?${new URLSearchParams({ username: which.username })}` : '';
      const body =
        which === 'failed'
          ? { action: 'push_failed' }
          : { action: 'push', ...(which && { asset: which.asset }) };
      await show(await api.post(`assets/system-users/${id}/tasks/${query}`, body));
    },
    checkPush: async (id) =>
      show(await api.post(`assets/system-users/${id}/tasks/`, { action: 'push_check' })),
    testSystemUser: async (id, asset) =>
      show(
        await api.post(`assets/system-users/${id}/tasks/`, {
          action: 'test',
          ...(asset && { asset }),
        }),
      ),
  };
}
