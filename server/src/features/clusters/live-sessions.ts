import type { ErrorCode } from '@sallyport/contract';
import { databaseClock } from '../../platform/clock.ts';
import { type ClusterGateway, type ClusterSession, Refusal } from '../connections/index.ts';
import type { LiveToken } from './tokens.ts';

interface Entry {
  readonly session: Promise<ClusterSession>;
  timer?: NodeJS.Timeout;
}

interface Options {
  readonly gateway: () => ClusterGateway;
  /** Notes that a token opens a session. */
  readonly noteUse: (id: string) => Promise<void>;
  /** Returns the tokens among some that are still valid. */
  readonly validTokens: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Ends a token after an end of its session that must last. */
  readonly endToken: (id: string) => Promise<void>;
}

/** Checks of one request while requests from other addresses move its session. */
const MOST_CHECKS = 20;
const TOKEN_END: ErrorCode = 'session_cluster_token';

/** The sessions of kubeconfig files: one per token, while requests use it. */
export class LiveSessions {
  private readonly entries = new Map<string, Entry>();
  /** Ended tokens until they expire: a request may have read its token before it was deleted. */
  private readonly ended = new Map<string, Date>();
  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
  }

  /**
   * Returns the session of a token, checked now for the address of a request. The first request
   * opens it; parallel ones wait for it. @throws Refusal
   */
  async of(token: LiveToken, remoteAddr: string): Promise<ClusterSession> {
    const held = await this.entries.get(token.id)?.session.catch(() => undefined);
    const session = held && !held.isOver ? held : await this.open(token, remoteAddr);
    await this.check(session, remoteAddr);
    return session;
  }

  /**
   * Checks the permissions of a session for the address of a request. The rules of the session are
   * those of this address until the caller waits for anything. @throws Refusal
   */
  async check(session: ClusterSession, remoteAddr: string): Promise<void> {
    for (let left = MOST_CHECKS; left > 0; left--) {
      await session.moveTo(remoteAddr);
      await session.recheck();
      if (session.row.person.remoteAddr === remoteAddr) return;
    }
    throw new Refusal('cluster_busy', { max: 1 });
  }

  private open(token: LiveToken, remoteAddr: string): Promise<ClusterSession> {
    if (this.ended.has(token.id)) throw new Refusal(TOKEN_END);
    const existing = this.entries.get(token.id);
    if (existing) return existing.session;
    const { id, userId, display, language, loginId, clusterId, systemUserId } = token;
    const entry: Entry = {
      session: this.options.gateway().open({
        person: { userId, display, language, remoteAddr, loginFrom: 'KT', loginId },
        clusterId,
        systemUserId,
        onEnd: (isOver) => {
          clearTimeout(entry.timer);
          if (this.entries.get(id) === entry) this.entries.delete(id);
          if (isOver) this.end(token);
        },
      }),
    };
    this.entries.set(id, entry);
    entry.session.then(
      (session) => {
        void this.options.noteUse(id);
        const left = token.dateExpired.getTime() - databaseClock.now();
        entry.timer = setTimeout(() => session.end(TOKEN_END), Math.max(0, left));
      },
      () => {
        if (this.entries.get(id) === entry) this.entries.delete(id);
      },
    );
    return entry.session;
  }

  private end({ id, dateExpired }: LiveToken): void {
    for (const [other, until] of this.ended)
      if (until.getTime() < databaseClock.now()) this.ended.delete(other);
    this.ended.set(id, dateExpired);
    void this.options.endToken(id);
  }

  /**
   * Ends the sessions whose tokens another process has ended: a termination there must also stop
   * the watches here.
   */
  async endStale(): Promise<void> {
    if (this.entries.size === 0) return;
    const held = [...this.entries];
    const valid = await this.options.validTokens(held.map(([id]) => id));
    for (const [id, { session }] of held)
      if (!valid.has(id))
        session.then(
          (open) => open.end(TOKEN_END),
          () => undefined,
        );
  }
}
