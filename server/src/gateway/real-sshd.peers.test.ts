import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { freePort } from '../testing/free-port.ts';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { requirePeers } from '../testing/peers.ts';
import { keyLogin } from '../testing/ssh/shell.ts';
import { startSshd } from '../testing/ssh/sshd.ts';

const run = promisify(execFile);
const rig = gatewayRig({}, startSshd);
beforeAll(() => requirePeers('asciinema'));

it('records a session with OpenSSH that asciinema plays, and lists its commands', async () => {
  const client = await rig.openTerminal();
  client.type('echo he"ll"o 世界\r');
  await client.waitFor('hello 世界');
  await client.waitFor('ready> ');
  client.send({ type: 'resize', cols: 101, rows: 31 });
  client.type('stty size\r');
  await client.waitFor('31 101');
  await client.waitFor('ready> ');
  client.type('exit\r');
  expect(await client.message('closed')).toMatchObject({ code: 'connect_target_closed' });
  expect(await rig.finished(client)).toMatchObject({ success: true, replayState: 'finished' });
  const row = rig.ports.row();
  expect(row.commands.map(({ input }) => input)).toEqual([
    'echo he"ll"o 世界',
    'stty size',
    'exit',
  ]);

  const file = join(rig.directory, 'played.cast');
  await writeFile(file, gunzipSync(await readFile(rig.recordingOf(row).finished)));
  const { stdout } = await run('script', ['-qec', `asciinema cat ${file}`, '/dev/null'], {
    env: { ...process.env, HOME: rig.directory, LC_ALL: 'C.UTF-8' },
  });
  expect(stdout).toContain('hello 世界');
});

it('connects through two OpenSSH servers, and reports a refused connection after the last', async () => {
  const hop = await startSshd();
  try {
    const { sshd } = rig;
    const byPassword = { username: sshd.username, password: sshd.password ?? '' };
    rig.ports.hops = [
      { id: 'h1', name: 'first', host: hop.host, port: hop.port, login: keyLogin(hop) },
      { id: 'h2', name: 'second', host: sshd.host, port: sshd.port, login: byPassword },
    ];
    const client = await rig.openTerminal();
    client.type('echo through\r');
    await client.waitFor('\rthrough');
    await client.close();

    const grant = grantFor(sshd);
    rig.ports.grant = { ...grant, asset: { ...grant.asset, port: await freePort() } };
    const beyond = await rig.connect();
    expect(await beyond.message('closed')).toMatchObject({ code: 'connect_refused' });
  } finally {
    await hop.stop();
  }
});
