import type { Viewer } from './people.ts';
import type { NewSession } from './records.ts';

/** The reviewers of permissions that ask for a second person. */
export interface SecondPersons {
  /** Returns the name of a viewer who may be the second person of a session now. */
  find(
    viewer: Viewer,
    session: NewSession,
    ruleIds: readonly string[],
  ): Promise<string | undefined>;
  /** Returns true if any user may be the second person of a session. */
  hasAny(session: Pick<NewSession, 'person' | 'grant'>): Promise<boolean>;
  /** Tells the reviewers that a session waits, at most once a minute. */
  tell(session: NewSession, ruleIds: readonly string[]): Promise<void>;
}
