import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { requirePeers } from '../../../../testing/peers.ts';
import { Boundary } from '../../../sessions/files/boundary.ts';
import { openDownload } from '../../../sessions/files/download.ts';
import type { FileContext } from '../../../sessions/files/file-context.ts';
import { ReadAhead } from '../../../sessions/files/read-ahead.ts';
import { SessionFiles } from '../../../sessions/files/session-files.ts';
import { SftpClient } from './sftp-client.ts';

it('takes five requests to the file server of OpenSSH for a small file, three of them together if it was listed, and follows no new link', async () => {
  requirePeers('openssh-server');
  const home = await realpath(await mkdtemp(join(tmpdir(), 'sallyport-sftp-')));
  await mkdir(join(home, 'folder'));
  for (const name of ['one', 'two']) await writeFile(join(home, 'folder', name), name);
  const server = spawn('/usr/lib/openssh/sftp-server', ['-d', home]);
  try {
    let requests = 0;
    const client = new SftpClient({
      write(packet) {
        requests += 1;
        server.stdin.write(packet);
      },
      broken: () => server.kill(),
      close: () => server.stdin.end(),
    });
    server.stdout.on('data', (chunk: Buffer) => client.push(chunk));
    await client.start();
    expect(client.resolvesLinks).toBe(true);
    const context: FileContext = {
      files: client,
      boundary: await Boundary.open(client, 'home'),
      charset: 'utf8',
      ahead: new ReadAhead(client),
      require: () => undefined,
      note: async () => undefined,
      active: () => undefined,
      keep: () => undefined,
      release: () => undefined,
      during: (work) => work(),
      ending: () => undefined,
    };
    const download = async (name: string) => {
      const file = await openDownload(context, `/folder/${name}`);
      const content = await file.read(0, 32 * 1024);
      await file.close();
      return content.toString();
    };
    expect(await download('one')).toBe('one');
    requests = 0;
    expect(await download('two')).toBe('two');
    expect(requests).toBe(5);
    for await (const _ of new SessionFiles(context).list('/folder'));
    await download('one');
    requests = 0;
    const opening = openDownload(context, '/folder/two');
    expect(requests).toBe(3);
    const file = await opening;
    expect(String(await file.read(0, 32 * 1024))).toBe('two');
    await file.close();
    expect(requests).toBe(5);
    await rm(join(home, 'folder', 'two'));
    await symlink('/etc/passwd', join(home, 'folder', 'two'));
    await expect(download('two')).rejects.toMatchObject({ problem: { code: 'file_outside' } });
  } finally {
    server.kill();
    await rm(home, { recursive: true });
  }
});
