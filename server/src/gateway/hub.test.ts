import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  grantFor,
  type MemoryPorts,
  memoryPorts,
  PERSON,
} from '../testing/gateway/memory-ports.ts';
import { Hub } from './hub.ts';
import { Capture } from './sessions/capture.ts';
import { FileSession } from './sessions/files/file-session.ts';

const target = { host: '127.0.0.1', port: 1, username: 'ops', privateKey: '' };
const grant = grantFor(target);
let ports: MemoryPorts;
let hub: Hub;
beforeEach(() => {
  ports = memoryPorts(target);
  ports.grant = grant;
  hub = new Hub(ports);
});
afterEach(() => hub.drain());

const openFiles = async () =>
  new FileSession({
    row: {
      id: randomUUID(),
      person: PERSON,
      grant,
      account: 'root',
      dateStart: new Date(),
    },
    ports,
    limits: await ports.limits.read(),
    capture: new Capture(false),
    client: {
      stage: () => undefined,
      askCredentials: () => Promise.reject(new Error('a file session asks for no account')),
      opened: () => undefined,
      closed: () => undefined,
    },
  });

it('does not wait for an idle file connection before a stop', async () => {
  const session = await openFiles();
  hub.add(session);
  expect(session.isIdle).toBe(false);
  await hub.leave(120_000);
  expect(hub.counts().sessions).toBe(1);
}, 30_000);

it('ends a session whose permission or sign-in ended during its attempt, or after an earlier read', async () => {
  for (const change of [() => hub.recheck(), () => hub.signOut('login of another user')]) {
    const attempt = hub.begin(PERSON.userId, 2);
    const session = await openFiles();
    ports.grant = undefined;
    await change();
    hub.add(session, attempt);
    hub.settled(attempt);
    await session.ended;
    ports.grant = grant;
  }
  const early = hub.changes;
  ports.grant = undefined;
  await hub.recheck();
  const attemptAfter = hub.begin(PERSON.userId, 2, 0, early);
  const session = await openFiles();
  hub.add(session, attemptAfter);
  hub.settled(attemptAfter);
  await session.ended;
  ports.grant = grant;
  const attempt = hub.begin(PERSON.userId, 2, 0, hub.changes);
  const unchanged = await openFiles();
  hub.add(unchanged, attempt);
  hub.settled(attempt);
  expect(hub.counts().sessions).toBe(1);
});
