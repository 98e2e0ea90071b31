import type { ErrorCode } from '@sallyport/contract';
import { databaseClock } from '../../platform/clock.ts';
import { type ClusterGateway, type ClusterSession, Refusal } from '../connections/index.ts';
import type { LiveToken } from './tokens.ts';

/** The part of a session that a kubeconfig needs. */
export interface HeldSession extends Pick<ClusterSession, 'isOver' | 'end' | 'moveTo' | 'recheck'> {
  readonly row: { readonly person: { readonly remoteAddr: string | null } };
}

interface Entry<Session> {
  readonly session: Promise<Session>;
  /** The tokens that use the session, with their ends. */
  readonly tokens: Map<string, Date>;
  timer?: NodeJS.Timeout;
}

interface Options<Session> {
  readonly gateway: () => {
    open(visit: Parameters<ClusterGateway['open']>[0]): Promise<Session>;
  };
  /** Notes that a token is in use. */
  readonly noteUse: (id: string) => Promise<void>;
  /** Returns the tokens among some that are still valid. */
  readonly validTokens: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Ends a token after an end of its session that must last. */
  readonly endToken: (id: string) => Promise<void>;
}

/** Checks of one request while requests from other addresses move its session. */
const MOST_CHECKS = 20;
const TOKEN_END: ErrorCode = 'session_cluster_token';

/** Tokens of one sign-in for the same cluster and account share a session. */
const keyOf = ({ loginId, loginFrom, clusterId, systemUserId }: LiveToken): string =>
  [loginId, loginFrom, clusterId, systemUserId].join(' ');

const endOf = ({ session }: Entry<HeldSession>): void =>
  void session.then(
    (open) => open.end(TOKEN_END),
    () => undefined,
  );

/**
 * The sessions of kubeconfig files, while requests use them. `sallyctl` asks for a token at each
 * run of `kubectl`, so a session is not that of one token.
 */
export class LiveSessions<Session extends HeldSession = ClusterSession> {
  private readonly entries = new Map<string, Entry<Session>>();
  /** Ended tokens until they expire: a request may have read its token before it was deleted. */
  private readonly ended = new Map<string, Date>();
  private readonly options: Options<Session>;

  constructor(options: Options<Session>) {
    this.options = options;
  }

  /**
   * Returns the session of a token, checked now for the address of a request. The first request
   * opens it; parallel ones wait for it. @throws Refusal
   */
  async of(token: LiveToken, remoteAddr: string): Promise<Session> {
    const held = await this.entries.get(keyOf(token))?.session.catch(() => undefined);
    const opening = held?.isOver === false ? held : this.open(token, remoteAddr);
    this.use(token);
    const session = await opening;
    await this.check(session, remoteAddr);
    return session;
  }

  /**
   * Checks the permissions of a session for the address of a request. The rules of the session are
   * those of this address until the caller waits for anything. @throws Refusal
   */
  async check(session: HeldSession, remoteAddr: string): Promise<void> {
    for (let left = MOST_CHECKS; left > 0; left--) {
      await session.moveTo(remoteAddr);
      await session.recheck();
      if (session.row.person.remoteAddr === remoteAddr) return;
    }
    throw new Refusal('cluster_busy', { max: 1 });
  }

  private open(token: LiveToken, remoteAddr: string): Promise<Session> {
    if (this.ended.has(token.id)) throw new Refusal(TOKEN_END);
    const key = keyOf(token);
    const existing = this.entries.get(key);
    if (existing) return existing.session;
    const { userId, display, language, loginId, loginFrom, clusterId, systemUserId } = token;
    const remove = () => {
      clearTimeout(entry.timer);
      if (this.entries.get(key) === entry) this.entries.delete(key);
    };
    const entry: Entry<Session> = {
      tokens: new Map(),
      session: this.options.gateway().open({
        person: { userId, display, language, remoteAddr, loginFrom, loginId },
        clusterId,
        systemUserId,
        onEnd: (isOver) => {
          remove();
          if (isOver) this.end(entry.tokens);
        },
      }),
    };
    this.entries.set(key, entry);
    entry.session.catch(remove);
    return entry.session;
  }

  /** Keeps a session until the last of its tokens expires. @throws Refusal */
  private use(token: LiveToken): void {
    if (this.ended.has(token.id)) throw new Refusal(TOKEN_END);
    const entry = this.entries.get(keyOf(token));
    if (!entry || entry.tokens.has(token.id)) return;
    entry.tokens.set(token.id, token.dateExpired);
    void this.options.noteUse(token.id);
    const last = Math.max(...[...entry.tokens.values()].map((date) => date.getTime()));
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => endOf(entry), Math.max(0, last - databaseClock.now()));
  }

  private end(tokens: ReadonlyMap<string, Date>): void {
    for (const [id, date] of this.ended)
      if (date.getTime() < databaseClock.now()) this.ended.delete(id);
    for (const [id, date] of tokens) {
      this.ended.set(id, date);
      void this.options.endToken(id);
    }
  }

  /**
   * Ends the sessions whose tokens another process has ended: a termination there must also stop
   * the watches here.
   */
  async endStale(): Promise<void> {
    if (this.entries.size === 0) return;
    const held = [...this.entries.values()].map(
      (entry) => [entry, [...entry.tokens.keys()]] as const,
    );
    const valid = await this.options.validTokens(held.flatMap(([, ids]) => ids));
    for (const [entry, ids] of held) {
      for (const id of ids) if (!valid.has(id)) entry.tokens.delete(id);
      if (entry.tokens.size === 0) endOf(entry);
    }
  }
}
