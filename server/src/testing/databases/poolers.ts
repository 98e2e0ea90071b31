import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { requirePeers } from '../peers.ts';
import { until } from '../poll.ts';
import { removeFolder } from '../remove-folder.ts';
import { type PostgresServer, VAULT_ACCOUNT, VAULT_PASSWORD } from './postgres-server.ts';

/** A real pooler in front of a PostgreSQL server. */
export interface Pooler {
  readonly port: number;
  /** The log so far. */
  log(): string;
  isRunning(): boolean;
  stop(): Promise<void>;
}

/** Account that the package of PostgreSQL creates: PgBouncer refuses to run as root. */
const ACCOUNT = 'postgres';

/**
 * Starts PgBouncer in front of a server; clients sign in as the account of the vault. `settings`
 * are lines for its configuration.
 */
export async function startPgBouncer(
  { port, database }: PostgresServer,
  settings: readonly string[] = [],
): Promise<Pooler> {
  requirePeers('pgbouncer');
  return start(async (folder, own) => {
    await writeFile(join(folder, 'users.txt'), `"${VAULT_ACCOUNT}" "${VAULT_PASSWORD}"\n`);
    await writeFile(
      join(folder, 'pgbouncer.ini'),
      `[databases]
${database} = host=127.0.0.1 port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users.txt')}
ignore_startup_parameters = extra_float_digits
${settings.join('\n')}
`,
    );
    return ['/usr/sbin/pgbouncer', join(folder, 'pgbouncer.ini')];
  }, 'process up');
}

/** Starts pgpool-II in raw mode for a server; clients sign in as the account of the vault. */
export async function startPgpool({ port }: PostgresServer): Promise<Pooler> {
  requirePeers('pgpool2');
  return start(async (folder, own) => {
    const files = {
      pool_passwd: `${VAULT_ACCOUNT}:TEXT${VAULT_PASSWORD}\n`,
      'pool_hba.conf': 'host all all 127.0.0.1/32 scram-sha-256\n',
      'pcp.conf': '',
      'pgpool.conf': `backend_clustering_mode = 'raw'
listen_addresses = '127.0.0.1'
port = ${own}
socket_dir = '${folder}'
pcp_listen_addresses = ''
pcp_socket_dir = '${folder}'
backend_hostname0 = '127.0.0.1'
backend_port0 = ${port}
backend_flag0 = 'ALWAYS_PRIMARY'
enable_pool_hba = on
pool_passwd = '${join(folder, 'pool_passwd')}'
num_init_children = 8
pid_file_name = '${join(folder, 'pid')}'
logdir = '${folder}'
work_dir = '${folder}'
`,
    };
    for (const [name, content] of Object.entries(files))
      await writeFile(join(folder, name), content);
    const flags = ['-f', 'pgpool.conf', '-F', 'pcp.conf', '-a', 'pool_hba.conf'];
    return [
      '/usr/sbin/pgpool',
      '-n',
      ...flags.map((word) => (word.startsWith('-') ? word : join(folder, word))),
    ];
  }, 'pgpool-II successfully started');
}

async function start(
  configure: (folder: string, port: number) => Promise<readonly string[]>,
  ready: string,
): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-pooler-'));
  const port = await freePort();
  const [command = '', ...words] = await configure(folder, port);
  await chmod(folder, 0o777);
  const child: ChildProcess = spawn(command, words, {
    cwd: folder,
    uid: Number(execFileSync('id', ['-u', ACCOUNT])),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  await until(() => {
    if (!isRunning()) throw new Error(`the pooler ended: ${log}`);
    return log.includes(ready);
  }, `the pooler logs: ${ready}`);
  return {
    port,
    log: () => log,
    isRunning,
    async stop() {
      if (isRunning()) {
        const ended = once(child, 'exit');
        child.kill('SIGINT');
        await ended;
      }
      await removeFolder(folder);
    },
  };
}
