import type { Profile } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../kit/api.ts';
import type { Organization } from '../../kit/cookies.ts';
import { useSession } from '../base/session.tsx';
import { cacheKey } from '../resource/source.ts';

/** Organizations of the user: from the guard, then refetched after an organization changes. */
export function useOrganizations(): readonly Organization[] {
  const { organizations } = useSession();
  const { data } = useQuery({
    queryKey: [...cacheKey({ path: 'orgs/orgs' }), 'mine'],
    queryFn: async ({ signal }) =>
      (await api.get<Profile>('users/profile/', { signal, quiet: true })).admin_or_audit_orgs,
    initialData: organizations,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}
