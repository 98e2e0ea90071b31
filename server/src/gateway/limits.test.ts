import type { ServerMessage } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor, PERSON } from '../testing/gateway/memory-ports.ts';
import { TerminalClient } from '../testing/terminals/terminal-client.ts';
import { MAX_SOCKETS_PER_PERSON } from './limits.ts';

const rig = gatewayRig();
const firstMessage = async (
  client: TerminalClient,
  isExpected: (message: ServerMessage) => boolean,
) => client.until('a message', () => client.messages.find(isExpected));

it('limits sessions per user before connecting, and allows another when one ends', async () => {
  rig.ports.limitValues = { ...rig.ports.limitValues, sessionsPerPerson: 2 };
  const first = await rig.openTerminal();
  await rig.openTerminal();
  const refused = await (await rig.connect()).message('closed');
  expect([refused.code, refused.message]).toEqual([
    'session_limit',
    'You already have 2 sessions open, the maximum. Close one first.',
  ]);
  expect(rig.ports.rows.size).toBe(2);
  await first.close();
  await first.until('room for another', () =>
    rig.server.gateway.hub.counts().sessions === 1 ? true : undefined,
  );
  await rig.openTerminal();
});

it('limits sockets per user across terminals and watchers, and allows another when one closes', async () => {
  rig.ports.limitValues = {
    ...rig.ports.limitValues,
    sessionsPerPerson: 2 * MAX_SOCKETS_PER_PERSON,
  };
  const [terminal] = [await rig.openTerminal()];
  const session = rig.ports.row().session.id;
  const watcher = TerminalClient.watch(rig.server.url, session);
  await watcher.message('resize');
  // A terminal that waits for credentials stays open for minutes.
  const grant = grantFor(rig.sshd);
  rig.ports.grant = { ...grant, systemUser: { ...grant.systemUser, loginMode: 'manual' } };
  const waiting = await Promise.all(
    Array.from({ length: MAX_SOCKETS_PER_PERSON - 2 }, () => rig.connect()),
  );
  for (const client of waiting) await client.message('need_credentials');

  const refused = [await rig.connect(), TerminalClient.watch(rig.server.url, session)];
  for (const client of refused) {
    expect(await client.message('closed')).toMatchObject({ code: 'socket_limit' });
    await client.until('close', () => client.closeCode);
  }
  rig.person = { ...PERSON, userId: 'u2' };
  const other = await rig.connect();
  await other.message('need_credentials');

  rig.person = PERSON;
  await waiting[0]?.close();
  const answer = async () =>
    (
      await firstMessage(
        await rig.connect(),
        ({ type }) => type === 'need_credentials' || type === 'closed',
      )
    ).type;
  await expect.poll(answer).toBe('need_credentials');
  terminal.type('echo still he"re"\r');
  await terminal.waitFor('still here');
});
