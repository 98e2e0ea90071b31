import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { requirePeers } from '../peers.ts';
import { until } from '../poll.ts';
import { removeFolder } from '../remove-folder.ts';

/** A real Redis server with a password. */
export interface RedisServer {
  readonly host: '127.0.0.1';
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server without persistence. */
export async function startRedisServer(password: string): Promise<RedisServer> {
  requirePeers('redis-server');
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-redis-'));
  const port = await freePort();
  const server = spawn(
    '/usr/bin/redis-server',
    [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      folder,
      '--requirepass',
      password,
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let log = '';
  server.stdout.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  await until(() => log.includes('Ready to accept connections'), 'Redis is ready');
  return {
    host: '127.0.0.1',
    port,
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      await removeFolder(folder);
    },
  };
}
