import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { ErrorCode, Problem } from '@sallyport/contract';
import { databaseClock } from '../../../platform/clock.ts';
import type { ClusterRule, Grant } from '../../ports/grant.ts';
import type { ReplayState } from '../../ports/records.ts';
import type { ClusterApi, ClusterRequest } from '../../protocols/kubernetes/cluster-api.ts';
import { isClusterConnection } from '../../protocols/kubernetes/connect.ts';
import { Refusal } from '../../refusal.ts';
import { diskProblemOf } from '../disk-problem.ts';
import type { SessionOpener } from '../open-session.ts';
import { Session, type SessionParts } from '../session.ts';

/** Requests of one session that run at a time. */
const MAX_OPEN = 100;
const MAX_INPUT = 4096;
const MAX_OUTPUT = 1024;

/** A request for the command log. */
export interface LoggedRequest {
  /** Verb, kind, place and address; no values of a body. */
  readonly text: string;
  /** Status of the answer, or the reason of a refusal. */
  readonly outcome: string;
  readonly isRefused?: boolean;
  readonly milliseconds?: number;
}

/** The identity at the cluster for one request. */
export interface ClusterIdentity {
  readonly user: string;
  readonly groups: readonly string[];
}

/** The bounds of a running request. */
interface RequestTerms {
  /** Returns true if permissions still allow the request. */
  readonly isAllowed: (rules: readonly ClusterRule[]) => boolean;
  /** The end of its token: others may keep the session. */
  readonly until: Date;
}

interface Running {
  readonly terms: RequestTerms;
  readonly timer: NodeJS.Timeout;
}

/** Node writes headers as Latin-1; API servers read UTF-8. */
const inBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Returns the headers with which the account of the bastion acts as an identity. */
export const identityHeaders = ({ user, groups }: ClusterIdentity) => ({
  'impersonate-user': inBytes(user),
  ...(groups.length > 0 && { 'impersonate-group': groups.map(inBytes) }),
});

/** Requests of one user to the API server of a cluster. Each is a command of the session. */
export class ClusterSession extends Session {
  readonly kind = 'api';
  readonly screen = undefined;
  readonly recordedBytes = 0;
  private api: ClusterApi | undefined;
  private readonly open = new Map<AbortController, Running>();
  private readonly parts: SessionParts;
  private current: Grant;
  private sequence = 0;
  private reason: Refusal | undefined;

  constructor(parts: SessionParts) {
    super(parts);
    this.parts = parts;
    this.current = parts.row.grant;
  }

  protected get wasOpen(): boolean {
    return this.api !== undefined;
  }

  attach(api: ClusterApi): void {
    this.api = api;
    if (this.isOver) api.close();
  }

  /** The terms of the permissions that hold now. */
  get rules(): readonly ClusterRule[] {
    return this.current.cluster?.rules ?? [];
  }

  /** Ends the requests that the permissions no longer allow: a watch may outlive one of them. */
  protected override granted(grant: Grant): void {
    const before = JSON.stringify(this.rules);
    this.current = grant;
    if (JSON.stringify(this.rules) === before) return;
    for (const [controller, { terms }] of this.open)
      if (!terms.isAllowed(this.rules)) controller.abort(new Refusal('connect_expired'));
  }

  /** The reason for which an administrator stopped requests; undefined if they pass. */
  get stopped(): Problem | undefined {
    return this.lock;
  }

  /** A lock also ends what runs: a forwarded port carries input. */
  protected override lockChanged(): void {
    const { lock } = this;
    if (!lock) return;
    for (const controller of this.open.keys())
      controller.abort(new Refusal(lock.code, lock.params));
  }

  /**
   * Takes a place for a request. Its signal aborts when the session or the token ends, the client
   * leaves or the permissions stop to allow it. @throws Refusal
   */
  begin(terms: RequestTerms): AbortController {
    if (this.isOver) throw this.reason ?? new Refusal('session_finished');
    if (this.open.size >= MAX_OPEN) throw new Refusal('cluster_busy', { max: MAX_OPEN });
    const controller = new AbortController();
    const end = () => controller.abort(new Refusal('session_cluster_token'));
    const left = terms.until.getTime() - databaseClock.now();
    this.open.set(controller, { terms, timer: setTimeout(end, Math.max(0, left)) });
    this.active();
    return controller;
  }

  /** Gives the place of a request back, and aborts what is left of it. */
  done(controller: AbortController): void {
    clearTimeout(this.open.get(controller)?.timer);
    this.open.delete(controller);
    controller.abort();
  }

  /** Sends a request as an identity. @throws Refusal */
  request(
    asked: ClusterRequest,
    identity: ClusterIdentity,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    this.active();
    return this.connected.request(
      {
        ...asked,
        headers: {
          ...asked.headers,
          ...identityHeaders(identity),
        },
      },
      signal,
    );
  }

  /** Opens a stream for an upgrade. The caller sends the request itself. @throws Refusal */
  dial(signal: AbortSignal): Promise<TLSSocket> {
    this.active();
    return this.connected.dial(signal);
  }

  /** The account of the bastion, for the head of an upgrade. */
  get account(): Pick<ClusterApi, 'authorization' | 'host'> {
    return this.connected;
  }

  private get connected(): ClusterApi {
    if (!this.api || this.isOver) throw this.reason ?? new Refusal('session_finished');
    return this.api;
  }

  /** Keeps the session active while bytes pass. */
  passed(): void {
    this.active();
  }

  /** Logs a request before its answer reaches the client. Ends the session if that fails. */
  async log({ text, outcome, isRefused = false, milliseconds }: LoggedRequest): Promise<void> {
    const { ports, row } = this.parts;
    try {
      await ports.sessions.addCommands(row.id, [
        {
          sequence: this.sequence++,
          input: text.slice(0, MAX_INPUT),
          output: outcome.slice(0, MAX_OUTPUT),
          at: Math.max(0, databaseClock.now() - row.dateStart.getTime()),
          ...(isRefused && { isRefused }),
          ...(milliseconds !== undefined && { milliseconds }),
        },
      ]);
    } catch (error) {
      this.notLogged(error);
      throw new Refusal(diskProblemOf(error));
    }
  }

  protected stop(reason: Refusal): void {
    this.reason = reason;
    for (const [controller, { timer }] of this.open) {
      clearTimeout(timer);
      controller.abort(reason);
    }
    this.open.clear();
    this.api?.close();
  }

  protected async finish(): Promise<ReplayState> {
    return 'none';
  }
}

/** Opens the session of a kubeconfig. */
export const clusterOpener: SessionOpener<ClusterSession> = {
  kind: 'api',
  begin: async (parts) => new ClusterSession(parts),
  async open(session, connection) {
    if (!isClusterConnection(connection))
      throw new Refusal('connect_protocol', { protocol: session.row.grant.systemUser.protocol });
    session.attach(connection.api);
  },
};

/** Ends after which the token of a kubeconfig opens no other session. */
const ENDS_TOKEN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'session_terminated',
  'session_too_long',
  'session_signed_out',
  'session_cluster_token',
]);

/** Returns true if the token of a session is worthless after this end. */
export const endsToken = (code: ErrorCode): boolean => ENDS_TOKEN.has(code);
