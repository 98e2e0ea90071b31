import { once } from 'node:events';
import {
  type ConnectConfig,
  generateSshKeyPair,
  reportDisconnect,
  ServerDisconnect,
  ssh2,
} from '@sallyport/ssh';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import type { Json } from '../../../testing/client.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../../testing/ssh/ssh-world.ts';

const [BY_APPLICATION, NO_MORE_METHODS] = [11, 14] as const;

let world: SshWorld;
beforeAll(async () => {
  world = await startSshWorld();
});
afterAll(() => world?.stop());

type Handler = Extract<ConnectConfig['authHandler'], (...parts: never[]) => unknown>;
type Attempt = Parameters<Parameters<Handler>[2]>[0];

/** Connects with these attempts in their order. Resolves with the disconnect of the server. */
function connect(user: BuiltUser, attempts: readonly object[], { port } = world) {
  const client = new ssh2.Client();
  const disconnected = new Promise<ServerDisconnect>((done) => {
    client.on('error', (error) => {
      if (error instanceof ServerDisconnect) done(error);
    });
  });
  const left = attempts.map((attempt) => ({ username: user.username, ...attempt }) as Attempt);
  client.connect({
    ...{ host: '127.0.0.1', port, username: user.username, readyTimeout: 0 },
    authHandler: (_methods, _isPartial, next) => next(left.shift() ?? (false as never)),
  });
  reportDisconnect(client);
  return { client, disconnected };
}
const passwords = (password: string, count: number) =>
  Array.from({ length: count }, () => ({ type: 'password', password }));

it('says so after too many wrong passwords, and does not say more about a user that exists', async () => {
  const text = 'Too many authentication failures. Connect again for another attempt.';
  for (const username of [world.member.username, 'nobody-of-this-name']) {
    const { disconnected } = connect({ ...world.member, username }, passwords('wrong', 7));
    expect(await disconnected).toMatchObject({ reason: NO_MORE_METHODS, text });
  }
});

it('names the limit after too many keys', async () => {
  const user = await buildUser(world.test.db);
  const keys = Array.from({ length: 21 }, () => ({
    type: 'publickey',
    key: generateSshKeyPair('test').private,
  }));
  expect(await connect(user, keys).disconnected).toMatchObject({
    reason: NO_MORE_METHODS,
    text: 'The client offered too many keys (limit: 20). Select one, in OpenSSH with IdentitiesOnly.',
  });
});

it('repeats the problem of the sign-in when it ends the connection', async () => {
  const user = await buildUser(world.test.db, { isActive: false });
  const empty = (...parts: readonly unknown[]) => (parts.at(-1) as (answers: []) => void)([]);
  const { client, disconnected } = connect(user, [
    ...passwords(user.password, 1),
    { type: 'keyboard-interactive', prompt: empty },
  ]);
  const banner = once(client, 'banner');
  const { reason, text } = await disconnected;
  expect(reason).toBe(NO_MORE_METHODS);
  expect(String((await banner)[0])).toContain(`${text} / `);
});

it('says that the sign-in was ended, or that the server stops', async () => {
  const other = await startSshWorld();
  const user = other.member;
  const signIn = async () => {
    const { client, disconnected } = connect(user, passwords(user.password, 1), other);
    await once(client, 'ready');
    return { disconnected };
  };
  try {
    const ended = await signIn();
    const admin = await bearer(other.test);
    const { body } = await admin.get<Json[]>(`users/users/${user.id}/sign-ins/`);
    for (const { id } of body) await admin.delete(`users/users/${user.id}/sign-ins/${id}/`);
    expect(await ended.disconnected).toMatchObject({
      reason: BY_APPLICATION,
      text: 'This sign-in has ended.',
    });
    const stopped = await signIn();
    await other.stop();
    expect(await stopped.disconnected).toMatchObject({
      reason: BY_APPLICATION,
      text: 'The server is shutting down. Connect again later.',
    });
  } finally {
    await other.stop();
  }
});
