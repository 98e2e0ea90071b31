import type { Profile } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../kit/api.ts';

/** Returns the signed-in user. */
export function useProfile() {
  return useQuery({
    queryKey: ['profile'],
    queryFn: ({ signal }) => api.get<Profile>('users/profile/', { signal, quiet: true }),
    staleTime: 60_000,
  });
}
