import { actionMask } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { DesktopClient } from '../testing/desktops/desktop-client.ts';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { startHostileServer } from '../testing/hostile/hostile-server.ts';
import { VNC_ATTACKS } from '../testing/hostile/vnc.ts';

const rig = gatewayRig();
/** Bytes that an attack may send before its session ends, besides those in network buffers. */
const MAX_TAKEN = 32 * 1024 * 1024;

it.each(VNC_ATTACKS)(
  'ends a desktop with $expected when the VNC server $name',
  async ({ serve, expected, stalls }) => {
    const server = await startHostileServer(serve);
    const grant = grantFor(rig.sshd);
    rig.ports.grant = {
      ...grant,
      actions: actionMask(['connect']),
      asset: { ...grant.asset, port: server.port },
      systemUser: { ...grant.systemUser, protocol: 'vnc' },
    };
    rig.ports.login = { username: '', password: 'secret' };
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
