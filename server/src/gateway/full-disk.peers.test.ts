import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { startSshd } from '../testing/ssh/sshd.ts';

const run = promisify(execFile);
const rig = gatewayRig({}, startSshd);

it('ends a session when the disk of its recording is full, and completes the recording once there is room', async () => {
  await run('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', rig.directory]).catch(
    (error: Error) => {
      throw new Error(
        'This test fills a small file system and may not mount one: ' +
          'run it as root, in a container with the capability SYS_ADMIN.',
        {
          cause: error,
        },
      );
    },
  );
  try {
    const client = await rig.openTerminal();
    // Much more than the memory buffer for a slow disk.
    client.type('seq 2000000\r');
    expect(await client.message('closed')).toMatchObject({ code: 'session_disk_full' });
    expect(await rig.finished(client)).toMatchObject({ success: true, replayState: 'failed' });
    expect(client.received).toBeLessThan(8_000_000);

    const row = rig.ports.row();
    await rig.server.gateway.finishLeft();
    expect(row.end).toMatchObject({ replayState: 'failed' });
    await run('mount', ['-o', 'remount,size=64m', rig.directory]);
    await rig.server.gateway.finishLeft();
    expect(row.end).toMatchObject({ replayState: 'recovered' });
    const cast = gunzipSync(await readFile(rig.recordingOf(row).finished)).toString();
    expect(cast).toContain('seq 2000000');
    expect(cast.endsWith('\n')).toBe(true);
  } finally {
    await run('umount', [rig.directory]);
  }
});
