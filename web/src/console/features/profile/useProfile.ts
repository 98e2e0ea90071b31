import type { Profile } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { useSession } from '../../base/session.tsx';

export const PROFILE_URL = 'users/profile/';
export const PROFILE_KEY = ['profile'];

/** The own account, kept up to date. */
export function useProfile(): Profile {
  const { profile } = useSession();
  const query = useQuery({
    queryKey: PROFILE_KEY,
    queryFn: ({ signal }) => api.get<Profile>(PROFILE_URL, { signal }),
    initialData: profile,
  });
  return query.data;
}
