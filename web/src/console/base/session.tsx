import type { Profile, PublicSettings } from '@sallyport/contract';
import { createContext, useContext } from 'react';
import type { Organization } from '../../kit/organization.ts';
import type { RoleChoice } from './role.ts';
import type { Screen } from './screen.ts';

/** Everything the console knows about who is here, as the guard found it at the start of the page. */
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

/** Who is here, in which organization and role, and what they may see. */
export function useSession(): ConsoleSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession was called outside of the session provider');
  return session;
}
