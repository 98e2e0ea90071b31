import { type ChildProcess, type SpawnOptions, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { chooseAccount } from '../../platform/db/account.ts';
import { freePort } from '../free-port.ts';
import { requirePeers } from '../peers.ts';
import { until } from '../poll.ts';
import { exampleOf } from '../proxies.ts';
import { debianBinaries } from './postgres-server.ts';

const HEADING = 'A PostgreSQL cluster with Patroni';
/** A failover takes as long as the guide's `ttl`, and a new standby copies the database. */
const PATIENCE_MS = 240_000;

export type NodeName = 'db1' | 'db2';

interface Member {
  readonly name: NodeName;
  readonly role: string;
  readonly state: string;
}

interface Node {
  readonly name: NodeName;
  readonly port: number;
  readonly api: number;
  readonly folder: string;
}

/** Two nodes of Patroni with the operator guide's files, etcd, and HAProxy before them. */
export interface PatroniCluster {
  /** Names both nodes. */
  readonly url: string;
  /** Names HAProxy. */
  readonly proxyUrl: string;
  /** Runs a statement at the primary as superuser, in the database of Sallyport. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  leader(): Promise<NodeName>;
  /** A planned change of the primary. Resolves when Patroni has answered. */
  switchOver(): Promise<void>;
  /**
   * Kills Patroni and PostgreSQL of a node, as a power failure does. Before, it waits for a
   * synchronous standby: without one, no other node may take over.
   */
  kill(name: NodeName): Promise<void>;
  /** Starts a killed node. Resolves when it is a synchronous standby. */
  rejoin(name: NodeName): Promise<void>;
  stop(): Promise<void>;
}

/** Programs with logs in a folder. */
function createPrograms(folder: string) {
  const running = new Map<string, ChildProcess>();
  const logOf = (key: string) => join(folder, `${key}.log`);
  return {
    begin(key: string, command: readonly string[], options: SpawnOptions = {}) {
      const [program = '', ...words] = command;
      const output = openSync(logOf(key), 'a');
      const stdio: StdioOptions = ['ignore', output, output];
      running.set(key, spawn(program, words, { cwd: folder, ...options, stdio }));
      closeSync(output);
    },
    async end(key: string, signal: NodeJS.Signals) {
      const child = running.get(key);
      running.delete(key);
      if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
    /** The last lines of all logs. */
    tails: () =>
      [...running.keys()].map((key) => `${key}: ${readFileSync(logOf(key), 'utf8').slice(-2000)}`),
  };
}

type Programs = ReturnType<typeof createPrograms>;

async function startEtcd({ begin }: Programs, folder: string): Promise<number> {
  const [etcd, etcdPeer] = [await freePort(), await freePort()];
  const client = `http://127.0.0.1:${etcd}`;
  const peer = `http://127.0.0.1:${etcdPeer}`;
  begin('etcd', [
    '/usr/bin/etcd',
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ]);
  const isUp = () =>
    fetch(`${client}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isUp, 'etcd answers');
  return etcd;
}

async function makeNodes(folder: string): Promise<readonly [Node, Node]> {
  const make = async (name: NodeName): Promise<Node> => {
    const node = {
      name,
      folder: join(folder, name),
      port: await freePort(),
      api: await freePort(),
    };
    await mkdir(node.folder, { mode: 0o700 });
    return node;
  };
  return [await make('db1'), await make('db2')];
}

/** Returns a function that starts Patroni of a node with the guide's file. */
async function createStart({ begin }: Programs, folder: string, etcd: number) {
  const guide = await exampleOf(HEADING, 'yaml');
  const bin = dirname(debianBinaries().postgres);
  return async ({ name, folder: own, port, api }: Node) => {
    const { uid, gid } = chooseAccount(own, join(bin, 'initdb'));
    const file = join(folder, `${name}.yml`);
    const text = replaceAll(guide, {
      'name: db1': `name: ${name}`,
      '10.0.0.11:8008': `127.0.0.1:${api}`,
      '10.0.0.11:5432': `127.0.0.1:${port}`,
      '10.0.0.21:2379, 10.0.0.22:2379, 10.0.0.23:2379': `127.0.0.1:${etcd}`,
      '/var/lib/postgresql/sallyport': join(own, 'data'),
      '/usr/lib/postgresql/15/bin': bin,
      '10.0.0.0/24': '127.0.0.0/8',
    });
    await writeFile(file, text);
    const env = { PATH: process.env.PATH, HOME: own };
    const account = uid === undefined || gid === undefined ? {} : { uid, gid };
    begin(name, ['/usr/bin/patroni', file], { ...account, env });
  };
}

async function startHaproxy({ begin }: Programs, folder: string, nodes: readonly [Node, Node]) {
  const port = await freePort();
  const [first, second] = nodes;
  const text = replaceAll(await exampleOf(HEADING, 'haproxy'), {
    '10.0.0.10:5432': `127.0.0.1:${port}`,
    '10.0.0.11:5432 check port 8008': `127.0.0.1:${first.port} check port ${first.api}`,
    '10.0.0.12:5432 check port 8008': `127.0.0.1:${second.port} check port ${second.api}`,
  });
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, `${text}\n`);
  begin('haproxy', ['/usr/sbin/haproxy', '-db', '-f', file]);
  return port;
}

/** Asks the nodes about their cluster. */
function createStates(nodes: readonly [Node, Node]) {
  const members = async (): Promise<readonly Member[]> => {
    for (const { api } of nodes) {
      const answer = await fetch(`http://127.0.0.1:${api}/cluster`).catch(() => undefined);
      if (answer?.ok) return ((await answer.json()) as { members: Member[] }).members;
    }
    return [];
  };
  const leader = async (): Promise<Node> => {
    let primary: Node | undefined;
    const look = async () => {
      const isLeader = ({ role, state }: Member) => role === 'leader' && state === 'running';
      const name = (await members()).find(isLeader)?.name;
      primary = nodes.find((node) => node.name === name);
      return primary !== undefined;
    };
    await until(look, 'a primary', PATIENCE_MS);
    return primary ?? nodes[0];
  };
  const synchronous = (name: NodeName) =>
    until(
      async () => (await members()).some((one) => one.name === name && one.role === 'sync_standby'),
      `${name} is a synchronous standby`,
      PATIENCE_MS,
    );
  return { leader, synchronous };
}

async function queryAt<Row extends pg.QueryResultRow>(
  { port }: Node,
  text: string,
  values: readonly unknown[] = [],
  database = 'sallyport',
): Promise<Row[]> {
  const client = new pg.Client(
    `postgresql://postgres:superuser-secret@127.0.0.1:${port}/${database}`,
  );
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Kills Patroni and its PostgreSQL, which is in another process session. */
async function killNode({ end }: Programs, { name, folder }: Node) {
  const [pid = ''] = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n');
  await end(name, 'SIGKILL');
  process.kill(Number(pid), 'SIGKILL');
}

/** Starts etcd, both nodes and HAProxy, and creates the database. */
export async function startPatroniCluster(): Promise<PatroniCluster> {
  requirePeers('postgresql', 'haproxy');
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-patroni-'));
  await chmod(folder, 0o755);
  const programs = createPrograms(folder);
  const stop = async () => {
    // Patroni stops its PostgreSQL.
    for (const name of ['db1', 'db2']) await programs.end(name, 'SIGTERM');
    for (const name of ['haproxy', 'etcd']) await programs.end(name, 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const start = await createStart(programs, folder, await startEtcd(programs, folder));
    const nodes = await makeNodes(folder);
    const [first, second] = nodes;
    const { leader, synchronous } = createStates(nodes);
    await start(first);
    const primary = await leader();
    await start(second);
    await synchronous(second.name);
    const balanced = await startHaproxy(programs, folder, nodes);
    const setUp = (text: string) => queryAt(primary, text, [], 'postgres');
    await setUp("create role sallyport login password 'secret'");
    await setUp('create database sallyport owner sallyport');
    const at = (hosts: string) => `postgresql://sallyport:secret@${hosts}/sallyport`;
    const nodeOf = (name: NodeName) => (name === 'db1' ? first : second);
    return {
      url: at(`127.0.0.1:${first.port},127.0.0.1:${second.port}`),
      proxyUrl: `${at(`127.0.0.1:${balanced}`)}?target_session_attrs=read-write`,
      query: async (text, values) => queryAt(await leader(), text, values),
      leader: async () => (await leader()).name,
      async switchOver() {
        const { api, name } = await leader();
        const answer = await fetch(`http://127.0.0.1:${api}/switchover`, {
          method: 'POST',
          body: JSON.stringify({ leader: name }),
        });
        if (!answer.ok) throw new Error(`Patroni did not switch over: ${await answer.text()}`);
      },
      async kill(name) {
        await synchronous(name === 'db1' ? 'db2' : 'db1');
        await killNode(programs, nodeOf(name));
      },
      async rejoin(name) {
        await start(nodeOf(name));
        await synchronous(name);
      },
      stop,
    };
  } catch (error) {
    const tails = programs.tails().join('\n');
    await stop();
    throw new Error(`The cluster does not start:\n${tails}`, { cause: error });
  }
}

/** Replaces the addresses and paths of an example. @throws Error for one that it lacks */
function replaceAll(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`the example has no ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}
