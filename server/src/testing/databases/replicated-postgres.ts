import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { chooseAccount } from '../../platform/db/account.ts';
import { makeCertificates } from '../certificates.ts';
import { type CuttingProxy, startCuttingProxy } from '../cutting-proxy.ts';
import { freePort } from '../free-port.ts';
import { until } from '../poll.ts';
import { removeFolder } from '../remove-folder.ts';
import { debianBinaries } from './postgres-server.ts';

/** A primary of Debian's PostgreSQL with an asynchronous standby, behind one address. */
export interface ReplicatedPostgres {
  /** Address of an empty database, through a proxy to the current primary. */
  readonly url: string;
  /** Ports of primary and standby on 127.0.0.1 and ::1. */
  readonly ports: readonly [primary: number, standby: number];
  /** `USER:PASSWORD@` for URLs. */
  readonly account: string;
  /**
   * PEM file that verifies the primary for `localhost` and `::1`, and the standby for `127.0.0.1`.
   */
  readonly authorities: string;
  readonly version: string;
  /** Cuts the standby off: it does not receive later transactions. */
  cutStandby(): void;
  /** Lets the standby follow again. */
  joinStandby(): void;
  /** Kills the primary, promotes the standby, and leads the address to it. */
  failOver(): Promise<void>;
  /** Ends the primary: SIGKILL as a crash, SIGINT as a planned switchover. */
  stopPrimary(signal: NodeJS.Signals): Promise<void>;
  /** Ends the standby as a crash does. */
  stopStandby(): Promise<void>;
  /** Makes the standby the primary. */
  promote(): void;
  /** Runs a statement at the current primary as superuser. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

/** Has each character that needs an escape in a URL. */
const PASSWORD = 'p@ss:w/r?d#,% é&=+';

interface Cluster {
  readonly folder: string;
  readonly port: number;
  readonly child: ChildProcess;
}

/** Starts both clusters, and waits until the standby follows. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const { initdb, postgres } = debianBinaries();
  const outer = await mkdtemp(join(tmpdir(), 'sallyport-replicated-'));
  await chmod(outer, 0o711);
  const makeFolder = async (name: string) => {
    const folder = join(outer, name);
    await mkdir(folder, { mode: 0o700 });
    return folder;
  };
  const first = await makeFolder('primary');
  const runAs = chooseAccount(first, initdb);
  const own = { uid: runAs.uid, gid: runAs.gid, cwd: first };
  const run = (program: string, ...words: string[]) => {
    const [command = '', ...rest] = [...runAs.prefix, program, ...words];
    const { status, stderr, stdout } = spawnSync(command, rest, { ...own, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
    return stdout;
  };
  const start = async (folder: string): Promise<Cluster> => {
    const port = await freePort();
    const [command = '', ...words] = [...runAs.prefix, postgres, '-D', folder];
    const settings = [
      'listen_addresses=127.0.0.1,::1',
      `port=${port}`,
      'unix_socket_directories=',
      'ssl=on',
    ];
    const options = settings.flatMap((setting) => ['-c', setting]);
    const child = spawn(command, [...words, ...options], { ...own, stdio: 'ignore' });
    const cluster = { folder, port, child };
    await until(
      () =>
        queryAt(cluster, 'select 1').then(
          () => true,
          () => false,
        ),
      `the PostgreSQL in ${folder} answers`,
    );
    return cluster;
  };
  const stop = async ({ child }: Cluster, signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };

  run(initdb, `--pgdata=${first}`, '--username=super', '--auth=trust', '--encoding=UTF8');
  await writeFile(
    join(first, 'pg_hba.conf'),
    'host all app all scram-sha-256\nhost all all all trust\nhost replication all all trust',
  );
  const firstAuthority = await certify(first, 'DNS:localhost,IP:::1', runAs);
  const primary = await start(first);
  await queryAt(primary, `create role app login password '${PASSWORD}'`);
  await queryAt(primary, 'create database app owner app');
  const link: CuttingProxy = await startCuttingProxy({ port: primary.port });
  const second = await makeFolder('standby');
  const bin = dirname(postgres);
  chooseAccount(second, initdb);
  const at = (port: number) => `host=127.0.0.1 port=${port} user=super`;
  // Directly: a synchronous program would wait for the proxy of this process for ever.
  run(join(bin, 'pg_basebackup'), '-D', second, '-d', at(primary.port), '-R', '-c', 'fast');
  await appendFile(join(second, 'postgresql.auto.conf'), `primary_conninfo = '${at(link.port)}'\n`);
  const secondAuthority = await certify(second, 'IP:127.0.0.1', runAs);
  const standby = await start(second);
  await until(
    async () => (await queryAt(primary, 'select from pg_stat_replication')).length === 1,
    'the standby follows its primary',
  );
  const current = { port: primary.port };
  const proxy = await startCuttingProxy(current);
  const promote = () => {
    run(join(bin, 'pg_ctl'), 'promote', '-w', '-D', second);
    current.port = standby.port;
  };
  const account = `app:${encodeURIComponent(PASSWORD)}@`;
  const authorities = join(outer, 'authorities.pem');
  await writeFile(authorities, `${firstAuthority}\n${secondAuthority}`);
  return {
    url: `postgres://${account}127.0.0.1:${proxy.port}/app`,
    ports: [primary.port, standby.port],
    account,
    authorities,
    version: run(postgres, '--version').trim(),
    cutStandby: () => link.cut(),
    joinStandby: () => link.restore(),
    async failOver() {
      proxy.cut();
      // SIGQUIT is an immediate shutdown: the processes end without a checkpoint.
      await stop(primary, 'SIGQUIT');
      promote();
      proxy.restore();
    },
    stopStandby: () => stop(standby, 'SIGQUIT'),
    stopPrimary: (signal) => stop(primary, signal),
    promote,
    query: (text, values) => queryAt(current, text, values, 'app'),
    async stop() {
      await proxy.stop();
      await stop(standby, 'SIGINT');
      await stop(primary, 'SIGINT');
      await link.stop();
      await removeFolder(outer);
    },
  };
}

/** Gives a cluster a certificate for these names. Returns the authority in PEM. */
async function certify(
  folder: string,
  names: string,
  { uid, gid }: ReturnType<typeof chooseAccount>,
): Promise<string> {
  const files = await makeCertificates(dirname(folder), names);
  for (const [name, file] of [
    ['server.crt', files.certificate],
    ['server.key', files.key],
  ] as const) {
    const place = join(folder, name);
    await writeFile(place, await readFile(file), { mode: 0o600 });
    if (uid !== undefined) await chown(place, uid, gid ?? uid);
  }
  return readFile(files.authority, 'utf8');
}

async function queryAt<Row extends pg.QueryResultRow>(
  { port }: { readonly port: number },
  text: string,
  values: readonly unknown[] = [],
  database = 'postgres',
): Promise<Row[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'super', database });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
