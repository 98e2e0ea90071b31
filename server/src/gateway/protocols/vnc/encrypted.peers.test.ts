import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { actionMask } from '@sallyport/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Certificates, makeCertificates } from '../../../testing/certificates.ts';
import { DesktopClient } from '../../../testing/desktops/desktop-client.ts';
import { startXvnc, type TestXvnc } from '../../../testing/desktops/xvnc.ts';
import { type GatewayServer, startGateway } from '../../../testing/gateway/gateway-server.ts';
import {
  grantFor,
  type MemoryPorts,
  memoryPorts,
  PERSON,
} from '../../../testing/gateway/memory-ports.ts';
import { startDevice } from '../../../testing/hosts/device.ts';
import type { Login } from '../../ports.ts';

let directory: string;
let ports: MemoryPorts;
let server: GatewayServer | undefined;
let certificates: Certificates;
let otherCertificates: Certificates;
const running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sallyport-vencrypt-'));
  [certificates, otherCertificates] = [
    await makeCertificates(await mkdtemp(join(directory, 'a'))),
    await makeCertificates(await mkdtemp(join(directory, 'b'))),
  ];
});
afterAll(() => rm(directory, { recursive: true, force: true }));
beforeEach(() => {
  ports = memoryPorts({ host: '127.0.0.1', port: 1, username: '', privateKey: '' });
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  for (const one of running.splice(0)) await one.stop();
});

/** Starts an Xvnc with security types and a certificate. */
async function start(securityTypes: string, certificates?: Certificates): Promise<TestXvnc> {
  const files = certificates
    ? ['-X509Cert', certificates.certificate, '-X509Key', certificates.key]
    : [];
  const xvnc = await startXvnc({ securityTypes, more: files });
  running.push(xvnc);
  await xvnc.fill('#335577');
  return xvnc;
}

/** Moves the gateway's asset to another port; its pins stay. */
async function pointAt(port: number, login: Login): Promise<void> {
  await server?.stop();
  const { asset, systemUser, ...grant } =
    ports.grant ?? grantFor({ host: '127.0.0.1', port, username: '', privateKey: '' });
  const account = {
    ...systemUser,
    protocol: 'vnc' as const,
    username: login.username,
    isOpen: login.isOpen === true,
  };
  ports.grant = {
    ...grant,
    asset: { ...asset, port },
    actions: actionMask(['connect']),
    systemUser: account,
  };
  ports.login = login;
  server = await startGateway(ports, directory, PERSON);
}

const url = () => server?.url ?? '';
async function shows(): Promise<void> {
  const client = await DesktopClient.open(url());
  await client.shows('#335577');
  await client.wire.close();
}
const refusal = async () =>
  (await (await DesktopClient.connect(url())).wire.message('closed')).code;
const passwordOf = ({ password }: TestXvnc): Login => ({ username: '', password });

describe('VeNCrypt toward a server', () => {
  it("uses the server's certificate and pins its key, then rejects other keys and unencrypted connections", async () => {
    const xvnc = await start('X509Vnc,VncAuth', certificates);
    await pointAt(xvnc.port, passwordOf(xvnc));
    await shows();
    expect([...ports.pins.values()]).toHaveLength(1);
    await shows();
    ports.login = { username: '', password: 'wrong' };
    expect(await refusal()).toBe('connect_credentials');

    const [stranger, stripped, anonymous] = [
      await start('X509Vnc', otherCertificates),
      await start('VncAuth'),
      await start('TLSVnc,VncAuth'),
    ];
    for (const [other, code] of [
      [stranger, 'connect_certificate_changed'],
      [stripped, 'connect_desktop_unchecked'],
      [anonymous, 'connect_desktop_unchecked'],
    ] as const) {
      await pointAt(other.port, passwordOf(other));
      expect([other.port, await refusal()]).toEqual([other.port, code]);
    }
  });

  it('rejects encryption without a certificate with the reason, and falls back to other types that the server offers', async () => {
    const anonymous = await start('TLSVnc');
    await pointAt(anonymous.port, passwordOf(anonymous));
    expect(await refusal()).toBe('connect_desktop_unchecked');
    const both = await start('TLSVnc,VncAuth');
    await pointAt(both.port, passwordOf(both));
    await shows();
    expect(ports.pins.size).toBe(0);
  });

  it('sends name and password to a server that requires both, only under a certificate', async () => {
    const received: Buffer[] = [];
    const context = createSecureContext({
      cert: await readFile(certificates.certificate),
      key: await readFile(certificates.key),
    });
    const device = await startDevice((socket) => plainServer(socket, context, received));
    running.push(device);
    await pointAt(device.port, { username: 'clerk', password: 'sécret of the clerk' });
    const client = await DesktopClient.connect(url());
    expect(await client.wire.message('desktop')).toMatchObject({ width: 64, height: 48 });
    const [inClear, secret] = [Buffer.concat(received.slice(0, -1)), received.at(-1)];
    expect(secret?.subarray(8).toString()).toBe('clerksécret of the clerk');
    expect([secret?.readUInt32BE(0), secret?.readUInt32BE(4)]).toEqual([5, 20]);
    expect(inClear.includes('clerk')).toBe(false);
    // An account without a name cannot sign in there.
    await pointAt(device.port, { username: '', password: 'x' });
    expect(await refusal()).toBe('connect_desktop_sign_in');
  });

  it.each([
    ['an older version', Buffer.from([0, 1])],
    ['a version that is refused', Buffer.from([0, 2, 1])],
    ['a list without end', Buffer.from([0, 2, 0, 255])],
    ['an empty list', Buffer.from([0, 2, 0, 0])],
    [
      'no TLS after the choice',
      Buffer.concat([
        Buffer.from([0, 2, 0, 1, 0, 0, 1, 5, 1]),
        Buffer.from('this is not TLS, and long enough to be read as such'),
      ]),
    ],
  ])('ends the connection when a server answers with %s', async (_name, bytes) => {
    const device = await startDevice((socket) => {
      socket.write('RFB 003.008\n');
      socket.once('data', () => {
        socket.write(Buffer.from([1, 19]));
        socket.once('data', () => socket.write(bytes));
      });
    });
    running.push(device);
    await pointAt(device.port, { username: '', password: 'x' });
    expect(await refusal()).toBe('connect_desktop_error');
  });
});

describe('a server without a password', () => {
  it('opens a server without a password for accounts that allow it, under its certificate, and rejects other accounts', async () => {
    const open = await start('None');
    await pointAt(open.port, { username: '', password: 'x' });
    expect(await refusal()).toBe('connect_desktop_open');
    await pointAt(open.port, { username: '', isOpen: true });
    await shows();
    const encrypted = await start('X509None,VncAuth', certificates);
    await pointAt(encrypted.port, { username: '', isOpen: true });
    await shows();
    expect(ports.pins.size).toBe(1);
    const asking = await start('X509Vnc', certificates);
    await pointAt(asking.port, { username: '', isOpen: true });
    expect(await refusal()).toBe('connect_desktop_password');
  });
});

/**
 * Plays a server with X509Plain, and records what the gateway sends; the last entry arrived
 * encrypted.
 */
function plainServer(
  socket: Socket,
  secureContext: ReturnType<typeof createSecureContext>,
  received: Buffer[],
): void {
  const answers = [
    Buffer.from([1, 19]),
    Buffer.from([0, 2]),
    Buffer.concat([Buffer.from([0, 1]), Buffer.from([0, 0, 1, 6])]),
    Buffer.from([1]),
  ];
  const lengths = [12, 1, 2, 4];
  let kept = Buffer.alloc(0);
  const talk = (bytes: Buffer) => {
    kept = Buffer.concat([kept, bytes]);
    for (
      let length = lengths[0];
      length !== undefined && kept.length >= length;
      length = lengths[0]
    ) {
      lengths.shift();
      received.push(kept.subarray(0, length));
      kept = kept.subarray(length);
      socket.write(answers.shift() ?? '');
    }
    if (lengths.length > 0) return;
    socket.off('data', talk);
    const encrypted = new TLSSocket(socket, { isServer: true, secureContext });
    encrypted.on('error', () => undefined);
    encrypted.once('data', (account: Buffer) => {
      received.push(account);
      const init = Buffer.alloc(24);
      init.writeUInt16BE(64, 0);
      init.writeUInt16BE(48, 2);
      encrypted.write(Buffer.concat([Buffer.alloc(4), init]));
    });
  };
  socket.write('RFB 003.008\n');
  socket.on('data', talk);
}
