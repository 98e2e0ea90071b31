import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { requirePeers } from '../../server/src/testing/peers.ts';
import { generateHostKey, startDemoTarget } from './server.ts';

const run = promisify(execFile);

it('serves the OpenSSH client and forwards nothing', async () => {
  requirePeers('openssh-client');
  const password = 'only for this test';
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-demo-'));
  const target = await startDemoTarget({
    accounts: [{ username: 'demo', password }],
    hostKey: generateHostKey(),
  });
  try {
    const askpass = join(directory, 'askpass');
    await writeFile(askpass, `#!/bin/sh\necho '${password}'\n`, { mode: 0o700 });
    const env = { ...process.env, SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' };
    const known = [
      '-o',
      'StrictHostKeyChecking=accept-new',
      '-o',
      `UserKnownHostsFile=${directory}/known`,
    ];
    const args = ['-F', 'none', '-p', String(target.port), ...known];
    const { stdout } = await run('ssh', [...args, 'demo@127.0.0.1', 'uname -a; ls /'], { env });
    expect(stdout).toBe('Demo demo 1.0.0 pretended-in-memory\netc\nhome\ntmp\nvar\n');
    const forward = ['-W', `127.0.0.1:${target.port}`, 'demo@127.0.0.1'];
    await expect(run('ssh', [...args, ...forward], { env })).rejects.toThrow();
  } finally {
    await target.stop();
    await rm(directory, { recursive: true, force: true });
  }
});
