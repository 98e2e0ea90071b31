import { api } from '../../../../kit/api.ts';
import { useShowJob } from '../tasks/useShowJob.ts';

/** Starts work with the accounts of assets and opens the page of its job. */
export function useAccountTask(): {
  /** Tests the assets of an admin user. */
  readonly testAdminUser: (id: string) => Promise<void>;
  /** Makes the accounts of a system user on its assets, on one of them, or again where it failed. */
  readonly pushSystemUser: (
    id: string,
    which?: { readonly asset: string; readonly username: string } | 'failed',
  ) => Promise<void>;
  /** Says what a push would change on each server, and changes nothing. */
  readonly checkPush: (id: string) => Promise<void>;
  /** Signs in with a system user on its assets, or on one of them. */
  readonly testSystemUser: (id: string, asset?: string) => Promise<void>;
} {
  const show = useShowJob();
  return {
    testAdminUser: async (id) => show(await api.get(`assets/admin-users/${id}/connective/`)),
    async pushSystemUser(id, which) {
      const named =
        typeof which === 'object' ? `?${new URLSearchParams({ username: which.username })}` : '';
      const body =
        which === 'failed'
          ? { action: 'push_failed' }
          : { action: 'push', ...(which && { asset: which.asset }) };
      await show(await api.post(`assets/system-users/${id}/tasks/${named}`, body));
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
