import type { Row, session } from '@sallyport/contract';
import { allows, Permission, permissionsOf } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../kit/api.ts';
import { useProfile } from '../useProfile.ts';

export type SessionRow = Row<typeof session>;

/** The record of a session. */
export function useSession(id: string) {
  return useQuery({
    queryKey: ['session', id],
    queryFn: ({ signal }) =>
      api.get<SessionRow>(`terminal/sessions/${id}/`, { signal, quiet: true }),
  });
}

/** Returns true if the user administers this organization and may terminate sessions. */
export function useMayTerminate(): boolean {
  const { data } = useProfile();
  return (
    data !== undefined &&
    allows(
      permissionsOf({ role: data.role, organizationRoles: data.current_org_roles }),
      Permission.ADMIN,
    )
  );
}
