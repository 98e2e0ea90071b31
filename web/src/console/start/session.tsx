import { createContext, useContext } from 'react';
import type { ConsoleSession } from './guard.ts';

const SessionContext = createContext<ConsoleSession | undefined>(undefined);

export const SessionProvider = SessionContext.Provider;

/** Who is here, in which organization and role, and what they may see. */
export function useSession(): ConsoleSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession stands outside of the guard');
  return session;
}
