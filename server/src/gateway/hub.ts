import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode, InterventionAction, Problem } from '@sallyport/contract';
import { MAX_WATCHERS } from './limits.ts';
import type { Viewer } from './ports/people.ts';
import type { Access, GatewayPorts, LimitValues } from './ports.ts';
import { Refusal } from './refusal.ts';
import { RushMemory } from './rush-memory.ts';
import type { Session } from './sessions/session.ts';
import type { Watcher } from './sessions/session-client.ts';
import { Deadlines } from './sessions/session-timers.ts';
import type { TerminalSession } from './sessions/terminal/terminal-session.ts';
import { Viewers, type Viewing } from './viewers.ts';

/** Interval between checks whether a stop may proceed. */
const LEAVE_POLL_MS = 200;
const ATTEMPT_POLL_MS = 20;

/** Maximum wait of a stop for aborted attempts, which still finish their recordings and rows. */
const ATTEMPTS_END_MS = 10_000;

/** Maximum number of locks that wait for their session. */
const MAX_EARLY = 1000;

/** An act of an administrator in a live session. */
export interface Intervention {
  readonly action: InterventionAction;
  readonly who: string;
  /** The reason of a lock, or the message. */
  readonly text: string;
}

/** A live session as seen by the rest of the product. */
export type LiveInfo = Session['row'] & {
  readonly kind: Session['kind'];
  readonly watchers: number;
};

/** A connection attempt, with the changes before it. */
interface Attempt {
  readonly userId: string;
  readonly changes: number;
}

/** The live sessions of this process. */
export class Hub {
  private readonly sessions = new Map<string, Session>();
  private readonly dialing = new Map<AbortController, Attempt>();
  private readonly viewers: Viewers;
  /** Locks of sessions that are not open yet. */
  private readonly early = new Map<string, Problem>();
  private readonly deadlines = new Deadlines();
  private readonly memory = new RushMemory();
  private readonly access: Access;
  private changed = 0;
  /** `draining` rejects new sessions; `isClosing` also ends open ones. */
  private draining = false;
  private isClosing = false;

  constructor({ access, log }: Pick<GatewayPorts, 'access' | 'log'>) {
    this.access = access;
    this.viewers = new Viewers(log);
  }

  /** Increases with each change that ends sessions or needs a check of their permissions. */
  get changes(): number {
    return this.changed;
  }

  /** Starts the grace period of all sessions: the database has not answered since `since`. */
  outage(since: Date): void {
    for (const session of this.open()) session.unconfirmed(since);
  }

  /**
   * Registers a connection attempt of a user with `elsewhere` sessions on other servers, whose
   * permission was not read before the `changes`. The signal aborts it when the server stops.
   * @throws Refusal when the user has reached `max` sessions
   */
  begin(userId: string, max: number, elsewhere = 0, changes = this.changed): AbortController {
    if (this.draining) throw new Refusal('session_server_stopping');
    const open = this.open().filter((session) => session.row.person.userId === userId).length;
    const dialing = [...this.dialing.values()].filter((one) => one.userId === userId).length;
    if (open + dialing + elsewhere >= max) throw new Refusal('session_limit', { max });
    const controller = new AbortController();
    this.dialing.set(controller, { userId, changes });
    return controller;
  }

  /** Ends a connection attempt, successful or not. */
  settled(controller: AbortController): void {
    this.dialing.delete(controller);
    if (this.dialing.size === 0) this.early.clear();
  }

  /**
   * Adds an open session and checks its permission again if anything changed since its attempt
   * began. It is removed when it ends.
   */
  add(session: Session, attempt?: AbortController): void {
    const { id } = session.row;
    this.sessions.set(id, session);
    this.memory.note(this.sessions.size);
    void session.ended.finally(() => {
      this.sessions.delete(id);
      this.memory.note(this.sessions.size);
    });
    session.follow(this.deadlines);
    const lock = this.early.get(id);
    if (lock) session.setLock(lock, true);
    if (this.isClosing) session.end('session_server_stopping');
    // A change that committed after the attempt read the permission either was published in the
    // meantime or will find the session here.
    else if (attempt === undefined || this.dialing.get(attempt)?.changes !== this.changed)
      void session.recheck();
  }

  list(): readonly LiveInfo[] {
    return this.open().map(infoOf);
  }

  get(id: string): LiveInfo | undefined {
    const session = this.find(id);
    return session && infoOf(session);
  }

  counts(): { readonly sessions: number; readonly connecting: number; readonly watchers: number } {
    let watchers = 0;
    for (const session of this.open()) watchers += session.watcherCount;
    return { sessions: this.open().length, connecting: this.dialing.size, watchers };
  }

  /**
   * Ends a session on behalf of an administrator. The user sees the name and the reason, if given.
   * Returns false if the session is not here.
   */
  terminate(id: string, who: string, why = ''): boolean {
    const session = this.find(id);
    session?.end('session_terminated', {
      who,
      why: why && { en: ` Reason: ${why}`, zh: `原因：${why}` },
    });
    return session !== undefined;
  }

  /** Locks or unlocks a session, or shows a message to its user. */
  intervene(id: string, { action, who, text }: Intervention): void {
    const session = this.find(id);
    const lock: Problem = {
      code: 'input_locked',
      params: { who, why: text && { en: ` Reason: ${text}`, zh: `原因：${text}` } },
    };
    if (session && action === 'message')
      session.tell({ code: 'administrator_message', params: { who, text } });
    else if (session && action === 'lock') session.setLock(lock, true);
    else session?.setLock({ code: 'input_unlocked', params: { who } }, false);
    // A session that is opening now has its row, but is added later.
    if (action === 'lock' && !session && this.dialing.size > 0 && this.early.size < MAX_EARLY)
      this.early.set(id, lock);
    else if (action === 'unlock') this.early.delete(id);
  }

  /** Ends sessions that other servers considered dead and closed, or whose user took their work. */
  interrupt(ids: readonly string[], code: ErrorCode = 'session_interrupted'): void {
    for (const id of ids) this.find(id)?.end(code);
  }

  /** Ends all sessions of a sign-in. */
  signOut(loginId: string): void {
    this.changed += 1;
    this.viewers.signOut(loginId);
    for (const session of this.open())
      if (session.row.person.loginId === loginId) session.end('session_signed_out');
  }

  /** Applies changed settings to open sessions. */
  setLimits(limits: LimitValues): void {
    for (const session of this.open()) session.setLimits(limits);
  }

  /**
   * Reports the free space of the recording disk. Below the reserve, ends the session with the
   * largest recording; one per call. Below half of it, ends all while their recordings can still be
   * completed.
   */
  diskHas(freeBytes: number, reserveBytes: number): void {
    if (freeBytes >= reserveBytes) return;
    const largestFirst = this.open().sort((one, other) => other.recordedBytes - one.recordedBytes);
    const ending = freeBytes < reserveBytes / 2 ? largestFirst : largestFirst.slice(0, 1);
    for (const session of ending) session.end('session_disk_full');
  }

  /**
   * Checks the permission of all sessions that a change may affect, and ends those that lost it.
   */
  async recheck(concerns: (info: LiveInfo) => boolean = () => true): Promise<void> {
    this.changed += 1;
    const sessions = this.open().filter((session) => concerns(infoOf(session)));
    await Promise.all([...sessions.map((session) => session.recheck()), this.viewers.recheck()]);
  }

  /** Checks the rights of all viewers and guests. */
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
    session.second.enter(watcher, viewer);
    const { leave } = this.viewers.add({
      loginId: viewer.loginId,
      watcher,
      stop: () => {
        stop();
        session.second.leave(watcher);
      },
      check: async () => {
        if (!(await this.access.mayWatch(viewer))) return { code: 'session_watch_ended' };
        await session.second.check(watcher);
        return undefined;
      },
    });
    return { stop: leave, snapshot };
  }

  /**
   * Returns a terminal session for a guest. @throws Refusal when it is not here or takes no guests
   */
  visited(id: string): TerminalSession {
    const session = this.find(id);
    if (!session || !isTerminal(session)) throw new Refusal('session_not_watchable');
    return session;
  }

  /** Monitors a guest: the visit ends with the sign-in or when `check` fails. */
  follow(viewing: Viewing): ReturnType<Viewers['add']> {
    return this.viewers.add(viewing);
  }

  /**
   * Rejects new sessions, and waits until all have ended or are idle, or the time limit passes.
   */
  async leave(milliseconds: number): Promise<void> {
    this.draining = true;
    const late = performance.now() + milliseconds;
    // Attempts in progress are added later.
    const isHeld = () => [...this.sessions.values()].some(({ isIdle }) => !isIdle);
    for (let left = milliseconds; left > 0 && isHeld(); left = late - performance.now())
      await sleep(Math.min(LEAVE_POLL_MS, left));
  }

  /** Waits until no session is open. New ones may start meanwhile. */
  async emptied(): Promise<void> {
    while (this.sessions.size > 0 || this.dialing.size > 0) await sleep(LEAVE_POLL_MS);
  }

  /** Ends all sessions and attempts, waits for their recordings and rejects new ones. */
  async drain(code: ErrorCode = 'session_server_stopping'): Promise<void> {
    this.draining = true;
    this.isClosing = true;
    for (const controller of this.dialing.keys()) controller.abort(new Refusal(code));
    const sessions = [...this.sessions.values()];
    for (const session of sessions) {
      session.end(code);
      // An end reads the last output: many of them at once would block the event loop.
      await nextTurn();
    }
    await Promise.all(sessions.map((session) => session.ended));
    const late = performance.now() + ATTEMPTS_END_MS;
    while (this.dialing.size > 0 && performance.now() < late) await sleep(ATTEMPT_POLL_MS);
  }

  /**
   * Ended sessions stay in the map until their data is written, so that a shutdown waits for them.
   */
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

/** Only terminals take guests. A type guard avoids loading the class early. */
const isTerminal = (session: Session): session is TerminalSession => session.takesGuests;
