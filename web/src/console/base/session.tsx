import type { Profile, PublicSettings } from '@sallyport/contract';
import { createContext, useContext } from 'react';
import type { Organization } from '../../kit/organization.ts';
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
}

const SessionContext = createContext<ConsoleSession | undefined>(undefined);

export const SessionProvider = SessionContext.Provider;

/** @throws Error outside of the session provider */
export function useSession(): ConsoleSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession was called outside of the session provider');
  return session;
}
