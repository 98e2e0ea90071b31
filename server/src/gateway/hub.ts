import type { Problem } from '@sallyport/contract';
import { MAX_WATCHERS } from './limits.ts';
import type { Viewer } from './ports/people.ts';
import type { Access, LimitValues } from './ports.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './sessions/session.ts';
import type { Watcher } from './sessions/session-client.ts';
import type { TerminalSession } from './sessions/terminal/terminal-session.ts';
import { Viewers, type Viewing } from './viewers.ts';

/** What the rest of the product may know of a live session. */
export type LiveInfo = Session['row'] & {
  readonly kind: Session['kind'];
  readonly watchers: number;
};

/** The live sessions of this process. */
export class Hub {
  private readonly sessions = new Map<string, Session>();
  private readonly dialling = new Map<AbortController, string>();
  private readonly viewers = new Viewers();
  private readonly access: Access;
  /** Whether new sessions are refused, and whether those that are open end, too. */
  private draining = false;
  private isClosing = false;

  constructor(access: Access) {
    this.access = access;
  }

  /** The database has not answered since a moment; the permissions of all sessions are unconfirmed. */
  outage(since: Date): void {
    for (const session of this.open()) session.unconfirmed(since);
  }

  /** Begins to connect for a user who has so many sessions on other servers; the signal ends the try when the server stops. */
  begin(userId: string, most: number, elsewhere = 0): AbortController {
    if (this.draining) throw new Refusal('session_server_stopping');
    const open = this.open().filter((session) => session.row.person.userId === userId).length;
    const dialling = [...this.dialling.values()].filter((id) => id === userId).length;
    if (open + dialling + elsewhere >= most) throw new Refusal('session_limit', { max: most });
    const controller = new AbortController();
    this.dialling.set(controller, userId);
    return controller;
  }

  /** The try is over, whatever became of it. */
  settled(controller: AbortController): void {
    this.dialling.delete(controller);
  }

  /** Takes an open session; it leaves by itself when it is over. */
  add(session: Session): void {
    const { id } = session.row;
    this.sessions.set(id, session);
    void session.ended.finally(() => this.sessions.delete(id));
    if (this.isClosing) session.end('session_server_stopping');
    // The person may have signed out, or lost a permission, while the target was dialled.
    else void session.recheck();
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

  /** Ends a session for an administrator, whose name the person sees, with the reason if one is given; false when it is not here (any more). */
  terminate(id: string, who: string, why = ''): boolean {
    const session = this.find(id);
    session?.end('session_terminated', {
      who,
      why: why && { en: ` Reason: ${why}`, zh: `原因：${why}` },
    });
    return session !== undefined;
  }

  /** Ends sessions that other servers have taken for dead. */
  interrupt(ids: readonly string[]): void {
    for (const id of ids) this.find(id)?.end('session_interrupted');
  }

  /** Ends what a sign-in had opened. */
  signOut(loginId: string): void {
    this.viewers.signOut(loginId);
    for (const session of this.open())
      if (session.row.person.loginId === loginId) session.end('session_signed_out');
  }

  /** What sessions may take has changed, for those that are open too. */
  setLimits(limits: LimitValues): void {
    for (const session of this.open()) session.setLimits(limits);
  }

  /**
   * The disk of the recordings has so much left. Below the reserve the session that has written most ends, at each look one more; below half of it
   * all do, while there still is room to finish their recordings.
   */
  diskHas(freeBytes: number, reserveBytes: number): void {
    if (freeBytes >= reserveBytes) return;
    const largestFirst = this.open().sort((one, other) => other.recordedBytes - one.recordedBytes);
    const ending = freeBytes < reserveBytes / 2 ? largestFirst : largestFirst.slice(0, 1);
    for (const session of ending) session.end('session_disk_full');
  }

  /** Asks again for every session that a change may concern whether it is still allowed, and ends those that are not. */
  async recheck(concerns: (info: LiveInfo) => boolean = () => true): Promise<void> {
    const sessions = this.open().filter((session) => concerns(infoOf(session)));
    await Promise.all([...sessions.map((session) => session.recheck()), this.viewers.recheck()]);
  }

  /** Asks again for everybody who watches or visits a session whether they still may. */
  recheckGuests(): Promise<void> {
    return this.viewers.recheck();
  }

  /** Adds a watcher. @throws Refusal when the session is not here */
  watch(
    id: string,
    watcher: Watcher,
    viewer: Viewer,
  ): { readonly stop: () => void; readonly snapshot: () => Buffer } {
    const session = this.find(id);
    if (!session) throw new Refusal('session_not_watchable');
    if (session.watcherCount >= MAX_WATCHERS) throw new Refusal('watch_limit');
    const { stop, snapshot } = session.watch(watcher);
    const check = async () =>
      (await this.access.mayWatch(viewer)) ? undefined : ({ code: 'session_watch_ended' } as const);
    const { leave } = this.viewers.add({ loginId: viewer.loginId, watcher, stop, check });
    return { stop: leave, snapshot };
  }

  /** A session that people work in, for guests. @throws Refusal when it is not here or takes none */
  visited(id: string): TerminalSession {
    const session = this.find(id);
    if (!session || !isTerminal(session)) throw new Refusal('session_not_watchable');
    return session;
  }

  /** Keeps an eye on a guest: their stay ends with their sign-in, and with what `check` finds. */
  follow(viewing: Viewing): ReturnType<Viewers['add']> {
    return this.viewers.add(viewing);
  }

  /** Begins nothing new from now on, and waits until every session has ended by itself or the time is over. */
  async leave(milliseconds: number): Promise<void> {
    this.draining = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((settle) => {
      timer = setTimeout(settle, milliseconds);
    });
    // What is being dialled at this moment is added later.
    const empty = async () => {
      while (this.sessions.size > 0)
        await Promise.all([...this.sessions.values()].map((session) => session.ended));
    };
    await Promise.race([late, empty()]);
    clearTimeout(timer);
  }

  /** Ends everything and waits until every recording is finished; afterwards nothing new begins. */
  async drain(): Promise<void> {
    this.draining = true;
    this.isClosing = true;
    const stopping: Problem = { code: 'session_server_stopping' };
    for (const controller of this.dialling.keys()) controller.abort(new Refusal(stopping.code));
    const ended = [...this.sessions.values()].map((session) => {
      session.end(stopping.code);
      return session.ended;
    });
    await Promise.all(ended);
  }

  /** Sessions that have ended stay known until everything about them is written, so that stopping waits for them. */
  private open(): Session[] {
    return [...this.sessions.values()].filter((session) => !session.isOver);
  }

  private find(id: string): Session | undefined {
    const session = this.sessions.get(id);
    return session?.isOver ? undefined : session;
  }
}

function infoOf(session: Session): LiveInfo {
  return { ...session.row, kind: session.kind, watchers: session.watcherCount };
}

/** Only terminals take guests; their class itself is loaded with the first of them. */
const isTerminal = (session: Session): session is TerminalSession => session.takesGuests;
