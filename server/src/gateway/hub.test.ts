import { expect, it } from 'vitest';
import { grantFor, memoryPorts, PERSON } from '../testing/gateway/memory-ports.ts';
import { Hub } from './hub.ts';
import { FileSession } from './sessions/files/file-session.ts';

it('does not wait for an idle file connection before a stop', async () => {
  const target = { host: '127.0.0.1', port: 1, username: 'ops', privateKey: '' };
  const ports = memoryPorts(target);
  const grant = grantFor(target);
  ports.grant = grant;
  const hub = new Hub(ports.access);
  const session = new FileSession({
    row: {
      id: '11111111-1111-4111-8111-111111111111',
      person: PERSON,
      grant,
      account: 'root',
      dateStart: new Date(),
    },
    ports,
    limits: await ports.limits.read(),
    client: {
      stage: () => undefined,
      askCredentials: () => Promise.reject(new Error('no account is asked for')),
      opened: () => undefined,
      closed: () => undefined,
    },
  });
  hub.add(session);
  expect(session.isIdle).toBe(false);
  await hub.leave(120_000);
  expect(hub.counts().sessions).toBe(1);
  await hub.drain();
}, 30_000);
