import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actionMask, RECORD } from '@sallyport/contract';
import { click, pressKey, RdpPage, readPlanar } from '@sallyport/rdp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordingFiles } from '../../../platform/storage/testing/recording-files.ts';
import { DesktopClient, recordsOf } from '../../../testing/desktops/desktop-client.ts';
import { type PrivateXrdp, startPrivateXrdp } from '../../../testing/desktops/private-xrdp.ts';
import { startGateway } from '../../../testing/gateway/gateway-server.ts';
import { grantFor, memoryPorts, PERSON } from '../../../testing/gateway/memory-ports.ts';
import { type ShadowServer, startShadowServer } from '../../../testing/gateway/shadow-server.ts';
import { until } from '../../../testing/poll.ts';
import type { RdpSecurity } from '../../ports/grant.ts';
import { problemOf } from '../../refusal.ts';
import type { Route } from '../connector.ts';
import type { DesktopWish } from '../target-desktop.ts';
import { connectRdp } from './connect.ts';
import { connectRdpDesktop } from './desktop.ts';

let xrdp: PrivateXrdp;
let shadow: ShadowServer;
beforeAll(async () => {
  [xrdp, shadow] = await Promise.all([startPrivateXrdp(), startShadowServer()]);
});
afterAll(() => Promise.all([xrdp.stop(), shadow.stop()]));

interface Server {
  readonly host: string;
  readonly port: number;
}

function routeTo(
  { host, port }: Server,
  username: string,
  password: string,
  verdict: 'pinned' | 'first-use' | 'changed' = 'first-use',
) {
  const offered: { keyType: string; key: Buffer }[] = [];
  const route: Route = {
    gateways: [],
    target: { id: 'a', name: 'desk', host, port, login: { username, password } },
    hostKeys: {
      verify: async (key) => {
        offered.push(key);
        return verdict;
      },
      isPinned: async () => false,
    },
    addresses: { allows: () => true },
    timeoutMs: 30_000,
    onStage: () => undefined,
  };
  return { route, offered };
}

const signal = new AbortController().signal;

async function refusedBy(route: Route): Promise<unknown> {
  return connectRdpDesktop(route, signal).then(
    (connection) => {
      connection.close();
      return undefined;
    },
    (error: unknown) => problemOf(error),
  );
}

/** Opens a desktop with a page, and collects the gateway's output. */
async function opened(route: Route, preferences: Partial<DesktopWish> = {}) {
  const { openDesktop } = await connectRdpDesktop(route, signal);
  if (!openDesktop) throw new Error('no desktop');
  const pictures: Buffer[] = [];
  const ends: string[] = [];
  let inputs = 0;
  let isResizable = false;
  let messages = 0;
  let page: RdpPage | undefined;
  const desktop = await openDesktop(
    {
      width: 642,
      height: 480,
      ...preferences,
      name: 'desk',
      clipboard: { copy: false, paste: false },
      files: { upload: false, download: false },
    },
    {
      onShow: (bytes) => {
        messages++;
        page?.take(bytes);
      },
      onPicture: (bytes) => void pictures.push(bytes),
      onInput: () => {
        inputs++;
      },
      onKey: () => undefined,
      onFiles: () => undefined,
      onFile: () => ({ add: () => undefined, end: () => undefined }),
      onFileRefused: () => undefined,
      onResizable: () => {
        isResizable = true;
      },
      onDrain: () => undefined,
      onEnd: (how) => void ends.push(how),
    },
  );
  page = new RdpPage((bytes) => desktop.write(bytes));
  page.begin();
  return {
    desktop,
    page,
    pictures,
    ends,
    inputs: () => inputs,
    messages: () => messages,
    isResizable: () => isResizable,
  };
}

/** Returns true for a Demand Active, which names the size of the desktop. */
const isShareStart = (pdu: Buffer) =>
  pdu[0] === 3 && pdu[7] === 0x68 && ((pdu[17] ?? 0) & 15) === 1;

/** Counts pixels of the screen's background color in planar bitmaps. */
function backgroundPixels(pdus: readonly Buffer[]): number {
  let count = 0;
  for (const pdu of pdus) {
    if (pdu[0] === 3 || pdu[3] !== 1 || pdu.readUInt16LE(22) !== 32) continue;
    const { red, green, blue } = readPlanar(
      pdu.subarray(28),
      pdu.readUInt16LE(18),
      pdu.readUInt16LE(20),
    );
    count += red.reduce(
      (sum, value, at) => sum + (value === 0x20 && green[at] === 0x40 && blue[at] === 0x60 ? 1 : 0),
      0,
    );
  }
  return count;
}

it('passes keyboard layout and color depth to xrdp', async () => {
  const { route } = routeTo(xrdp, 'plain', xrdp.passwords.plain);
  const { desktop, page } = await opened(route, { keyboard: 'de-CH', colors: 16 });
  const bitmaps = () => page.updates.filter((pdu) => pdu[3] === 1);
  await until(() => bitmaps().length > 0, 'a picture');
  expect(await xrdp.inside('cat /var/log/xrdp.log')).toMatch(/keylayout:\[0x00000807\]/);
  // Padded bitmaps are re-encoded in 32 bits, with each color's high bits repeated.
  const repeats = (plane: Uint8Array, bits: number) =>
    plane.every((value) => (value & ((1 << (8 - bits)) - 1)) === value >> bits);
  for (const pdu of bitmaps().filter((one) => one.readUInt16LE(22) === 32)) {
    const { red, green, blue } = readPlanar(
      pdu.subarray(28),
      pdu.readUInt16LE(18),
      pdu.readUInt16LE(20),
    );
    expect([repeats(red, 5), repeats(green, 6), repeats(blue, 5)]).toEqual([true, true, true]);
  }
  desktop.close();
});

it('changes the size of an xrdp desktop, which its programs, the page and the recording follow', async () => {
  const { route } = routeTo(xrdp, 'deputy', xrdp.passwords.deputy);
  const { desktop, page, pictures, isResizable } = await opened(route);
  await until(() => backgroundPixels(page.updates) > 0, "the screen's background");
  await until(isResizable, 'the display control channel');
  page.updates.length = 0;
  desktop.resize?.({ width: 900, height: 701 });
  desktop.resize?.({ width: 1001, height: 701 });
  await until(() => desktop.facts.width === 1000, 'the new size');
  expect(desktop.facts).toMatchObject({ width: 1000, height: 700 });
  await until(
    () => backgroundPixels(page.updates) > 1000 * 600 - 70_000 * 2,
    'the picture in the new size',
  );
  await until(
    async () => (await xrdp.onDesktop('deputy', 'xrandr')).includes('current 1000 x 700'),
    'the size of the X server',
  );
  // Demand Active PDUs of both sizes are in the recording.
  expect(pictures.filter((pdu) => isShareStart(pdu)).length).toBeGreaterThanOrEqual(2);
  const watcher = new RdpPage(() => undefined);
  const watch = desktop.watch((bytes) => watcher.take(Buffer.from(bytes)));
  await until(() => backgroundPixels(watcher.updates) > 1000 * 600 - 70_000 * 2, 'a late watcher');
  watch.stop();
  desktop.close();
});

it('sends the page every update of the recording, in order and several in a message', async () => {
  const { route } = routeTo(xrdp, 'plain', xrdp.passwords.plain);
  const { desktop, page, pictures, messages } = await opened(route);
  await until(
    () => backgroundPixels(page.updates) > 640 * 400 - 70_000 * 2,
    "the screen's background",
  );
  desktop.close();
  const recorded = pictures.filter((pdu) => pdu[0] !== 3);
  expect(Buffer.concat(page.updates).equals(Buffer.concat(recorded))).toBe(true);
  expect(messages()).toBeLessThan(page.updates.length);
});

it('signs in to xrdp, shows the desktop, takes input, serves a late watcher, and hides the password from the page', async () => {
  const { route, offered } = routeTo(xrdp, 'plain', xrdp.passwords.plain);
  const { desktop, page, pictures, ends, inputs } = await opened(route);
  expect(offered.map(({ keyType }) => keyType)).toEqual(['x509']);
  expect(desktop.facts).toEqual({ protocol: 'rdp', width: 640, height: 480, name: 'desk' });
  await until(
    () => backgroundPixels(page.updates) > 640 * 400 - 70_000 * 2,
    "the screen's background",
  );
  expect(page.isReady).toBe(true);

  // A watcher receives the server's setup PDUs first, then the full picture, even without changes
  // on screen.
  const seen: Buffer[] = [];
  const watch = desktop.watch((bytes) => void seen.push(bytes));
  const watcher = new RdpPage(() => undefined);
  await until(() => {
    for (const bytes of seen.splice(0)) watcher.take(bytes);
    return backgroundPixels(watcher.updates) > 640 * 400 - 70_000 * 2;
  }, 'the background for the one who watches');
  expect(watcher.isReady).toBe(true);
  watch.stop();

  desktop.write(click(200, 100));
  for (const code of [0x1e, 0x30]) desktop.write(pressKey(code));
  expect(inputs()).toBe(3);
  const before = page.updates.length;
  await until(() => page.updates.length > before, 'a picture after the input');

  const secrets = [Buffer.from(xrdp.passwords.plain), Buffer.from(xrdp.passwords.plain, 'utf16le')];
  for (const bytes of [Buffer.concat(page.got), Buffer.concat(pictures)])
    for (const secret of secrets) expect(bytes.includes(secret)).toBe(false);
  desktop.close();
  expect(ends).toEqual(['closed']);
});

it('records an xrdp session, shows it to a watcher, ends it with its page, and leaks no password', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-rdp-'));
  const place = { host: '127.0.0.1', port: xrdp.port, username: 'admin', privateKey: '' };
  const ports = memoryPorts(place);
  const grant = grantFor(place);
  ports.grant = {
    ...grant,
    actions: actionMask(['connect']),
    systemUser: { ...grant.systemUser, protocol: 'rdp' },
  };
  ports.login = { username: 'admin', password: xrdp.passwords.admin };
  const server = await startGateway(ports, directory, PERSON);
  const client = await DesktopClient.connect(server.url);
  const page = client.asRdpPage();
  await until(() => backgroundPixels(page.updates) > 300_000, "the screen's background");

  const { session } = ports.row();
  const watching = DesktopClient.watch(server.url, session.id);
  const viewer = watching.asRdpPage({ watches: true });
  await until(
    () => backgroundPixels(viewer.updates) > 300_000,
    'the background for the one who watches',
  );
  watching.wire.socket.close();

  client.wire.socket.close();
  await until(() => ports.row().end !== undefined, 'the end of the session');
  expect(ports.row().end).toMatchObject({
    success: true,
    reason: 'session_finished',
    replayState: 'finished',
  });
  const file = await readFile(
    recordingFiles(directory, { id: session.id, startedAt: session.dateStart }, 'desktop').finished,
  );
  // Recorded pictures are those of the server, compressed together.
  expect(file.length).toBeLessThan(2 * Buffer.concat(client.received).length);
  const recorded = new RdpPage(() => undefined);
  for (const { kind, bytes } of recordsOf(file))
    if (kind === RECORD.picture || kind === RECORD.part) recorded.take(Buffer.from(bytes));
  expect(recorded.isReady).toBe(true);
  expect(
    recorded.updates.slice(0, page.updates.length).map((pdu) => pdu.toString('base64')),
  ).toEqual(page.updates.map((pdu) => pdu.toString('base64')));
  const secrets = [Buffer.from(xrdp.passwords.admin), Buffer.from(xrdp.passwords.admin, 'utf16le')];
  for (const bytes of [
    Buffer.concat(client.received),
    Buffer.concat(watching.received),
    Buffer.concat(recorded.got),
  ])
    for (const secret of secrets) expect(bytes.includes(secret)).toBe(false);
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

it("uses the platform's security: requires network level authentication, or avoids it where the server permits", async () => {
  const protocolOf = async (
    server: Server,
    rdpSecurity: RdpSecurity,
    username: string,
    password: string,
  ) => {
    const { route } = routeTo(server, username, password);
    return connectRdp({ ...route, target: { ...route.target, rdpSecurity } }, signal).then(
      (connection) => {
        connection.close();
        return connection.protocol;
      },
      (error: unknown) => problemOf(error).code,
    );
  };
  // Also requests the console; this server has none, and opens the account's session.
  const { route: toConsole } = routeTo(xrdp, 'admin', xrdp.passwords.admin);
  const { page, desktop } = await opened({
    ...toConsole,
    target: { ...toConsole.target, rdpConsole: true },
  });
  await until(() => page.updates.length > 0, 'a picture of the console session');
  desktop.close();
  // This server supports TLS only, the other one network level authentication only.
  const plain = (security: RdpSecurity) =>
    protocolOf(xrdp, security, 'plain', xrdp.passwords.plain);
  const network = (security: RdpSecurity) =>
    protocolOf(
      { host: '127.0.0.1', port: shadow.port },
      security,
      shadow.username,
      shadow.password,
    );
  expect([await plain('any'), await plain('tls'), await plain('rdp'), await plain('nla')]).toEqual([
    1,
    1,
    1,
    'connect_rdp_no_nla',
  ]);
  expect([await network('any'), await network('nla'), await network('tls')]).toEqual([2, 2, 2]);
});

it('ends the desktop when xrdp goes away', async () => {
  const { page, ends } = await opened(routeTo(xrdp, 'deputy', xrdp.passwords.deputy).route);
  await until(() => page.isReady && page.updates.length > 0, 'a picture');
  await xrdp.cut();
  await until(() => ends.length > 0, 'the end of the desktop');
  expect(['lost', 'closed']).toContain(ends[0]);
});

it('rejects a certificate that differs from the pin, before sending data', async () => {
  expect(
    await refusedBy(routeTo(shadow, shadow.username, shadow.password, 'changed').route),
  ).toEqual({
    code: 'connect_certificate_changed',
    params: { host: `127.0.0.1:${shadow.port}` },
  });
});

it('signs in with network level authentication, and reports a wrong password', async () => {
  const { page, desktop } = await opened(routeTo(shadow, shadow.username, shadow.password).route);
  await until(() => page.isReady && page.updates.length > 0, 'a picture');
  desktop.close();
  expect(await refusedBy(routeTo(shadow, shadow.username, 'wrong').route)).toEqual({
    // FreeRDP 2.11 closes the connection, although its version of CredSSP has reasons.
    code: 'connect_sign_in_closed',
    params: { host: `127.0.0.1:${shadow.port}`, account: shadow.username },
  });
});

it('reports servers of other protocols, and silent servers', async () => {
  const { createServer } = await import('node:net');
  const listening = async (answer: Buffer | undefined) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      if (answer) socket.end(answer);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    return { server, port: typeof address === 'object' && address ? address.port : 0 };
  };
  const ssh = await listening(Buffer.from('SSH-2.0-OpenSSH\r\n'));
  expect(
    await refusedBy(routeTo({ host: '127.0.0.1', port: ssh.port }, 'a', 'b').route),
  ).toMatchObject({ code: 'connect_desktop_error' });
  const old = await listening(Buffer.from('0300000b06d00000123400', 'hex'));
  expect(
    await refusedBy(routeTo({ host: '127.0.0.1', port: old.port }, 'a', 'b').route),
  ).toMatchObject({ code: 'connect_rdp_no_tls' });
  const silent = await listening(undefined);
  expect(
    await refusedBy({
      ...routeTo({ host: '127.0.0.1', port: silent.port }, 'a', 'b').route,
      timeoutMs: 300,
    }),
  ).toMatchObject({ code: 'connect_timeout' });
  for (const { server } of [ssh, old, silent]) server.close();
});
