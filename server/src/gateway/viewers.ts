import type { Access, Viewer } from './ports.ts';
import type { Watcher } from './sessions/session-client.ts';

interface Viewing {
  readonly viewer: Viewer;
  readonly watcher: Watcher;
  readonly stop: () => void;
}

/** The users who watch sessions of this process. Like a session, watching ends when the sign-in or the permission behind it does. */
export class Viewers {
  private readonly all = new Set<Viewing>();
  private readonly access: Access;

  constructor(access: Access) {
    this.access = access;
  }

  /** Adds a viewer; returns how to leave. */
  add(viewer: Viewer, watcher: Watcher, stop: () => void): () => void {
    const viewing = { viewer, watcher, stop };
    this.all.add(viewing);
    // What was checked before the socket opened may have changed since.
    void this.check(viewing);
    return () => this.leave(viewing);
  }

  /** Ends what a sign-in was watching. */
  signOut(loginId: string): void {
    for (const viewing of this.all) if (viewing.viewer.loginId === loginId) this.end(viewing, 'session_signed_out');
  }

  /** Checks all of them again. */
  async recheck(): Promise<void> {
    await Promise.all([...this.all].map((viewing) => this.check(viewing)));
  }

  private async check(viewing: Viewing): Promise<void> {
    // A right that cannot be confirmed is no right.
    const still = await this.access.mayWatch(viewing.viewer).catch(() => false);
    if (!still) this.end(viewing, 'session_watch_ended');
  }

  private end(viewing: Viewing, code: 'session_signed_out' | 'session_watch_ended'): void {
    if (!this.all.has(viewing)) return;
    this.leave(viewing);
    viewing.watcher.closed({ code });
  }

  private leave(viewing: Viewing): void {
    this.all.delete(viewing);
    viewing.stop();
  }
}
