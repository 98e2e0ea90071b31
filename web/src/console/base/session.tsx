import type { Profile, PublicSettings } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { api } from '../../kit/api.ts';
import type { Organization } from '../../kit/cookies.ts';
import type { Parts } from './parts.ts';
import type { RoleChoice } from './role.ts';
import type { Screen } from './screen.ts';

/**
 * The signed-in user with organization, role and screens, as determined by the guard at page load.
 */
export interface ConsoleSession {
  readonly profile: Profile;
  readonly organizations: readonly Organization[];
  readonly organization: Organization | undefined;
  readonly role: RoleChoice;
  readonly settings: PublicSettings;
  readonly screens: readonly Screen[];
  /** Components of the features that are on. */
  readonly parts: readonly Parts[];
}

const SessionContext = createContext<ConsoleSession | undefined>(undefined);

export const SessionProvider = SessionContext.Provider;

/** @throws Error outside of the session provider */
export function useSession(): ConsoleSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession was called outside of the session provider');
  return session;
}

/** Version of the program and, for readers who may know it, its commit. */
export const releaseName = ({
  PRODUCT_VERSION: version,
  PRODUCT_COMMIT: commit,
}: Pick<PublicSettings, 'PRODUCT_VERSION' | 'PRODUCT_COMMIT'>): string =>
  commit ? `${version} (${commit})` : version;

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
