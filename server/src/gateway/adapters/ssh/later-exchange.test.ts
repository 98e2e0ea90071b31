import { generateSshKeyPair } from '@sallyport/ssh';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../../testing/client.ts';
import { until } from '../../../testing/poll.ts';
import { sshClient } from '../../../testing/ssh/ssh-client.ts';
import { type RekeyingTarget, startSshServer } from '../../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../../testing/ssh/ssh-world.ts';

interface Pin {
  readonly id: string;
  readonly fingerprint: string;
  readonly offered: { readonly fingerprint: string } | null;
}

let world: SshWorld<RekeyingTarget>;
beforeAll(async () => {
  world = await startWorld({}, startSshServer(), sshClient);
});
afterAll(() => world.stop());

const pin = async (): Promise<Pin> => {
  const { body } = await world.administrator.get<Pin[]>(`assets/assets/${world.asset}/host-keys/`);
  const [first] = body;
  if (!first) throw new Error('no host key is pinned');
  return first;
};

/** Accepts the offered host key as an administrator. */
async function acceptOffered(): Promise<void> {
  const { id, offered } = await pin();
  const { status, text } = await world.administrator.post<Json>(`assets/host-keys/${id}/accept/`, {
    fingerprint: offered?.fingerprint,
  });
  expect(status, text).toBe(200);
}

async function openShell() {
  const { ssh, login, member } = world;
  const shell = ssh.shell({ login, password: member.password });
  let output = '';
  shell.onOutput((chunk) => {
    output += chunk.toString('latin1');
  });
  const echo = async (word: string) => {
    shell.type(`echo ${word.slice(0, 1)}""${word.slice(1)}\r`);
    await until(() => output.includes(`${word}\r\n`), `the shell answers ${word}`);
  };
  await echo('opened');
  return { shell, echo, hasOutput: (word: string) => output.includes(word) };
}

it('keeps a session whose target exchanges keys again with its host key', async () => {
  const { shell, echo } = await openShell();
  world.sshd.exchangeKeys();
  await echo('exchanged');
  world.sshd.exchangeKeys();
  await echo('again');
  shell.type('exit\r');
  expect(await shell.ended).toBe(0);
  expect((await pin()).offered).toBeNull();
});

it('ends a session whose target exchanges keys again with another host key, and offers it for review', async () => {
  const { shell } = await openShell();
  const { fingerprint } = await pin();
  world.sshd.setHostKey(generateSshKeyPair('another'));
  world.sshd.exchangeKeys();
  expect(await shell.ended).not.toBe(0);
  const { fingerprint: kept, offered } = await pin();
  expect(kept).toBe(fingerprint);
  expect(offered?.fingerprint).toMatch(/^SHA256:/);
  expect(offered?.fingerprint).not.toBe(fingerprint);
  await until(
    async () => (await world.lastSession()).is_finished === true,
    'the session has ended',
  );
  expect((await world.lastSession()).end_reason).toBe('connect_target_lost');
  await acceptOffered();
  const { shell: next } = await openShell();
  next.type('exit\r');
  expect(await next.ended).toBe(0);
});

it('ends a session whose host key is no longer the pinned one at a later key exchange', async () => {
  const { sshd, ssh, login, member } = world;
  const { shell, echo } = await openShell();
  const before = sshd.hostKey();
  sshd.setHostKey(generateSshKeyPair('next'));
  const refused = await ssh.run({ login, password: member.password, command: 'true' });
  expect(refused.code).not.toBe(0);
  await acceptOffered();
  await echo('lives');
  sshd.setHostKey(before);
  sshd.exchangeKeys();
  expect(await shell.ended).not.toBe(0);
  expect((await pin()).offered).not.toBeNull();
});
