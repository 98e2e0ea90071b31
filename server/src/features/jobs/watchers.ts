import { allows, Permission } from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import type { Authenticator } from '../../http/route.ts';

/** Maximum sockets of a user, per kind. */
const MAXIMUM_SOCKETS = 20;
/** Maximum age of the last sign-in check when a message is sent. */
const RECHECK_MILLISECONDS = 2_000;
/** Maximum unread bytes of a client. Beyond it, sending pauses. */
export const MAXIMUM_BACKLOG = 256 * 1024;

/** A user who watches jobs over a socket, with repeated sign-in checks. */
export interface Watcher {
  /** The request, with the actor as of the last check. */
  readonly context: () => Context;
  /** Returns true if the user may still watch. Checks again if the last check is old. */
  readonly isAllowed: () => Promise<boolean>;
}

/** Counts the sockets of each user, and repeats their sign-in checks. */
export class Watchers {
  private readonly authenticator: Authenticator;
  private readonly open = new Map<string, number>();

  constructor(authenticator: Authenticator) {
    this.authenticator = authenticator;
  }

  /**
   * Reserves a socket for a user. Returns the function that releases it, or undefined if the user
   * has too many.
   */
  enter(userId: string): (() => void) | undefined {
    const count = (this.open.get(userId) ?? 0) + 1;
    if (count > MAXIMUM_SOCKETS) return undefined;
    this.open.set(userId, count);
    return () => {
      const left = (this.open.get(userId) ?? 1) - 1;
      if (left > 0) this.open.set(userId, left);
      else this.open.delete(userId);
    };
  }

  /** Follows the user of a request, who may sign out, be disabled or get another role. */
  follow(first: Context): Watcher {
    let context = first;
    let checkedAt = performance.now();
    return {
      context: () => context,
      isAllowed: async () => {
        if (performance.now() - checkedAt <= RECHECK_MILLISECONDS) return true;
        checkedAt = performance.now();
        const actor = await this.authenticator.authenticate(first.request);
        if (!actor?.isValid || !allows(actor.permissions, Permission.USE)) return false;
        context = { ...context, actor };
        return true;
      },
    };
  }
}
