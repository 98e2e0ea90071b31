import type { Problem } from '@sallyport/contract';
import type { GatewayPorts } from './ports.ts';
import { uncheckedCodeOf } from './refusal.ts';
import type { Watcher } from './sessions/session-client.ts';

/** A viewer or guest of a session. */
export interface Viewing {
  readonly loginId: string;
  readonly watcher: Watcher;
  /** Returns the problem if the viewer must leave now. */
  readonly check: () => Promise<Problem | undefined>;
  /** Releases its resources; called once. `problem` is set unless the viewer left voluntarily. */
  readonly stop: (problem?: Problem) => void;
}

/**
 * Watchers and guests of sessions in this process. Their visit ends with their sign-in or
 * permission.
 */
export class Viewers {
  private readonly all = new Set<Viewing>();
  private readonly log: Pick<GatewayPorts['log'], 'error'>;

  constructor(log: Pick<GatewayPorts['log'], 'error'>) {
    this.log = log;
  }

  /** Adds a viewer. Returns functions to leave and to check immediately. */
  add(viewing: Viewing): { readonly leave: () => void; readonly check: () => Promise<void> } {
    this.all.add(viewing);
    // Rights may have changed between the first check and the opening of the socket.
    void this.check(viewing);
    return { leave: () => this.leave(viewing), check: () => this.check(viewing) };
  }

  /** Ends all viewings of a sign-in. */
  signOut(loginId: string): void {
    for (const viewing of this.all)
      if (viewing.loginId === loginId) this.end(viewing, { code: 'session_signed_out' });
  }

  async recheck(): Promise<void> {
    await Promise.all([...this.all].map((viewing) => this.check(viewing)));
  }

  private async check(viewing: Viewing): Promise<void> {
    if (!this.all.has(viewing)) return;
    // A right that cannot be confirmed counts as lost.
    const problem = await viewing.check().catch((error: unknown): Problem => {
      const code = uncheckedCodeOf(error) ?? 'session_watch_ended';
      if (code === 'session_check_failed') this.log.error({ err: error }, 'a check failed');
      return { code };
    });
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
