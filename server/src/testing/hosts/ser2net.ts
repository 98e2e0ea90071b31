import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { requirePeers } from '../peers.ts';
import { until } from '../poll.ts';
import { removeFolder } from '../remove-folder.ts';
import type { TestDevice } from './device.ts';

/**
 * Starts ser2net on a free loopback port. Its serial line is that of another server of RFC 2217,
 * because a pseudo terminal has neither speed nor breaks.
 */
export async function startSer2net(line: TestDevice): Promise<TestDevice> {
  requirePeers('ser2net');
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-ser2net-'));
  const port = await freePort();
  const file = join(folder, 'ser2net.yaml');
  await writeFile(
    file,
    [
      '%YAML 1.1',
      '---',
      'connection: &line',
      `  accepter: telnet(rfc2217),tcp,127.0.0.1,${port}`,
      `  connector: telnet(rfc2217),tcp,127.0.0.1,${line.port}`,
      '  options:',
      '    kickolduser: true',
      '',
    ].join('\n'),
  );
  const server = spawn('/usr/sbin/ser2net', ['-n', '-d', '-c', file], { stdio: 'ignore' });
  const ended = once(server, 'close');
  await until(() => listens(port), 'ser2net listens');
  return {
    port,
    stop: async () => {
      server.kill('SIGKILL');
      await ended;
      await removeFolder(folder);
    },
  };
}

/** Returns true if the port listens. A connection would occupy the line, of which there is one. */
async function listens(port: number): Promise<boolean> {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return (await readFile('/proc/net/tcp', 'utf8')).includes(`${address} 00000000:0000 0A`);
}
