import type { PublicSettings } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../kit/api.ts';

/** The rules for new passwords; absent until they are known, and when they cannot be read: the server checks them anyway. */
export function usePasswordRule(): PublicSettings['PASSWORD_RULE'] | undefined {
  const query = useQuery({
    queryKey: ['public-settings'],
    queryFn: ({ signal }) => api.get<{ data: PublicSettings }>('settings/public/', { signal, quiet: true }),
  });
  return query.data?.data.PASSWORD_RULE;
}
