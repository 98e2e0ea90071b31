import { allows, Permission } from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import type { Authenticator } from '../../http/route.ts';

/** Sockets of one person, of each kind. */
const MAXIMUM_SOCKETS = 20;
/**
 * Before something is sent, it is asked again whether the person is signed in when the last answer
 * is older than this.
 */
const RECHECK_MILLISECONDS = 2_000;
/** A client that has not read this much waits for more until it has. */
export const MAXIMUM_BACKLOG = 256 * 1024;

/** Somebody who watches jobs over a socket, checked again while they do. */
export interface Watcher {
  /** The request with its actor as of the last check. */
  readonly context: () => Context;
  /** Whether the person may still watch; asked again when the last answer is old. */
  readonly isAllowed: () => Promise<boolean>;
}

/** Counts the sockets of each person, and checks their people again. */
export class Watchers {
  private readonly authenticator: Authenticator;
  private readonly open = new Map<string, number>();

  constructor(authenticator: Authenticator) {
    this.authenticator = authenticator;
  }

  /**
   * Takes a place for a socket of a person; undefined when they have too many. What is returned
   * gives it back.
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

  /**
   * The person of a request as they are now: they may have signed out, or been disabled, or have
   * another role.
   */
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
