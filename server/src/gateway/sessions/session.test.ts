import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Problem } from '@sallyport/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseClock } from '../../platform/clock.ts';
import {
  grantFor,
  type MemoryPorts,
  memoryPorts,
  PERSON,
} from '../../testing/gateway/memory-ports.ts';
import { until } from '../../testing/poll.ts';
import { Hub } from '../hub.ts';
import { openFor } from '../listeners/open-for.ts';
import type { Grant } from '../ports/grant.ts';
import type { ReplayState } from '../ports/records.ts';
import type { Connection, Connector, Route } from '../protocols/connector.ts';
import { problemOf, Refusal } from '../refusal.ts';
import { openSession, type SessionOpener } from './open-session.ts';
import { Session } from './session.ts';
import type { SessionClient } from './session-client.ts';

/** A protocol of one line per direction, with query sessions on top. */
class LineConnection implements Connection {
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  close(): void {
    this.socket.destroy();
  }
}

const mysql: Connector = {
  protocol: 'mysql',
  sessionKinds: ['query'],
  async connect({ target }: Route) {
    const socket = connect(target.port, target.host);
    await once(socket, 'connect');
    return new LineConnection(socket);
  },
};

class QuerySession extends Session {
  readonly kind = 'query';
  readonly screen = undefined;
  recordedBytes = 0;
  connection: LineConnection | undefined;

  protected get wasOpen(): boolean {
    return this.connection !== undefined;
  }

  async ask(line: string): Promise<string> {
    this.active();
    this.connection?.socket.write(line);
    const [answer] = this.connection ? await once(this.connection.socket, 'data') : [];
    this.recordedBytes += String(answer).length;
    return String(answer);
  }

  protected stop(): void {
    this.connection?.close();
  }

  protected async finish(): Promise<ReplayState> {
    return 'none';
  }
}

const opener: SessionOpener<QuerySession> = {
  kind: 'query',
  begin: async (parts) => new QuerySession(parts),
  async open(session, connection) {
    if (!(connection instanceof LineConnection)) throw new Error('another protocol');
    session.connection = connection;
  },
};

class Client implements SessionClient {
  readonly calls: string[] = [];
  problem: Problem | undefined;
  readonly notices: string[] = [];

  stage(stage: string): void {
    this.calls.push(stage);
  }

  async askCredentials(username: string, reason: string) {
    this.calls.push(`${reason} ${username}`);
    return { username: 'typed', password: 'secret' };
  }

  opened({ account }: { account: string }): void {
    this.calls.push(`open as ${account}`);
  }

  notice({ code }: Problem): void {
    this.notices.push(code);
  }

  closed(problem: Problem): void {
    this.problem ??= problem;
  }
}

let target: Server;
let ports: MemoryPorts;
let hub: Hub;
let client: Client;
beforeEach(async () => {
  target = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (line) => socket.write(`rows of ${line}`));
  }).listen(0, '127.0.0.1');
  await once(target, 'listening');
  const address = target.address();
  const place = {
    host: '127.0.0.1',
    port: typeof address === 'object' && address ? address.port : 0,
    username: 'ops',
    privateKey: '',
  };
  ports = memoryPorts(place);
  const grant = grantFor(place);
  ports.grant = { ...grant, systemUser: { ...grant.systemUser, protocol: 'mysql' } };
  hub = new Hub(ports);
  client = new Client();
});
afterEach(async () => {
  await hub.drain();
  target.close();
});

async function open(): Promise<QuerySession> {
  const controller = hub.begin(PERSON.userId, 2);
  const request = { assetId: 'a', systemUserId: 's' };
  const session = await openSession(
    { ports, person: PERSON, request, client, connectors: [mysql], signal: controller.signal },
    opener,
  );
  hub.settled(controller);
  hub.add(session);
  return session;
}

it('uses an early opening for the first check only, and reads again after a second factor', async () => {
  const { grant } = ports;
  if (!grant) throw new Error('no grant');
  let reads = 0;
  const early = {
    changes: hub.changes,
    open: async () => {
      reads += 1;
      return {
        grant: { ...grant, factorMinutes: 5 },
        login: async () => ports.login,
        gateways: async () => [],
        hostKeys: ports.hostKeys,
      };
    },
  };
  const openEarly = (after: () => void) =>
    openSession(
      {
        ports: {
          ...ports,
          factors: {
            isRecent: async () => false,
            canType: async () => true,
            prove: async () => after(),
          },
        },
        person: PERSON,
        request: { assetId: 'a', systemUserId: 's', early },
        client: Object.assign(client, { askFactor: async () => '123456' }),
        connectors: [mysql],
        signal: new AbortController().signal,
      },
      opener,
    );
  const session = await openEarly(() => undefined);
  session.end('session_finished');
  await session.ended;
  const denied = openEarly(() => {
    ports.grant = undefined;
  });
  await expect(denied).rejects.toThrow('connect_denied');
  expect(reads).toBe(2);
});

it('gives a query session the same row, account, hub entry and end as other kinds', async () => {
  const session = await open();
  expect(client.calls).toEqual(['checking', 'opening', 'open as ops']);
  expect(await session.ask('select 1')).toBe('rows of select 1');
  expect(hub.list()).toMatchObject([{ id: session.row.id, kind: 'query', watchers: 0 }]);
  const viewer = { ...PERSON, loginId: 'login2', organizationId: 'org' };
  const watch = () =>
    hub.watch(
      session.row.id,
      { output: () => undefined, resize: () => undefined, closed: () => undefined },
      viewer,
    );
  expect(() => watch()).toThrow('session_not_watchable');
  const closed = session.connection && once(session.connection.socket, 'close');
  expect(hub.terminate(session.row.id, 'Administrator')).toBe(true);
  await Promise.all([closed, session.ended]);
  expect(client.problem).toEqual({
    code: 'session_terminated',
    params: { who: 'Administrator', why: '' },
  });
  expect(ports.row().end).toMatchObject({
    success: true,
    reason: 'session_terminated',
    replayState: 'none',
  });
  expect(hub.list()).toEqual([]);
});

it('ends a query session when its permission or a limit ends, and counts it for the session limit', async () => {
  const first = await open();
  await open();
  expect(() => hub.begin(PERSON.userId, 2)).toThrow('session_limit');
  hub.setLimits({ ...ports.limitValues, idleMinutes: 0.001 });
  await first.ended;
  expect(client.problem?.code).toBe('session_idle');
  const third = await open();
  ports.grant = undefined;
  await hub.recheck();
  await third.ended;
  expect(ports.rows.get(third.row.id)?.end?.reason).toBe('connect_expired');
});

it('rejects a session kind that no connector of the protocol opens, without row or connection', async () => {
  const attempt = openSession(
    {
      ports,
      person: PERSON,
      request: { assetId: 'a', systemUserId: 's' },
      client,
      connectors: [mysql],
      signal: new AbortController().signal,
    },
    { ...opener, kind: 'desktop' },
  );
  expect(problemOf(await attempt.catch((error: unknown) => error))).toEqual({
    code: 'connect_protocol',
    params: { protocol: 'mysql' },
  });
  expect(ports.rows.size).toBe(0);
});

describe('the end of a permission', () => {
  const limit = (grant: Partial<Grant>) => {
    if (ports.grant) ports.grant = { ...ports.grant, ...grant };
  };
  const inMs = (milliseconds: number) => new Date(Date.now() + milliseconds);

  it('warns once before the end, and reports an extension', async () => {
    limit({ validUntil: inMs(50_000) });
    const session = await open();
    await until(() => client.notices.length > 0, 'the warning');
    expect(client.notices).toEqual(['notice_permission_ends']);
    await session.recheck();
    limit({ validUntil: inMs(500_000) });
    await session.recheck();
    expect(client.notices).toEqual(['notice_permission_ends', 'notice_permission_extended']);
    expect(session.isOver).toBe(false);
  });

  it('ends the session with the condition that no longer holds', async () => {
    limit({ validUntil: inMs(100) });
    const session = await open();
    const params = { reason: { en: 'not now', zh: '当前时间不允许' } };
    Object.assign(ports.access, {
      check: async () => {
        throw new Refusal('connect_condition', params);
      },
    });
    await session.ended;
    expect(client.problem).toEqual({ code: 'connect_condition', params });
    expect(ports.row().end?.reason).toBe('connect_condition');
  });

  it('checks again when a condition may change, without a warning', async () => {
    limit({ validUntil: inMs(900_000), changesAt: inMs(50) });
    const session = await open();
    const { check } = ports.access;
    let checks = 0;
    Object.assign(ports.access, {
      check: (...terms: Parameters<typeof check>) => {
        checks += 1;
        return check(...terms);
      },
    });
    limit({ changesAt: inMs(900_000) });
    await until(() => checks > 0, 'the check');
    expect(client.notices).toEqual([]);
    expect(session.isOver).toBe(false);
  });
});

describe('the end of emergency access', () => {
  const MINUTES = 30 * 60_000;

  /** Runs `act` in a session, with a clock that only the test moves. */
  async function inSession(
    kept: Partial<Grant> | undefined,
    act: (session: QuerySession) => Promise<void>,
  ): Promise<void> {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    // Another test of this process may have read the clock of a database.
    const clock = vi.spyOn(databaseClock, 'now').mockImplementation(() => Date.now());
    try {
      const end = new Date(Date.now() + MINUTES);
      const { grant } = ports;
      Object.assign(ports.access, {
        check: async () => {
          if (Date.now() < end.getTime())
            return { ...grant, validUntil: end, ...kept, instantUntil: end };
          if (!kept) throw new Refusal('connect_denied');
          return { ...grant, ...kept };
        },
      });
      await act(await open());
    } finally {
      clock.mockRestore();
      vi.useRealTimers();
    }
  }

  it('ends a session at that moment when no other permission allows it', async () => {
    await inSession(undefined, async (session) => {
      await vi.advanceTimersByTimeAsync(MINUTES - 1);
      expect([session.isOver, client.notices]).toEqual([false, ['notice_permission_ends']]);
      await vi.advanceTimersByTimeAsync(1);
      expect([session.isOver, client.problem]).toEqual([true, { code: 'session_emergency_ended' }]);
    });
  });

  it('tells the user at that moment when another permission keeps the session open', async () => {
    await inSession({ validUntil: null }, async (session) => {
      await vi.advanceTimersByTimeAsync(MINUTES - 1);
      expect(client.notices).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect([session.isOver, client.notices]).toEqual([false, ['notice_emergency_ended']]);
      await vi.advanceTimersByTimeAsync(MINUTES);
      expect([session.isOver, client.notices]).toEqual([false, ['notice_emergency_ended']]);
    });
  });
});

describe('while permissions cannot be checked', () => {
  const away = async () => {
    throw new Error('Connection terminated unexpectedly');
  };

  it.each([
    ['an error of the program', new TypeError('x is not a function'), 'session_check_failed'],
    [
      'a server without files',
      Object.assign(new Error('open'), { code: 'EMFILE', syscall: 'open' }),
      'server_resources',
    ],
  ] as const)('names %s, and not an outage of the database', async (_name, error, code) => {
    ports.limitValues = { ...ports.limitValues, outageSeconds: 1 };
    const session = await open();
    const failing = async () => {
      throw error;
    };
    Object.assign(ports.access, { check: failing });
    await session.recheck();
    expect([session.isOver, client.notices]).toEqual([false, ['notice_check_failed']]);
    await expect(session.moveTo('192.0.2.99')).rejects.toMatchObject({ problem: { code } });
    await session.ended;
    expect(client.problem).toEqual({ code });
    expect(ports.row().end?.reason).toBe(code);
  });

  it('keeps the session open with a notice, and sends another when the check succeeds again', async () => {
    const session = await open();
    const { check } = ports.access;
    Object.assign(ports.access, { check: away });
    await hub.recheck();
    await hub.recheck();
    expect(session.isOver).toBe(false);
    expect(client.notices).toEqual(['notice_database_away']);
    expect(await session.ask('select 1')).toBe('rows of select 1');
    Object.assign(ports.access, { check });
    await hub.recheck();
    expect(client.notices).toEqual(['notice_database_away', 'notice_database_back']);
    expect(session.isOver).toBe(false);
  });

  it('ends the session with a dedicated reason when the grace period runs out', async () => {
    ports.limitValues = { ...ports.limitValues, outageSeconds: 1 };
    const session = await open();
    Object.assign(ports.access, { check: away });
    await session.recheck();
    expect(session.isOver).toBe(false);
    await session.ended;
    expect(client.problem).toEqual({ code: 'session_database_away' });
    expect(ports.row().end?.reason).toBe('session_database_away');
  });

  it('ends the session at once when the grace period is 0 seconds', async () => {
    ports.limitValues = { ...ports.limitValues, outageSeconds: 0 };
    const session = await open();
    Object.assign(ports.access, { check: away });
    await session.recheck();
    expect(session.isOver).toBe(true);
    expect(client.problem).toEqual({ code: 'session_database_away' });
    expect(client.notices).toEqual([]);
  });

  it('counts the grace period from the first unanswered probe', async () => {
    const session = await open();
    hub.outage(new Date(Date.now() - 119_000));
    expect(session.isOver).toBe(false);
    hub.setLimits({ ...ports.limitValues, outageSeconds: 60 });
    expect(session.isOver).toBe(true);
  });

  it('ends the session when the last known permission has expired', async () => {
    const session = await open();
    if (ports.grant) ports.grant = { ...ports.grant, validUntil: new Date(Date.now() + 20) };
    await session.recheck();
    Object.assign(ports.access, { check: away });
    await session.ended;
    expect(client.problem).toEqual({ code: 'session_database_away' });
  });

  it('ends the session with its own reason when the permission was revoked', async () => {
    const session = await open();
    const { check } = ports.access;
    Object.assign(ports.access, { check: away });
    await session.recheck();
    Object.assign(ports.access, { check });
    ports.grant = undefined;
    await session.ended;
    expect(client.problem).toEqual({ code: 'connect_expired' });
  });

  it('rejects a new session with a readable error', async () => {
    const fails = async () => {
      throw new TypeError('x is not a function');
    };
    Object.assign(ports.sessions, { openElsewhere: fails });
    const asking = {
      ports,
      hub,
      person: PERSON,
      request: { assetId: 'a', systemUserId: 's' },
      client,
      opener,
      connectors: [mysql],
      onBegin: () => undefined,
    };
    expect(problemOf(await openFor(asking).catch((error: unknown) => error))).toEqual({
      code: 'internal',
    });
    const unreachable = { ...asking, ports: { ...ports, databaseAnswers: async () => false } };
    expect(problemOf(await openFor(unreachable).catch((error: unknown) => error))).toEqual({
      code: 'connect_database_away',
    });
    Object.assign(ports.sessions, { openElsewhere: away });
    expect(problemOf(await openFor(asking).catch((error: unknown) => error))).toEqual({
      code: 'connect_database_away',
    });
  });
});
