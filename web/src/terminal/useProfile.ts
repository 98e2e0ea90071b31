import {
  allows,
  Permission,
  type Profile,
  permissionsOf,
  type Row,
  type session,
} from '@sallyport/contract';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../kit/api.ts';
import type { ThemeChoice } from '../kit/page/ThemeSwitch.tsx';
import { setWatermark } from '../kit/watermark/watermark.ts';

const PROFILE = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => api.get<Profile>('users/profile/', { signal, quiet: true }),
  staleTime: 60_000,
});

/** Returns the signed-in user. */
export function useProfile() {
  return useQuery(PROFILE);
}

/** Sets the watermark of the signed-in user, before the page shows any content. */
export async function loadWatermark(client: QueryClient): Promise<void> {
  try {
    setWatermark((await client.fetchQuery(PROFILE)).watermark);
  } catch {
    // Without a sign-in the page shows no content either, and reports why.
  }
}

/**
 * Remembers the chosen appearance with the person's other preferences; the browser remembers it by
 * itself.
 */
export function rememberTheme(theme: ThemeChoice): void {
  // Failing costs only that another browser does not know of the choice.
  api.patch('users/preferences/', { theme }, { quiet: true }).catch(() => undefined);
}

/** Interval between reads of a live session. */
const LIVE_MS = 5_000;

export type SessionRow = Row<typeof session>;

/** The record of a session; of a live one, read again every few seconds. */
export function useSession(id: string, isLive = false) {
  return useQuery({
    queryKey: ['session', id],
    queryFn: ({ signal }) =>
      api.get<SessionRow>(`terminal/sessions/${id}/`, { signal, quiet: true }),
    refetchInterval: ({ state }) => (isLive && state.data?.is_finished === false ? LIVE_MS : false),
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
