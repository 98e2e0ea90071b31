import { describe, expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { TerminalClient } from '../testing/terminals/terminal-client.ts';
import { Refusal } from './refusal.ts';

const rig = gatewayRig();

describe('watching', () => {
  it('ends watching when the permission for it ends, and keeps the session open', async () => {
    const client = await rig.openTerminal();
    const watcher = TerminalClient.watch(rig.server.url, rig.ports.row().session.id);
    await watcher.message('resize');
    rig.ports.mayWatch = false;
    await rig.server.gateway.hub.recheck();
    expect(await watcher.message('closed')).toMatchObject({
      code: 'session_watch_ended',
      retry: false,
    });
    expect(rig.server.gateway.hub.counts()).toMatchObject({ sessions: 1, watchers: 0 });
    client.type('echo still he"re"\r');
    await client.waitFor('still here');
    await client.close();
  });

  it.each([
    [
      'an outage of the database',
      new Error('Connection terminated unexpectedly'),
      'session_database_away',
    ],
    ['an error of the program', new TypeError('x is not a function'), 'session_check_failed'],
    ['a refusal', new Refusal('connect_denied'), 'session_watch_ended'],
  ] as const)('names %s that ended a check', async (_name, error, code) => {
    const client = await rig.openTerminal();
    const watcher = TerminalClient.watch(rig.server.url, rig.ports.row().session.id);
    await watcher.message('resize');
    const { access } = rig.ports;
    const { mayWatch } = access;
    Object.assign(access, {
      mayWatch: async () => {
        throw error;
      },
    });
    try {
      await rig.server.gateway.hub.recheck();
      expect(await watcher.message('closed')).toMatchObject({
        code,
        retry: code !== 'session_watch_ended',
      });
    } finally {
      Object.assign(access, { mayWatch });
    }
    await client.close();
  });

  it('ends watching with its sign-in', async () => {
    await rig.openTerminal();
    const watcher = TerminalClient.watch(rig.server.url, rig.ports.row().session.id);
    await watcher.message('resize');
    rig.server.gateway.hub.signOut('login1');
    expect(await watcher.message('closed')).toMatchObject({ code: 'session_signed_out' });
  });

  it('shows the current screen and later output, and disconnects a watcher that types', async () => {
    const client = await rig.openTerminal();
    client.type('echo before watching\r');
    await client.waitFor('\rbefore watching');
    const watcher = TerminalClient.watch(rig.server.url, rig.ports.row().session.id);
    expect(await watcher.message('resize')).toEqual({ type: 'resize', cols: 80, rows: 24 });
    await watcher.waitFor('before watching');
    client.type('echo while watching\r');
    await watcher.waitFor('\rwhile watching');
    client.send({ type: 'resize', cols: 90, rows: 30 });
    await watcher.until('the new size', () =>
      watcher.messages.find((message) => message.type === 'resize' && message.cols === 90),
    );
    const intruder = TerminalClient.watch(rig.server.url, rig.ports.row().session.id);
    await intruder.message('resize');
    intruder.type('touch intruded\r');
    expect(await intruder.until('close', () => intruder.closeCode)).toBe(1008);
    await client.close();
    expect(await watcher.message('closed')).toMatchObject({ code: 'session_finished' });
    const late = TerminalClient.watch(rig.server.url, rig.ports.row().session.id);
    expect(await late.message('closed')).toMatchObject({ code: 'session_not_watchable' });
  });
});
