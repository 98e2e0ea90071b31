import type { ErrorCode, ErrorParams, Problem, SessionKind } from '@sallyport/contract';
import type { RecordingDigest } from '../../platform/storage/recordings.ts';
import { type Grant, targetOf } from '../ports/grant.ts';
import type { FileRecord, NewSession, ReplayState } from '../ports/records.ts';
import type { GatewayPorts, LimitValues } from '../ports.ts';
import { problemOf, Refusal } from '../refusal.ts';
import { Grace } from './grace.ts';
import type { SessionClient, Watcher } from './session-client.ts';
import { SessionTimers } from './session-timers.ts';

/** How soon a check that failed is tried again. */
const RECHECK_PAUSE_MS = 2000;

/** What a session is made of when its row is written. */
export interface SessionParts {
  readonly row: NewSession;
  readonly ports: GatewayPorts;
  readonly limits: LimitValues;
  readonly client: SessionClient;
}

/** What watchers see of a session. */
export interface Screen {
  readonly size: { readonly cols: number; readonly rows: number };
  /** Bytes that bring an empty terminal to the screen as it is now. */
  snapshot(): Buffer;
}

/** What sessions of every kind share: row, limits, permission, watchers and the end. A kind adds what flows between client and target. */
export abstract class Session {
  abstract readonly kind: SessionKind;
  readonly row: NewSession;
  /** Settles when the session is over and everything about it is written. */
  readonly ended: Promise<void>;
  /** What watchers see; `undefined` where sessions of a kind cannot be watched. */
  abstract readonly screen: Screen | undefined;
  /** Whether people work in a terminal, which others may be invited into. */
  readonly takesGuests: boolean = false;
  /** Bytes that were recorded. */
  abstract readonly recordedBytes: number;
  /** Whether people could ever work in it. */
  protected abstract readonly wasOpen: boolean;
  protected readonly ports: GatewayPorts;
  protected readonly watchers = new Set<Watcher>();
  private readonly client: SessionClient;
  private readonly timers: SessionTimers;
  private readonly grace: Grace;
  private again: NodeJS.Timeout | undefined;
  private validUntil: Date | null;
  private over = false;
  private settle: () => void = () => undefined;

  constructor({ row, ports, limits, client }: SessionParts) {
    this.row = row;
    this.ports = ports;
    this.client = client;
    this.ended = new Promise((done) => {
      this.settle = done;
    });
    this.timers = new SessionTimers(limits, row.grant.validUntil, {
      end: (code, params) => this.end(code, params),
      permissionEnded: () => void this.recheck(),
    });
    this.validUntil = row.grant.validUntil;
    this.grace = new Grace(limits.outageSeconds, {
      began: (seconds) => this.notify({ code: 'notice_database_away', params: { seconds } }, false),
      confirmed: () => this.notify({ code: 'notice_database_back' }, true),
      expired: () => this.end('session_database_away'),
    });
  }

  /** Stops both directions and closes the target; called once, when the session has just ended. */
  protected abstract stop(reason: Refusal): void;

  /** The permission was looked up again and still holds, perhaps with other actions. */
  protected granted(_grant: Grant): void {}

  /** Writes what is still to be written, and returns what became of the recording. */
  protected abstract finish(): Promise<ReplayState>;

  /** Of the recording, after `finish`; undefined when there is none. */
  protected get kept(): RecordingDigest | undefined {
    return undefined;
  }

  /** Writes an entry of the file-transfer log. What cannot be logged must not go on: then the session ends. @throws Refusal */
  protected async logFile(record: FileRecord): Promise<void> {
    try {
      await this.ports.fileLog.write(this.row, record);
    } catch (error) {
      this.ports.log.error(
        { session: this.row.id, err: error },
        'an entry of the file-transfer log could not be written; the session ends',
      );
      this.end('session_recording_failed');
      throw new Refusal('session_recording_failed');
    }
  }

  /** A command could not be logged: the session must not continue. */
  protected notLogged(error: unknown): void {
    this.ports.log.error(
      { session: this.row.id, err: error },
      'a command of a session could not be logged; the session ends',
    );
    this.end('session_recording_failed');
  }

  /** Something was typed, shown or moved: the session is not idle. */
  protected active(): void {
    this.timers.active();
  }

  /** The settings have changed what a session may take. */
  setLimits(limits: LimitValues): void {
    this.timers.limits(limits);
    this.grace.limit(limits.outageSeconds);
  }

  /** Whether it has ended; what was recorded may still be on its way to the disk. */
  get isOver(): boolean {
    return this.over;
  }

  get watcherCount(): number {
    return this.watchers.size;
  }

  /** Adds a watcher: it gets the screen as it is, then what follows. Returns how to stop and how to catch up. @throws Refusal */
  watch(watcher: Watcher): { readonly stop: () => void; readonly snapshot: () => Buffer } {
    const { screen } = this;
    if (!screen) throw new Refusal('session_not_watchable');
    watcher.resize(screen.size.cols, screen.size.rows);
    watcher.output(screen.snapshot());
    this.watchers.add(watcher);
    return { stop: () => this.watchers.delete(watcher), snapshot: () => screen.snapshot() };
  }

  /**
   * Checks again whether the person may be here, and ends the session if not. Where the check fails, for instance because the database is away, it is
   * tried again, and the session continues for as long as the limits allow.
   */
  async recheck(): Promise<void> {
    if (this.over) return;
    clearTimeout(this.again);
    const { person, grant } = this.row;
    try {
      if (person.loginId && !(await this.ports.access.isSignedIn(person.loginId))) {
        this.end('session_signed_out');
        return;
      }
      const target = targetOf(grant);
      const still = await this.ports.access.check(
        person.userId,
        target.id,
        grant.systemUser.id,
        target.kind,
      );
      if (still.systemUser.allowedCommands !== grant.systemUser.allowedCommands) {
        this.end('account_rules_changed');
        return;
      }
      this.validUntil = still.validUntil;
      this.timers.validUntil(still.validUntil);
      if (!this.over) this.grace.confirm();
      this.granted(still);
    } catch (error) {
      if (problemOf(error).code !== 'internal') this.end('connect_expired');
      else this.unconfirmed();
    }
  }

  /** Nobody can say whether the session is still allowed. It continues for a while, but not beyond the end of the permission that is known. */
  unconfirmed(since = new Date()): void {
    if (this.over) return;
    if (this.validUntil && this.validUntil.getTime() <= Date.now()) {
      this.end('session_database_away');
      return;
    }
    this.grace.begin(since);
    clearTimeout(this.again);
    if (!this.over) this.again = setTimeout(() => void this.recheck(), RECHECK_PAUSE_MS);
  }

  private notify(problem: Problem, isOver: boolean): void {
    if (this.over) return;
    this.client.notice?.(problem, isOver);
    this.marked(isOver ? 'database reachable' : 'database unreachable');
  }

  /** Leaves a note in the recording, where sessions of a kind have one. */
  protected marked(_label: string): void {}

  /** Ends the session; of several reasons the first one counts. */
  end(code: ErrorCode, params?: ErrorParams): void {
    if (this.over) return;
    this.over = true;
    this.timers.stop();
    this.grace.stop();
    clearTimeout(this.again);
    const reason = new Refusal(code, params);
    const { problem } = reason;
    this.stop(reason);
    this.client.closed(problem);
    for (const watcher of this.watchers) watcher.closed({ code: 'session_finished' });
    this.watchers.clear();
    void this.conclude(problem).finally(this.settle);
  }

  private async conclude(problem: Problem): Promise<void> {
    const { id } = this.row;
    const dateEnd = new Date();
    try {
      const replayState = await this.finish();
      await this.ports.sessions.finish(id, {
        dateEnd,
        reason: problem.code,
        success: this.wasOpen,
        replayState,
        recording: this.kept,
      });
    } catch (error) {
      // It is tried again, and the next start finds the row open.
      this.ports.log.error(
        { session: id, err: error },
        'the end of a session could not be written',
      );
    }
  }
}
