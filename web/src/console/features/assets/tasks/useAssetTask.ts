import { api } from '../../../../kit/api.ts';
import { useGo } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';

const PAGES = pagesOf('job');

/** Starts work on servers and opens the page of its job, which shows what becomes of each asset. */
export function useAssetTask(): {
  readonly start: (place: 'assets' | 'nodes', id: string, action: 'test' | 'refresh') => Promise<void>;
  /** Tests the assets of an admin user. */
  readonly testAdminUser: (id: string) => Promise<void>;
} {
  const go = useGo();
  const show = ({ task }: { readonly task: string }) => go(PAGES.detail(task));
  return {
    start: async (place, id, action) => void (await show(await api.post(`assets/${place}/${id}/tasks/`, { action }))),
    testAdminUser: async (id) => void (await show(await api.get(`assets/admin-users/${id}/connective/`))),
  };
}
