import { actionMask } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { makeSelfSigned } from '../testing/certificates.ts';
import { DesktopClient } from '../testing/desktops/desktop-client.ts';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { startHostileServer } from '../testing/hostile/hostile-server.ts';
import { RDP_ATTACKS } from '../testing/hostile/rdp.ts';

const rig = gatewayRig();
/** Bytes that an attack may send before its session ends, besides those in network buffers. */
const MAX_TAKEN = 32 * 1024 * 1024;

it.each(RDP_ATTACKS)(
  'ends a desktop with $expected when the RDP server $name',
  async ({ serve, expected, stalls, hasNoPicture }) => {
    const identity = await makeSelfSigned('IP:127.0.0.1');
    const server = await startHostileServer((socket) => serve(socket, identity));
    const grant = grantFor(rig.sshd);
    rig.ports.grant = {
      ...grant,
      actions: actionMask(['connect', 'clipboard_copy', 'clipboard_paste']),
      asset: { ...grant.asset, port: server.port },
      systemUser: { ...grant.systemUser, username: 'somebody', protocol: 'rdp' },
    };
    rig.ports.login = { username: 'somebody', password: 'secret' };
    const connectSeconds = !stalls ? 60 : hasNoPicture ? 1 : 0.5;
    rig.ports.limitValues = { ...rig.ports.limitValues, connectSeconds };
    const client = await DesktopClient.connect(rig.server.url);
    client.asRdpPage();
    expect((await client.wire.message('closed')).code).toBe(expected);
    if (!hasNoPicture) expect(server.sent()).toBeLessThan(MAX_TAKEN);
    await server.stop();
  },
);
