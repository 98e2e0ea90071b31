import type { Socket } from 'node:net';
import { actionMask, PROTOCOLS } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { DesktopClient } from '../testing/desktops/desktop-client.ts';
import { freePort } from '../testing/free-port.ts';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { startDevice } from '../testing/hosts/device.ts';

const rig = gatewayRig();

type Protocol = 'ssh' | 'telnet' | 'vnc' | 'rdp';

/** Returns the sentence with which a connection fails. */
async function sentence(protocol: Protocol, port: number): Promise<string> {
  const grant = grantFor(rig.sshd);
  const username = protocol === 'vnc' ? '' : 'somebody';
  rig.ports.rows.clear();
  rig.ports.grant = {
    ...grant,
    actions: actionMask(['connect']),
    asset: { ...grant.asset, port },
    systemUser: { ...grant.systemUser, username, protocol },
  };
  rig.ports.login = { username, password: 'secret' };
  const isDesktop = protocol === 'vnc' || protocol === 'rdp';
  const wire = isDesktop ? (await DesktopClient.connect(rig.server.url)).wire : await rig.connect();
  return (await wire.message('closed')).message;
}

const FAULTS: readonly (readonly [string, ((socket: Socket) => void) | undefined])[] = [
  ['has a closed port', undefined],
  ['closes the connection', (socket) => socket.end()],
  ['resets the connection', (socket) => socket.resetAndDestroy()],
  ['speaks HTTP', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['sends zero bytes', (socket) => socket.end(Buffer.alloc(4096))],
];

it.each(
  (['ssh', 'telnet', 'vnc', 'rdp'] as const).flatMap((protocol) =>
    FAULTS.map(([fault, talk]) => ({ protocol, fault, talk })),
  ),
)('names no other protocol than $protocol when the server $fault', async (one) => {
  const device = one.talk && (await startDevice(one.talk));
  const text = await sentence(one.protocol, device?.port ?? (await freePort()));
  const others = PROTOCOLS.filter(({ name }) => name !== one.protocol);
  for (const { name } of others) expect(text).not.toMatch(new RegExp(`\\b${name}\\b`, 'i'));
  expect(text).not.toMatch(/\{|\bof \.| {2}/);
  await device?.stop();
});

it('names no account where VNC rejects the password of an account without a user name', async () => {
  // Version 3.8, security type VNC, and a rejected answer.
  const answers = [Buffer.from([1, 2]), Buffer.alloc(16), Buffer.from([0, 0, 0, 1])];
  const device = await startDevice((socket) => {
    socket.write('RFB 003.008\n');
    socket.on('data', () => socket.write(answers.shift() ?? Buffer.alloc(0)));
  });
  expect(await sentence('vnc', device.port)).toBe(
    `127.0.0.1:${device.port} did not accept the password.`,
  );
  await device.stop();
});
