import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Certificates, makeCertificates } from '../certificates.ts';
import { freePort } from '../free-port.ts';
import { requirePeers } from '../peers.ts';
import { until } from '../poll.ts';
import { removeFolder } from '../remove-folder.ts';

/** A real MariaDB server: a separate process with its own data folder. */
export interface Mariadb {
  readonly host: '127.0.0.1';
  readonly port: number;
  readonly certificates: Certificates;
  /** PEM certificate of the authority. */
  readonly authority: string;
  /** Runs statements as administrator and returns the output. */
  sql(statements: string): string;
  stop(): Promise<void>;
}

/** Starts a server with an empty database `shop`. `names` are those of its certificate. */
export async function startMariadb(names?: string): Promise<Mariadb> {
  requirePeers('mariadb-server', 'mariadb-client');
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-mariadb-'));
  const data = join(folder, 'data');
  const socket = join(folder, 'sock');
  const certificates = await makeCertificates(folder, names);
  const port = await freePort();
  const user = `--user=${execFileSync('id', ['-un']).toString().trim()}`;
  execFileSync(
    '/usr/bin/mariadb-install-db',
    [
      '--no-defaults',
      `--datadir=${data}`,
      user,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ],
    {
      stdio: 'pipe',
    },
  );
  const server = spawn(
    '/usr/sbin/mariadbd',
    [
      ...[
        '--no-defaults',
        user,
        `--datadir=${data}`,
        `--socket=${socket}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--innodb-buffer-pool-size=16M',
      ],
      ...[
        `--ssl-ca=${certificates.authority}`,
        `--ssl-cert=${certificates.certificate}`,
        `--ssl-key=${certificates.key}`,
        `--pid-file=${join(folder, 'pid')}`,
      ],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let log = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
  const sql = (statements: string) =>
    execFileSync(
      '/usr/bin/mariadb',
      ['--no-defaults', `--socket=${socket}`, '-u', 'root', '--batch', '--raw'],
      {
        input: statements,
        stdio: 'pipe',
      },
    ).toString();
  await until(
    () => {
      if (server.exitCode !== null) throw new Error(`mariadbd ended: ${log}`);
      return existsSync(socket) && log.includes('ready for connections');
    },
    'MariaDB is ready',
    60_000,
  );
  sql('create database shop');
  return {
    host: '127.0.0.1',
    port,
    certificates,
    authority: readFileSync(certificates.authority, 'utf8'),
    sql,
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      await removeFolder(folder);
    },
  };
}
