import type { TLSSocket } from 'node:tls';
import { actionMask } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { makeSelfSigned } from '../testing/certificates.ts';
import { DesktopClient } from '../testing/desktops/desktop-client.ts';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { startHostileServer } from '../testing/hostile/hostile-server.ts';
import { RDP_ATTACKS, serveDesktops } from '../testing/hostile/rdp.ts';
import { until } from '../testing/poll.ts';

const rig = gatewayRig();
/** Bytes that an attack may send before its session ends, besides those in network buffers. */
const MAX_TAKEN = 32 * 1024 * 1024;

function offerDesktop(port: number, username = 'somebody'): void {
  const grant = grantFor(rig.sshd);
  rig.ports.grant = {
    ...grant,
    actions: actionMask(['connect', 'clipboard_copy', 'clipboard_paste']),
    asset: { ...grant.asset, id: 'desktop', port },
    systemUser: { ...grant.systemUser, username, protocol: 'rdp' },
  };
  rig.ports.login = { username, password: 'secret' };
}

it.each(RDP_ATTACKS)(
  'ends a desktop with $expected when the RDP server $name',
  async ({ serve, expected, stalls, hasNoPicture, hasDrive }) => {
    const identity = await makeSelfSigned('IP:127.0.0.1');
    const server = await startHostileServer((socket) => serve(socket, identity));
    offerDesktop(server.port);
    const connectSeconds = !stalls ? 60 : hasNoPicture ? 1 : 0.5;
    const driveBytes = hasDrive ? 1024 * 1024 : 0;
    rig.ports.limitValues = { ...rig.ports.limitValues, connectSeconds, driveBytes };
    if (hasDrive && rig.ports.grant)
      rig.ports.grant = { ...rig.ports.grant, actions: actionMask(['connect', 'upload_file']) };
    const client = await DesktopClient.connect(rig.server.url);
    client.asRdpPage();
    expect((await client.wire.message('closed')).code).toBe(expected);
    if (!hasNoPicture) expect(server.sent()).toBeLessThan(MAX_TAKEN);
    await server.stop();
  },
);

it('tells a desktop that a second session of its account took over from other ends', async () => {
  const identity = await makeSelfSigned('IP:127.0.0.1');
  const streams: TLSSocket[] = [];
  const server = await startHostileServer((socket) =>
    serveDesktops((stream) => streams.push(stream))(socket, identity),
  );
  const open = async (username: string) => {
    offerDesktop(server.port, username);
    const count = streams.length;
    const client = await DesktopClient.connect(rig.server.url);
    client.asRdpPage();
    await client.wire.message('open');
    await until(() => streams.length > count, 'the desktop at the server');
    return client;
  };
  const [first, other, second] = [await open('a'), await open('b'), await open('a')];
  const ends: string[] = [];
  for (const [index, client] of [first, other, second].entries()) {
    streams[index]?.end();
    ends.push((await client.wire.message('closed')).code);
  }
  expect(ends).toEqual([
    'connect_desktop_taken',
    'connect_rdp_no_bitmaps',
    'connect_rdp_no_bitmaps',
  ]);
  await server.stop();
});
