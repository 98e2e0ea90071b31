import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { startSshd } from '../testing/ssh/sshd.ts';

const run = promisify(execFile);
const rig = gatewayRig({}, startSshd);

it('ends a session when the disk of its recording is full', async () => {
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
    expect(await client.message('closed')).toMatchObject({ code: 'session_recording_failed' });
    expect(await rig.finished(client)).toMatchObject({ success: true, replayState: 'failed' });
    expect(client.received).toBeLessThan(8_000_000);
  } finally {
    await run('umount', [rig.directory]);
  }
});
