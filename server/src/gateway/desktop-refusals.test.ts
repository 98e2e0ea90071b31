import type { Socket } from 'node:net';
import { actionMask, ERRORS, type ErrorCode, say } from '@sallyport/contract';
import { SignInRefused } from '@sallyport/rdp';
import { beforeAll, expect, it } from 'vitest';
import { type KeyWithCertificate, makeSelfSigned } from '../testing/certificates.ts';
import { DesktopClient } from '../testing/desktops/desktop-client.ts';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { serveConfirm, serveSignIn } from '../testing/hostile/rdp.ts';
import { startDevice } from '../testing/hosts/device.ts';
import { signInRefusalOf } from './protocols/rdp/sign-in-refusals.ts';

const rig = gatewayRig();
let identity: KeyWithCertificate;
beforeAll(async () => {
  identity = await makeSelfSigned('IP:127.0.0.1');
});
const SECRET = 'Vault Secret 7';

/** Returns code and sentence of a connection to a server that refuses it. */
async function refused(
  protocol: 'vnc' | 'rdp',
  serve: (socket: Socket, identity: KeyWithCertificate) => unknown,
  { username = 'clerk', isOpen = false, rdpSecurity = 'any' as 'any' | 'nla' | 'tls' } = {},
): Promise<readonly [string, string]> {
  const device = await startDevice((socket) => {
    socket.on('error', () => undefined);
    serve(socket, identity);
  });
  const grant = grantFor(rig.sshd);
  rig.ports.rows.clear();
  rig.ports.grant = {
    ...grant,
    actions: actionMask(['connect']),
    asset: { ...grant.asset, port: device.port, rdpSecurity },
    systemUser: { ...grant.systemUser, username, protocol, isOpen },
  };
  rig.ports.login = isOpen ? { username, isOpen } : { username, password: SECRET };
  const { wire } = await DesktopClient.connect(rig.server.url);
  const { code, message } = await wire.message('closed');
  wire.close();
  await device.stop();
  return [code, message.replaceAll(`127.0.0.1:${device.port}`, 'HOST')];
}

const words = (text: string, length = Buffer.byteLength(text)) => {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(length);
  return Buffer.concat([head, Buffer.from(text)]);
};
const saying = (version: string, bytes: Buffer) => (socket: Socket) => {
  socket.write(version);
  socket.once('data', () => socket.write(bytes));
};
const V8 = 'RFB 003.008\n';

/** A server of version 3.8 that accepts no answer to its challenge. */
const rejecting =
  (result: number, reason: Buffer, version = V8) =>
  (socket: Socket) => {
    const challenge = Buffer.alloc(16, 7);
    const type = version === 'RFB 003.003\n' ? Buffer.from([0, 0, 0, 2]) : Buffer.from([1, 2]);
    const answers =
      version === 'RFB 003.003\n' ? [Buffer.concat([type, challenge])] : [type, challenge];
    const head = Buffer.alloc(4);
    head.writeUInt32BE(result);
    answers.push(Buffer.concat([head, reason]));
    socket.write(version);
    socket.on('data', () => socket.write(answers.shift() ?? Buffer.alloc(0)));
  };

const BUSY = 'HOST rejects sign-ins for now, possibly after too many failures.';

// Texts of TigerVNC 1.12 and 1.15, x11vnc 0.9.16, QEMU 7.2, wayvnc 0.5, TightVNC, UltraVNC and
// RealVNC, by their sources and documents; others are free.
it.each([
  ['Too many security failures', 'connect_desktop_busy', BUSY],
  ['Too many authentication failures', 'connect_desktop_busy', BUSY],
  ['', 'connect_desktop_busy', BUSY],
  ['Server is in view only mode', 'connect_desktop_words'],
  ['Your viewer is not allowed to connect', 'connect_desktop_words'],
  ['License check failed', 'connect_desktop_words'],
  ['本机不接受连接', 'connect_desktop_words'],
])('shows the words of a VNC server that offers no sign-in: %s', async (text, code, sentence?) => {
  const expected = sentence ?? `HOST refused the connection: “${text}”`;
  const none = Buffer.concat([Buffer.from([0]), words(text)]);
  expect(await refused('vnc', saying(V8, none))).toEqual([code, expected]);
  expect(await refused('vnc', saying('RFB 003.007\n', none))).toEqual([code, expected]);
  const old = Buffer.concat([Buffer.alloc(4), words(text)]);
  expect(await refused('vnc', saying('RFB 003.003\n', old))).toEqual([code, expected]);
});

it.each([
  [1, 'Authentication failure', 'connect_credentials'],
  [1, 'Authentication failed', 'connect_credentials'],
  [1, 'password check failed!', 'connect_credentials'],
  [1, 'Invalid username or password', 'connect_credentials'],
  [
    1,
    'Either the username was not recognised, or the password was incorrect',
    'connect_credentials',
  ],
  [1, '', 'connect_credentials'],
  [2, '', 'connect_desktop_busy'],
  [2, 'Too many authentication failures', 'connect_desktop_busy'],
  [1, 'Too many security failures', 'connect_desktop_busy'],
  [1, 'Connection rejected by the user at the desktop', 'connect_desktop_words'],
  [1, 'The password of this server has expired', 'connect_desktop_words'],
  [1, 'Unable to authenticate against the domain controller', 'connect_desktop_words'],
  [7, 'Authentication continues elsewhere', 'connect_desktop_words'],
  [9, '', 'connect_desktop_words', 'HOST refused the connection: “result 9”'],
])(
  'has a sentence for a rejected VNC sign-in with result %d, %s',
  async (result, text, code, expected?) => {
    const [got, sentence] = await refused('vnc', rejecting(result, words(text)));
    expect(got).toBe(code);
    if (code === 'connect_desktop_words')
      expect(sentence).toBe(expected ?? `HOST refused the connection: “${text}”`);
  },
);

it('takes the result of VNC 3.3 and 3.7, which have no text', async () => {
  for (const version of ['RFB 003.003\n', 'RFB 003.007\n'])
    for (const [result, code] of [
      [1, 'connect_credentials'],
      [2, 'connect_desktop_busy'],
      [3, 'connect_desktop_words'],
    ] as const)
      expect((await refused('vnc', rejecting(result, Buffer.alloc(0), version)))[0]).toBe(code);
});

it('shows no password, control character, second line or long text of a VNC server', async () => {
  const hostile = `no ${SECRET}\u001b[31m\u202ered\nsecond`;
  expect(await refused('vnc', rejecting(1, words(hostile)))).toEqual([
    'connect_desktop_words',
    'HOST refused the connection: “no … [31m red”',
  ]);
  const none = (length: number) =>
    Buffer.concat([Buffer.from([0]), words('x'.repeat(5000), length)]);
  const [, long] = await refused('vnc', saying(V8, none(5000)));
  expect(long.length).toBeLessThan(300);
  // A length without its text, and no text, are a refusal without words.
  expect(await refused('vnc', saying(V8, Buffer.from([0, 255, 255, 255, 255, 65])))).toEqual([
    'connect_desktop_busy',
    BUSY,
  ]);
  expect((await refused('vnc', rejecting(1, Buffer.alloc(0))))[0]).toBe('connect_credentials');
});

it('says that a VNC server asks for a password that the system user does not have', async () => {
  const account = { username: '', isOpen: true };
  expect(await refused('vnc', saying(V8, Buffer.from([1, 2])), account)).toEqual([
    'connect_desktop_password',
    'HOST asks for a password, but the system user has none. Enter it there.',
  ]);
});

const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const failure = (code: number) => Buffer.concat([Buffer.from([3, 0, 8, 0]), number(code)]);

// MS-RDPBCGR 2.2.1.2.2, and codes that it does not list.
it.each([
  [1, 'connect_rdp_no_nla'],
  [2, 'connect_rdp_no_tls'],
  [3, 'connect_rdp_no_tls'],
  [4, 'connect_rdp_negotiation', 'HOST refused the request for a connection with code 4 of RDP.'],
  [6, 'connect_rdp_negotiation', 'HOST refused the request for a connection with code 6 of RDP.'],
  [7, 'connect_rdp_negotiation'],
  [0xffff_ffff, 'connect_rdp_negotiation'],
] as const)(
  'has a sentence for failure %d of the RDP negotiation',
  async (code, expected, text?) => {
    for (const rdpSecurity of ['any', 'nla'] as const) {
      const [got, sentence] = await refused('rdp', serveConfirm(failure(code)), { rdpSecurity });
      expect([rdpSecurity, got]).toEqual([rdpSecurity, expected]);
      if (text) expect(sentence).toBe(text);
    }
  },
);

it('advises TLS to a server that has neither TLS nor network level authentication', async () => {
  const plain = Buffer.concat([Buffer.from([2, 0, 8, 0]), number(0)]);
  for (const answer of [plain, Buffer.alloc(0)])
    for (const rdpSecurity of ['any', 'nla', 'tls'] as const)
      expect((await refused('rdp', serveConfirm(answer), { rdpSecurity }))[0]).toBe(
        'connect_rdp_no_tls',
      );
  const tls = Buffer.concat([Buffer.from([2, 0, 8, 0]), number(1)]);
  expect((await refused('rdp', serveConfirm(tls), { rdpSecurity: 'nla' }))[0]).toBe(
    'connect_rdp_no_nla',
  );
});

/** A value of DER with a short or long length. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? [content.length] : [0x81, content.length];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
const request = (version: number, ...fields: readonly Buffer[]) =>
  der(0x30, der(0xa0, der(2, Buffer.from([version]))), ...fields);
/** The rejection of a TSRequest (MS-CSSP 2.2.1). */
const rejection = (status: number, version = 6) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(status);
  return request(version, der(0xa4, der(2, bytes)));
};
/** A challenge of NTLM without names (MS-NLMP 2.2.1.2). */
const challenge = (version: number) => {
  const message = Buffer.alloc(60);
  message.write('NTLMSSP\0', 'latin1');
  message.writeUInt32LE(2, 8);
  message.writeUInt32LE(0xe28a8235, 20);
  message.writeUInt16LE(4, 40);
  message.writeUInt16LE(4, 42);
  message.writeUInt32LE(56, 44);
  return request(version, der(0xa1, der(0x30, der(0x30, der(0xa0, der(4, message))))));
};

const signedIn = (answers: readonly Buffer[]) => refused('rdp', serveSignIn(answers));

it('names why a Windows server rejects an account', async () => {
  expect(await signedIn([rejection(0xc000_006d)])).toEqual([
    'connect_credentials',
    'HOST did not accept the credentials of clerk.',
  ]);
  expect(await signedIn([challenge(6), rejection(0xc000_0234)])).toEqual([
    'connect_account_locked',
    'The account clerk is locked at HOST, usually after wrong passwords (0xC0000234 STATUS_ACCOUNT_LOCKED_OUT).',
  ]);
  expect(await signedIn([challenge(5), rejection(0xc000_0224)])).toEqual([
    'connect_password_expired',
    'HOST requires a new password for clerk: the old one has expired, or must be changed (0xC0000224 STATUS_PASSWORD_MUST_CHANGE).',
  ]);
  expect(await signedIn([rejection(0xc000_0018)])).toEqual([
    'connect_rdp_refused',
    'HOST did not sign clerk in: 0xC0000018',
  ]);
});

it('tells a server that closes with the version in which that means a rejection', async () => {
  expect((await signedIn([challenge(2)]))[0]).toBe('connect_credentials');
  for (const version of [3, 6])
    expect((await signedIn([challenge(version)]))[0]).toBe('connect_sign_in_closed');
});

/** Codes of MS-ERREF that can follow a sign-in. */
const STATUSES: Readonly<Record<number, ErrorCode>> = {
  ...{ 3221225581: 'connect_credentials', 3221225578: 'connect_credentials' },
  ...{ 3221225572: 'connect_credentials', 2148074252: 'connect_credentials' },
  ...{ 2147943726: 'connect_credentials', 3221225585: 'connect_password_expired' },
  ...{ 3221226020: 'connect_password_expired', 2147943730: 'connect_password_expired' },
  ...{ 2147944307: 'connect_password_expired', 3221225586: 'connect_account_disabled' },
  ...{ 2147943731: 'connect_account_disabled', 3221225875: 'connect_account_expired' },
  ...{ 2147944193: 'connect_account_expired', 3221226036: 'connect_account_locked' },
  ...{ 2147944309: 'connect_account_locked', 3221225582: 'connect_account_restricted' },
  ...{ 2147943727: 'connect_account_restricted', 3221225583: 'connect_account_restricted' },
  ...{ 2147943728: 'connect_account_restricted', 3221225584: 'connect_account_restricted' },
  ...{ 2147943729: 'connect_account_restricted', 3221225819: 'connect_account_restricted' },
  ...{ 2147943785: 'connect_account_restricted', 3221226515: 'connect_account_restricted' },
};

it('guesses nothing about any other of 12,000 codes of Windows', () => {
  const place = { host: 'HOST', account: 'clerk' };
  for (const base of [0xc000_0000, 0xd000_0000, 0x8009_0300, 0x8007_0000, 0])
    for (let low = 0; low < 2400; low += 1) {
      const status = base + low;
      const known = base === 0xd000_0000 ? 0xc000_0000 + low : status;
      const { problem } = signInRefusalOf(
        new SignInRefused({ errorCode: status, version: 6 }),
        place,
      );
      const hex = `0x${status.toString(16).toUpperCase().padStart(8, '0')}`;
      expect([hex, problem.code]).toEqual([hex, STATUSES[known] ?? 'connect_rdp_refused']);
      if (problem.code !== 'connect_credentials')
        expect(say(ERRORS[problem.code], 'zh', problem.params)).toContain(hex);
    }
});
