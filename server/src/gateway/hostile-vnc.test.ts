import { setTimeout as sleep } from 'node:timers/promises';
import { actionMask } from '@sallyport/contract';
import { expect, it, vi } from 'vitest';
import { DesktopClient } from '../testing/desktops/desktop-client.ts';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { SESSION_LASTS, startHostileServer } from '../testing/hostile/hostile-server.ts';
import { VNC_ATTACKS } from '../testing/hostile/vnc.ts';
import { VNC_PICTURE_ATTACKS } from '../testing/hostile/vnc-pictures.ts';

const rig = gatewayRig();
/** Bytes that an attack may send before its session ends, besides those in network buffers. */
const MAX_TAKEN = 32 * 1024 * 1024;
/** Bytes of a flood that its session survives. */
const MIN_SENT = 1024 * 1024;

function offerDesktop(port: number): void {
  const grant = grantFor(rig.sshd);
  rig.ports.grant = {
    ...grant,
    actions: actionMask(['connect']),
    asset: { ...grant.asset, port },
    systemUser: { ...grant.systemUser, protocol: 'vnc' },
  };
  rig.ports.login = { username: '', password: 'secret' };
}

it.each(VNC_ATTACKS)(
  'ends a desktop with $expected when the VNC server $name',
  async ({ serve, expected, stalls }) => {
    const server = await startHostileServer(serve);
    offerDesktop(server.port);
    // The handshake before a missing picture must be faster than its own timeout.
    const connectSeconds = !stalls ? 60 : expected === 'connect_no_picture' ? 2 : 0.5;
    rig.ports.limitValues = { ...rig.ports.limitValues, connectSeconds };
    const client = await DesktopClient.connect(rig.server.url);
    const isOver = () =>
      client.wire.messages.some(({ type }) => type === 'open' || type === 'closed');
    await client.wire.until('the desktop is open, or closed', () => isOver() || undefined);
    if (client.wire.messages.some(({ type }) => type === 'open')) client.start();
    expect((await client.wire.message('closed')).code).toBe(expected);
    expect(server.sent()).toBeLessThan(MAX_TAKEN);
    await server.stop();
  },
);

it.each(VNC_PICTURE_ATTACKS)(
  'ends a desktop with $expected when the VNC server $name',
  async ({ serve, expected, part }) => {
    const server = await startHostileServer(serve);
    offerDesktop(server.port);
    const client = await DesktopClient.connect(rig.server.url);
    client.asBlindPage();
    await client.wire.message('open');
    client.send([2, 0, 0, 0]);
    if (expected === SESSION_LASTS) {
      const sent = Math.min(part.length, MIN_SENT);
      await client.wire.until('a flood', () => server.sent() >= sent || undefined);
      client.socket.close(1000);
    } else await client.wire.message('closed');
    const { reason, replayState } = await rig.finished(client.wire);
    expect({ reason, replayState }).toEqual({ reason: expected, replayState: 'finished' });
    await server.stop();
  },
);

it('finishes the row of a desktop that did not open before the server stops', async () => {
  const attack = VNC_ATTACKS.find(({ name }) => name === 'announces 65,535 by 65,535 pixels');
  if (!attack) throw new Error('no attack is refused after its recording began');
  const server = await startHostileServer(attack.serve);
  offerDesktop(server.port);
  const { sessions } = rig.ports;
  const { finish } = sessions;
  vi.spyOn(sessions, 'finish').mockImplementation(async (id, end) => {
    await sleep(100);
    await finish(id, end);
  });
  const client = await DesktopClient.connect(rig.server.url);
  expect((await client.wire.message('closed')).code).toBe('connect_desktop_error');
  await rig.server.gateway.drain();
  expect(rig.ports.row().end).toMatchObject({ reason: 'connect_desktop_error' });
  await server.stop();
});
