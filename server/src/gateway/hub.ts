import type { Problem } from '@sallyport/contract';
import type { LiveSession } from './live-session.ts';
import type { Watcher } from './near-end.ts';
import type { LimitValues } from './ports.ts';
import { Refusal } from './refusal.ts';

/** What the rest of the product may know of a live session. */
export type LiveInfo = LiveSession['row'] & { readonly watchers: number };

/** The live sessions of this process. */
export class Hub {
  private readonly sessions = new Map<string, LiveSession>();
  private readonly dialling = new Set<AbortController>();
  private draining = false;

  /** Begins to connect; the signal ends the try when the server stops. */
  begin(): AbortController {
    if (this.draining) throw new Refusal('session_server_stopping');
    const controller = new AbortController();
    this.dialling.add(controller);
    return controller;
  }

  /** The try is over, whatever became of it. */
  settled(controller: AbortController): void {
    this.dialling.delete(controller);
  }

  /** Takes an open session; it leaves by itself when it is over. */
  add(session: LiveSession): void {
    const { id } = session.row;
    this.sessions.set(id, session);
    void session.ended.finally(() => this.sessions.delete(id));
    if (this.draining) session.end('session_server_stopping');
  }

  list(): readonly LiveInfo[] {
    return this.open().map(infoOf);
  }

  get(id: string): LiveInfo | undefined {
    const session = this.find(id);
    return session && infoOf(session);
  }

  /** How much is going on. */
  counts(): { readonly sessions: number; readonly connecting: number; readonly watchers: number } {
    let watchers = 0;
    for (const session of this.open()) watchers += session.watcherCount;
    return { sessions: this.open().length, connecting: this.dialling.size, watchers };
  }

  /** Ends a session for an administrator, whose name the person is told; false when it is not here (any more). */
  terminate(id: string, who: string): boolean {
    const session = this.find(id);
    session?.end('session_terminated', { who });
    return session !== undefined;
  }

  /** Ends what a sign-in had opened. */
  signOut(loginId: string): void {
    for (const session of this.open()) if (session.row.person.loginId === loginId) session.end('session_signed_out');
  }

  /** What sessions may take has changed, for those that are open too. */
  setLimits(limits: LimitValues): void {
    for (const session of this.open()) session.setLimits(limits);
  }

  /** Asks again for every session that a change may concern whether it is still allowed, and ends those that are not. */
  async recheck(concerns: (info: LiveInfo) => boolean = () => true): Promise<void> {
    await Promise.all(
      this.open()
        .filter((session) => concerns(infoOf(session)))
        .map((session) => session.recheck()),
    );
  }

  /** Lets somebody look on; refuses when the session is not here. */
  watch(id: string, watcher: Watcher): { readonly stop: () => void; readonly snapshot: () => Buffer } {
    const session = this.find(id);
    if (!session) throw new Refusal('session_not_watchable');
    return { stop: session.watch(watcher), snapshot: () => session.snapshot() };
  }

  /** Ends everything and waits until every recording is finished; afterwards nothing new begins. */
  async drain(): Promise<void> {
    this.draining = true;
    const stopping: Problem = { code: 'session_server_stopping' };
    for (const controller of this.dialling) controller.abort(new Refusal(stopping.code));
    const ended = [...this.sessions.values()].map((session) => {
      session.end(stopping.code);
      return session.ended;
    });
    await Promise.all(ended);
  }

  /** Sessions that have ended stay known until everything about them is written, so that stopping waits for them. */
  private open(): LiveSession[] {
    return [...this.sessions.values()].filter((session) => !session.isOver);
  }

  private find(id: string): LiveSession | undefined {
    const session = this.sessions.get(id);
    return session?.isOver ? undefined : session;
  }
}

function infoOf(session: LiveSession): LiveInfo {
  return { ...session.row, watchers: session.watcherCount };
}
