import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actionMask } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DesktopClient } from '../../../../testing/desktops/desktop-client.ts';
import { DriveClient } from '../../../../testing/desktops/drive-client.ts';
import { type PrivateXrdp, startPrivateXrdp } from '../../../../testing/desktops/private-xrdp.ts';
import { type GatewayServer, startGateway } from '../../../../testing/gateway/gateway-server.ts';
import {
  grantFor,
  type MemoryPorts,
  memoryPorts,
  PERSON,
} from '../../../../testing/gateway/memory-ports.ts';
import { until } from '../../../../testing/poll.ts';

const MEBIBYTE = 1024 * 1024;
const digestOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');

const digestFrom = (output: string) => output.slice(0, 64);

let xrdp: PrivateXrdp;
let directory: string;
let ports: MemoryPorts;
let server: GatewayServer;
beforeAll(async () => {
  xrdp = await startPrivateXrdp();
  directory = await mkdtemp(join(tmpdir(), 'sallyport-rdp-drive-'));
  ports = memoryPorts({ host: '127.0.0.1', port: xrdp.port, username: 'plain', privateKey: '' });
  Object.assign(ports, { disk: { ...ports.disk, folder: directory } });
  ports.freeBytes = 2 ** 40;
  ports.limitValues = { ...ports.limitValues, driveBytes: MEBIBYTE };
  server = await startGateway(ports, join(directory, 'recordings'), PERSON);
});
afterAll(async () => {
  await server?.stop();
  await xrdp?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** One user per test: a user reconnects to the session that it left. */
type User = 'plain' | 'deputy' | 'admin';

async function opened(user: User, actions: readonly string[]) {
  ports.login = { username: user, password: xrdp.passwords[user] };
  const grant = grantFor({ host: '127.0.0.1', port: xrdp.port, username: user, privateKey: '' });
  ports.grant = {
    ...grant,
    actions: actionMask(actions),
    systemUser: { ...grant.systemUser, username: user, protocol: 'rdp' },
  };
  const before = new Set(ports.rows.keys());
  const client = await DesktopClient.connect(server.url);
  const page = client.asRdpPage();
  await until(() => page.isReady && page.updates.length > 0, 'the picture');
  const id = [...ports.rows.keys()].find((one) => !before.has(one)) ?? '';
  const close = async () => {
    client.wire.socket.close();
    await until(() => ports.rows.get(id)?.end !== undefined, 'the end of the session');
  };
  return { client, drive: new DriveClient(client), close };
}

const FOLDER = '"$HOME/thinclient_drives/bastion"';
const both = ['connect', 'upload_file', 'download_file'];

it('shows a folder as a drive of xrdp, where files pass in both directions, and logs them', async () => {
  await xrdp.requireFuse('plain');
  const { client, drive, close } = await opened('plain', both);
  const desktop = (script: string) => xrdp.onDesktop('plain', `cd ${FOLDER} && ${script}`);
  expect(await client.wire.message('drive_state')).toEqual({
    ...{ type: 'drive_state', upload: true, download: true, used: 0, max: MEBIBYTE },
  });
  const content = randomBytes(300_001);
  expect(await drive.upload('报告 ½.bin', content)).toBe(undefined);
  expect(digestFrom(await desktop("sha256sum '报告 ½.bin'"))).toBe(digestOf(content));

  // The page sees what programs of the desktop write, rename and delete.
  const digest = digestFrom(
    await desktop(`mkdir out && head -c 200000 /dev/urandom >out/a.tmp && mv out/a.tmp out/b.bin &&
      echo one >gone.txt && rm gone.txt && sha256sum out/b.bin`),
  );
  await client.wire.until('the used bytes', () =>
    client.wire.messages.find(
      (message) => message.type === 'drive_state' && message.used === 500_001,
    ),
  );
  expect((await drive.ask({ action: 'list', path: '' })).entries).toEqual([
    { name: '报告 ½.bin', is_folder: false, size: 300_001 },
    { name: 'out', is_folder: true, size: 0 },
  ]);
  const file = await drive.download('out/b.bin');
  expect(digestOf(file)).toBe(digest);
  expect(await drive.ask({ action: 'remove', path: 'out/b.bin' })).not.toHaveProperty('error');
  // xrdp lists names from its memory for a while.
  expect(await desktop('cat out/b.bin 2>/dev/null || echo gone')).toBe('gone\n');
  await close();
  expect(ports.fileRecords.splice(0)).toEqual([
    {
      ...{ operation: 'upload', path: '/bastion/报告 ½.bin', size: 300_001, reason: undefined },
      sha256: digestOf(content),
    },
    {
      ...{ operation: 'download', path: '/bastion/out/b.bin', size: 200_000, reason: undefined },
      sha256: digest,
    },
    { operation: 'delete', path: '/bastion/out/b.bin' },
  ]);
  expect((await readdir(directory)).filter((name) => name.startsWith('drive-'))).toEqual([]);
});

it('answers programs of xrdp within the quota and the right, and keeps their files off without it', async () => {
  await xrdp.requireFuse('deputy');
  const { client, drive, close } = await opened('deputy', both);
  await client.wire.message('drive_state');
  const desktop = (script: string) =>
    xrdp.onDesktop('deputy', `cd ${FOLDER} && { ${script}; } 2>&1 || echo failed`);
  expect(await desktop('head -c 1200000 /dev/zero >large')).toContain('failed');
  expect(await drive.upload('more', Buffer.alloc(MEBIBYTE))).toContain('no space left');
  await desktop('rm -f large');
  expect(await drive.upload('readme.txt', Buffer.from('read me'))).toBe(undefined);
  if (ports.grant)
    ports.grant = { ...ports.grant, actions: actionMask(['connect', 'upload_file']) };
  await server.gateway.hub.recheck();
  expect(await desktop('cat readme.txt')).toBe('read me');
  expect(await desktop('echo secret >out.txt')).toContain('failed');
  expect(await desktop('rm readme.txt')).toContain('failed');
  await expect(drive.download('readme.txt')).rejects.toThrow('Your permission');
  await close();
});
