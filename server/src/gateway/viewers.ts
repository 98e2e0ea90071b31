import type { Problem } from '@sallyport/contract';
import { problemOf } from './refusal.ts';
import type { Watcher } from './sessions/session-client.ts';

/** Why somebody has to leave where their right could not be confirmed. */
const unconfirmed = ({ code }: Problem): Problem => ({
  code: code === 'internal' ? 'session_database_away' : 'session_watch_ended',
});

/** Somebody who sees a session that is not theirs. */
export interface Viewing {
  /** The sign-in that it hangs on. */
  readonly loginId: string;
  readonly watcher: Watcher;
  /** Why it has to end at this moment, if it has to. */
  readonly check: () => Promise<Problem | undefined>;
  /** What remains of it goes away; called once. `problem` says why, unless they left by themselves. */
  readonly stop: (problem?: Problem) => void;
}

/** The users who watch sessions of this process, and the guests in them. Like a session, their stay ends when the sign-in or the permission behind it does. */
export class Viewers {
  private readonly all = new Set<Viewing>();

  /** Adds a viewer; returns how to leave and how to check at once. */
  add(viewing: Viewing): { readonly leave: () => void; readonly check: () => Promise<void> } {
    this.all.add(viewing);
    // What was checked before the socket opened may have changed since.
    void this.check(viewing);
    return { leave: () => this.leave(viewing), check: () => this.check(viewing) };
  }

  /** Ends what a sign-in was watching. */
  signOut(loginId: string): void {
    for (const viewing of this.all)
      if (viewing.loginId === loginId) this.end(viewing, { code: 'session_signed_out' });
  }

  /** Checks all of them again. */
  async recheck(): Promise<void> {
    await Promise.all([...this.all].map((viewing) => this.check(viewing)));
  }

  private async check(viewing: Viewing): Promise<void> {
    if (!this.all.has(viewing)) return;
    // A right that cannot be confirmed is no right.
    const problem = await viewing
      .check()
      .catch((error: unknown): Problem => unconfirmed(problemOf(error)));
    if (problem) this.end(viewing, problem);
  }

  private end(viewing: Viewing, problem: Problem): void {
    if (!this.all.has(viewing)) return;
    this.leave(viewing, problem);
    viewing.watcher.closed(problem);
  }

  private leave(viewing: Viewing, problem?: Problem): void {
    if (!this.all.delete(viewing)) return;
    viewing.stop(problem);
  }
}
