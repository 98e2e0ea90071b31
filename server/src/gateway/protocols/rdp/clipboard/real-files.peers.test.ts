import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actionMask } from '@sallyport/contract';
import { RdpClipboard } from '@sallyport/rdp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordingFiles } from '../../../../platform/storage/testing/recording-files.ts';
import { DesktopClient, recordsOf } from '../../../../testing/desktops/desktop-client.ts';
import { type PrivateXrdp, startPrivateXrdp } from '../../../../testing/desktops/private-xrdp.ts';
import { type GatewayServer, startGateway } from '../../../../testing/gateway/gateway-server.ts';
import {
  grantFor,
  type MemoryPorts,
  memoryPorts,
  PERSON,
} from '../../../../testing/gateway/memory-ports.ts';

const digestOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');

let xrdp: PrivateXrdp;
let directory: string;
let ports: MemoryPorts;
let server: GatewayServer;
beforeAll(async () => {
  xrdp = await startPrivateXrdp();
  directory = await mkdtemp(join(tmpdir(), 'sallyport-rdp-files-'));
  const place = { host: '127.0.0.1', port: xrdp.port, username: 'plain', privateKey: '' };
  ports = memoryPorts(place);
  ports.grant = grantOf(['connect', 'upload_file', 'download_file'], place);
  server = await startGateway(ports, directory, PERSON);
});
afterAll(async () => {
  await server?.stop();
  await xrdp?.stop();
  await rm(directory, { recursive: true, force: true });
});

function grantOf(actions: readonly string[], place: Parameters<typeof grantFor>[0]) {
  const grant = grantFor(place);
  return {
    ...grant,
    actions: actionMask(actions),
    systemUser: { ...grant.systemUser, protocol: 'rdp' as const },
  };
}

async function until<Value>(
  what: () => Value | undefined | false | Promise<Value | undefined | false>,
): Promise<Value> {
  for (;;) {
    const value = await what();
    if (value !== undefined && value !== false) return value;
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Puts files on the clipboard of the desktop, as its file manager does. */
async function copyOnDesktop(user: User, paths: readonly string[]): Promise<void> {
  const list = ['copy', ...paths.map((path) => `file://${encodeURI(path)}`)].join('\n');
  await xrdp.onDesktop(
    user,
    `printf %s '${list}' | xclip -selection clipboard -t x-special/gnome-copied-files >/dev/null 2>&1`,
  );
}

/** One user per test: a user reconnects to the session that it left. */
type User = 'plain' | 'deputy' | 'admin';

/** Connects a page to the desktop, and waits until its clipboard is ready. */
async function opened(user: User, actions: readonly string[]) {
  ports.login = { username: user, password: xrdp.passwords[user] };
  const { grant } = ports;
  if (grant)
    ports.grant = {
      ...grant,
      actions: actionMask(actions),
      systemUser: { ...grant.systemUser, username: user },
    };
  const before = new Set(ports.rows.keys());
  const client = await DesktopClient.connect(server.url);
  const page = client.asRdpPage();
  const clipboard = new RdpClipboard(page);
  await until(() => page.isReady && page.updates.length > 0 && clipboard.isReady);
  const id = await until(() => [...ports.rows.keys()].find((one) => !before.has(one)));
  const close = async () => {
    client.wire.socket.close();
    await until(() => ports.rows.get(id)?.end !== undefined);
  };
  return { client, clipboard, id, close };
}

it('downloads files of xrdp through the clipboard, logs each until the right ends, and records none', async () => {
  const { client, clipboard, id, close } = await opened('plain', [
    'connect',
    'upload_file',
    'download_file',
  ]);
  expect(await client.wire.message('files')).toEqual({
    type: 'files',
    upload: true,
    download: true,
  });
  const content = randomBytes(3000);
  await xrdp.inside(
    `echo ${content.toString('base64')} | base64 -d >/home/plain/small.bin; : >/home/plain/资料.txt; head -c 700000 /dev/urandom >/home/plain/large.bin`,
  );
  await copyOnDesktop('plain', [
    '/home/plain/small.bin',
    '/home/plain/资料.txt',
    '/home/plain/large.bin',
  ]);
  await until(() => clipboard.offers.at(-1));
  const list = await clipboard.list();
  expect(list?.map(({ name, size }) => [name, size])).toEqual([
    ['small.bin', 3000],
    ['资料.txt', 0],
    ['large.bin', 700_000],
  ]);
  expect(await clipboard.read(0, 0, 3000)).toEqual(content);
  const parts: Buffer[] = [];
  for (let at = 0; at < 700_000; at += 128 * 1024)
    parts.push((await clipboard.read(2, at, 128 * 1024)) ?? Buffer.alloc(0));
  const sha256 = (await xrdp.inside('sha256sum /home/plain/large.bin')).slice(0, 64);
  expect(digestOf(Buffer.concat(parts))).toBe(sha256);
  expect(await clipboard.read(7, 0, 10)).toBe(undefined);
  expect(ports.fileRecords.splice(0)).toEqual([
    {
      operation: 'download',
      path: 'small.bin',
      size: 3000,
      reason: undefined,
      sha256: digestOf(content),
    },
    { operation: 'download', path: 'large.bin', size: 700_000, reason: undefined, sha256 },
  ]);

  // The right ends in the middle of a file; the session continues.
  expect(await clipboard.read(2, 0, 1000)).toHaveLength(1000);
  if (ports.grant)
    ports.grant = { ...ports.grant, actions: actionMask(['connect', 'upload_file']) };
  await server.gateway.hub.recheck();
  expect(await clipboard.read(2, 1000, 1000)).toBe(undefined);
  expect(ports.fileRecords.splice(0)).toMatchObject([
    { operation: 'download', path: 'large.bin', size: 1000, reason: 'transfer_denied' },
    { operation: 'download', path: 'large.bin', reason: 'transfer_denied' },
  ]);
  expect(client.wire.messages.filter(({ type }) => type === 'files').at(-1)).toEqual({
    type: 'files',
    upload: true,
    download: false,
  });

  const started = ports.rows.get(id)?.session.dateStart ?? new Date();
  await close();
  const file = await readFile(
    recordingFiles(directory, { id, startedAt: started }, 'desktop').finished,
  );
  const recorded = Buffer.concat(recordsOf(file).map(({ bytes }) => Buffer.from(bytes)));
  for (const piece of [content.subarray(100, 140), Buffer.from('small.bin', 'utf16le')])
    expect(recorded.includes(piece)).toBe(false);
});

it("lets programs of an xrdp desktop read the page's files, and logs each file", async () => {
  await xrdp.requireFuse('deputy');
  const { clipboard, close } = await opened('deputy', ['connect', 'upload_file']);
  const content = randomBytes(300_000);
  clipboard.offer([
    { name: 'to-desktop.bin', content },
    { name: 'other.txt', content: Buffer.from('other') },
  ]);
  const onClipboard = (target: string) =>
    xrdp
      .onDesktop('deputy', `timeout 5 xclip -selection clipboard -o -t ${target}`)
      .catch(() => '');
  const path = await until(
    async () =>
      /file:\/\/(\S*to-desktop\.bin)/.exec(await onClipboard('x-special/gnome-copied-files'))?.[1],
  );
  expect((await xrdp.onDesktop('deputy', `sha256sum '${decodeURI(path)}'`)).slice(0, 64)).toBe(
    digestOf(content),
  );
  expect(await until(() => ports.fileRecords.splice(0)[0])).toMatchObject({
    operation: 'upload',
    path: 'to-desktop.bin',
    size: 300_000,
    reason: undefined,
  });
  await close();
  // No program read the other file.
  expect(ports.fileRecords).toEqual([]);
});

it("negotiates no files with xrdp without a right, and drops the page's requests for files", async () => {
  const { client, clipboard, close } = await opened('admin', ['connect']);
  await copyOnDesktop('admin', ['/etc/hostname']);
  clipboard.offer([{ name: 'secret.txt', content: Buffer.from('secret') }]);
  expect(await clipboard.list(0xc0bc)).toBe(undefined);
  expect(await clipboard.read(0, 0, 10)).toBe(undefined);
  expect(
    await xrdp.onDesktop(
      'admin',
      'timeout 5 xclip -selection clipboard -o -t x-special/gnome-copied-files',
    ),
  ).toContain('/etc/hostname');
  expect(clipboard.offers.filter((offer) => offer !== undefined)).toEqual([]);
  expect(client.wire.messages.filter(({ type }) => type === 'files')).toEqual([]);
  await close();
  expect(ports.fileRecords).toEqual([]);
});
