import type { Hub } from '../../hub.ts';
import { FILES_IDLE_MS, MAX_FILE_CONNECTIONS } from '../../limits.ts';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';
import { Refusal } from '../../refusal.ts';
import { type FileSession, filesOpener } from '../../sessions/files/file-session.ts';
import type { SessionClient } from '../../sessions/session-client.ts';
import { gone, openFor } from '../open-for.ts';
import { WebUploads } from './uploads.ts';

/** The asset and account of a file connection. */
export interface FilesTarget {
  readonly assetId: string;
  readonly systemUserId: string;
}

/** A user of the pool. Connections belong to a sign-in. */
export type FilesPerson = Person & { readonly loginId: string };

/** Thrown when the user must enter the password of the account. */
export class AccountNeeded extends Error {
  readonly username: string;
  readonly reason: 'manual' | 'rejected';

  constructor(username: string, reason: 'manual' | 'rejected') {
    super(reason);
    this.username = username;
    this.reason = reason;
  }
}

/** Thrown when the user must give a reason for reviewers. */
export class ReasonNeeded extends Error {}

export interface Connecting {
  /** The reason for reviewers. */
  readonly reason?: string | undefined;
  /** Aborts the attempt. */
  readonly signal?: AbortSignal;
  /** The account that the user typed. */
  readonly typed?: { readonly username: string; readonly password: string } | undefined;
  readonly onStage?: SessionClient['stage'];
}

export interface PooledFiles {
  readonly session: FileSession;
  readonly uploads: WebUploads;
}

interface Pooled extends PooledFiles {
  readonly loginId: string;
  /** The user typed a password or a reason, which another process would ask for again. */
  readonly isTyped: boolean;
  /** Number of active requests. */
  users: number;
  usedAt: number;
}

/**
 * File connections of this server, one per sign-in, asset and account. Connections stay open
 * between requests of a browser, until an idle timeout. The hub ends them with the permission, the
 * sign-in or the server.
 */
export class FilePool {
  private readonly ports: GatewayPorts;
  private readonly hub: Hub;
  private readonly pooled = new Map<string, Pooled>();
  private readonly opening = new Map<string, Promise<Pooled>>();

  constructor(ports: GatewayPorts, hub: Hub) {
    this.ports = ports;
    this.hub = hub;
  }

  /**
   * Opens a connection or returns the open one, if the permission allows it for the address of this
   * request. @throws AccountNeeded, Refusal
   */
  async connect(
    person: FilesPerson,
    target: FilesTarget,
    connecting: Connecting = {},
  ): Promise<PooledFiles> {
    const pooled = await this.findOrOpen(person, target, connecting);
    await pooled.session.moveTo(person.remoteAddr);
    return pooled;
  }

  private async findOrOpen(
    person: FilesPerson,
    target: FilesTarget,
    connecting: Connecting,
  ): Promise<Pooled> {
    const key = keyOf(person, target);
    const open = this.find(key);
    if (open) return open;
    const begun = this.opening.get(key);
    if (begun) return begun;
    const opened = this.open(key, person, target, connecting).finally(() =>
      this.opening.delete(key),
    );
    this.opening.set(key, opened);
    return opened;
  }

  /**
   * Runs work with a connection, opened on demand.
   * @throws Refusal; `files_not_connected` when the user must enter a password
   */
  async use<Value>(
    person: FilesPerson,
    target: FilesTarget,
    work: (files: PooledFiles) => Promise<Value>,
  ): Promise<Value> {
    const hold = await this.hold(person, target);
    try {
      return await work(hold.files);
    } finally {
      hold.release();
    }
  }

  /**
   * Like `use`, for work that continues after the response has begun. The caller must release it.
   */
  async hold(
    person: FilesPerson,
    target: FilesTarget,
  ): Promise<{ readonly files: PooledFiles; readonly release: () => void }> {
    const pooled = (await this.connect(person, target).catch((error: unknown) => {
      throw error instanceof AccountNeeded || error instanceof ReasonNeeded
        ? new Refusal('files_not_connected')
        : error;
    })) as Pooled;
    pooled.users++;
    let isHeld = true;
    return {
      files: pooled,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        pooled.users--;
        pooled.usedAt = performance.now();
      },
    };
  }

  /**
   * Closes the connection of a user who leaves, if the permission allows it for the address of this
   * request. @throws Refusal
   */
  async close(person: FilesPerson, target: FilesTarget): Promise<void> {
    const open = this.find(keyOf(person, target));
    if (!open) return;
    await open.session.moveTo(person.remoteAddr);
    open.session.end('session_finished');
  }

  /** Returns true if a connection of a sign-in has an upload in progress or what its user typed. */
  isNeededBy(loginId: string): boolean {
    return [...this.pooled.values()].some(
      (pooled) =>
        pooled.loginId === loginId &&
        !pooled.session.isOver &&
        (pooled.isTyped || pooled.uploads.count > 0),
    );
  }

  /** Closes idle connections. */
  closeIdle(): void {
    const now = performance.now();
    for (const { users, usedAt, session } of this.pooled.values())
      if (users === 0 && now - usedAt > FILES_IDLE_MS) session.end('session_finished');
  }

  private find(key: string): Pooled | undefined {
    const pooled = this.pooled.get(key);
    if (!pooled || pooled.session.isOver) return undefined;
    pooled.usedAt = performance.now();
    return pooled;
  }

  private async open(
    key: string,
    person: FilesPerson,
    target: FilesTarget,
    { typed: account, reason, signal, onStage }: Connecting,
  ): Promise<Pooled> {
    this.makeRoom(person.loginId);
    let unused = account;
    const session = await openFor({
      ports: this.ports,
      hub: this.hub,
      person,
      request: target,
      client: {
        stage: (...facts) => onStage?.(...facts),
        askCredentials: async (username, reason) => {
          const typed = unused;
          unused = undefined;
          if (!typed) throw new AccountNeeded(username, reason);
          return typed;
        },
        askReason: async () => {
          if (!reason) throw new ReasonNeeded('approval');
          return { reason };
        },
        opened: () => undefined,
        closed: () => undefined,
      },
      opener: filesOpener(),
      onBegin: (controller) =>
        signal?.addEventListener('abort', () => controller.abort(gone()), { once: true }),
    });
    const pooled = {
      session,
      uploads: new WebUploads(session.files, person.userId),
      loginId: person.loginId,
      isTyped: account !== undefined || reason !== undefined,
      users: 0,
      usedAt: performance.now(),
    };
    this.pooled.set(key, pooled);
    void session.ended.finally(() => {
      if (this.pooled.get(key) === pooled) this.pooled.delete(key);
    });
    return pooled;
  }

  /**
   * Makes room within the limit of a sign-in by closing the least recently used connection. @throws
   * Refusal when all are in use
   */
  private makeRoom(loginId: string): void {
    const own = [...this.pooled.values()].filter(
      (pooled) => pooled.loginId === loginId && !pooled.session.isOver,
    );
    if (own.length < MAX_FILE_CONNECTIONS) return;
    const [oldest] = own
      .filter(({ users, uploads }) => users === 0 && uploads.count === 0)
      .toSorted((one, other) => one.usedAt - other.usedAt);
    if (!oldest) throw new Refusal('file_limit');
    oldest.session.end('session_finished');
  }
}

function keyOf({ userId, loginId }: FilesPerson, { assetId, systemUserId }: FilesTarget): string {
  return [userId, loginId, assetId.toLowerCase(), systemUserId.toLowerCase()].join(' ');
}
