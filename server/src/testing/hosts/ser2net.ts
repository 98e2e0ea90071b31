import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { requirePeers } from '../peers.ts';
import { until } from '../poll.ts';
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
  await until(() => accepts(port), 'ser2net listens');
  return {
    port,
    stop: async () => {
      server.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
