import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { chooseAccount } from '../../platform/db/account.ts';
import { freePort } from '../free-port.ts';
import { requirePeers } from '../peers.ts';
import { until } from '../poll.ts';
import { exampleOf } from '../proxies.ts';
import { removeFolder } from '../remove-folder.ts';
import { createPrograms, type Programs, replaceAll, startEtcd } from './cluster-programs.ts';
import { createNetwork, type Network, type NetworkPlace } from './network-places.ts';
import { debianBinaries } from './postgres-server.ts';

const HEADING = 'A PostgreSQL cluster with Patroni';
/** A failover takes as long as the guide's `ttl`, and a new standby copies the database. */
const PATIENCE_MS = 240_000;

/** Has a row at a standby that has replayed nothing for this many seconds. */
const BEHIND = `select where now() - pg_last_xact_replay_timestamp() > $1 * interval '1 second'`;

export type NodeName = 'db1' | 'db2';

interface Member {
  readonly name: NodeName;
  readonly role: string;
  readonly state: string;
}

interface Node {
  readonly name: NodeName;
  readonly place: NetworkPlace;
  readonly folder: string;
}

/**
 * Two nodes of Patroni with the operator guide's files, etcd, and HAProxy before them. Each node is
 * in its own network namespace.
 */
export interface PatroniCluster {
  /** Names both nodes. */
  readonly url: string;
  /** Names HAProxy. */
  readonly proxyUrl: string;
  /** Runs a statement at the primary as superuser, in the database of Sallyport. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  leader(): Promise<NodeName>;
  /** Nodes that Patroni calls the primary, without waiting. */
  primaries(): Promise<readonly NodeName[]>;
  /** A planned change of the primary. Resolves when Patroni has answered. */
  switchOver(): Promise<void>;
  /**
   * Kills Patroni and PostgreSQL of a node, as a power failure does. Before, it waits for a
   * synchronous standby: without one, no other node may take over.
   */
  kill(name: NodeName): Promise<void>;
  /** Starts a killed node. Resolves when it is a standby that follows. */
  rejoin(name: NodeName): Promise<void>;
  /** Resolves when a node that came back is a standby that follows. */
  follows(name: NodeName): Promise<void>;
  /**
   * Takes the network of a node away: from all others, or only from the other node and etcd, so
   * that its clients still reach it. Returns a function that heals it.
   */
  partition(name: NodeName, from: 'all' | 'cluster'): () => Promise<void>;
  /**
   * Cuts the nodes off from each other; clients and etcd still reach both. Resolves when the
   * standby is this far behind, with a function that heals it.
   */
  delayStandby(seconds: number): Promise<() => Promise<void>>;
  /** Stops etcd as a crash does. Returns a function that starts it again with its data. */
  stopEtcd(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

async function makeNodes(folder: string, network: Network): Promise<readonly [Node, Node]> {
  const make = async (name: NodeName, number: number): Promise<Node> => {
    const node = { name, folder: join(folder, name), place: network.addPlace(name, number) };
    await mkdir(node.folder, { mode: 0o700 });
    return node;
  };
  return [await make('db1', 11), await make('db2', 12)];
}

/** Returns a function that starts Patroni of a node with the guide's file. */
async function createStart(
  { begin }: Programs,
  folder: string,
  { etcd, subnet, isSynchronous }: { etcd: string; subnet: string; isSynchronous: boolean },
) {
  const guide = await exampleOf(HEADING, 'yaml');
  const bin = dirname(debianBinaries().postgres);
  return async ({ name, folder: own, place }: Node) => {
    const { uid, gid } = chooseAccount(own, join(bin, 'initdb'));
    const file = join(folder, `${name}.yml`);
    const text = replaceAll(guide, {
      'name: db1': `name: ${name}`,
      '10.0.0.11': place.address,
      '10.0.0.21:2379, 10.0.0.22:2379, 10.0.0.23:2379': etcd,
      '/var/lib/postgresql/sallyport': join(own, 'data'),
      // Namespaces share the folder for sockets.
      '/usr/lib/postgresql/15/bin': `${bin}\n  parameters: {unix_socket_directories: ${own}}`,
      '10.0.0.0/24': subnet,
      // By default a standby that lacks more than 1 MB never takes over.
      'synchronous_mode: true': `synchronous_mode: ${isSynchronous}\n    maximum_lag_on_failover: 1000000000`,
    });
    await writeFile(file, text);
    const env = { PATH: process.env.PATH, HOME: own };
    const account = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
    begin(name, [...place.run, 'setpriv', ...account, '/usr/bin/patroni', file], { env });
  };
}

async function startHaproxy({ begin }: Programs, folder: string, nodes: readonly [Node, Node]) {
  const port = await freePort();
  const [first, second] = nodes;
  const text = replaceAll(await exampleOf(HEADING, 'haproxy'), {
    '10.0.0.10:5432': `127.0.0.1:${port}`,
    '10.0.0.11:5432': `${first.place.address}:5432`,
    '10.0.0.12:5432': `${second.place.address}:5432`,
  });
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, `${text}\n`);
  begin('haproxy', ['/usr/sbin/haproxy', '-db', '-f', file]);
  return port;
}

/** A standby lacks less than this while others write. */
const LATEST_BYTES = 1_000_000;

/** Asks the nodes about their cluster. */
function createStates(nodes: readonly [Node, Node], isSynchronous: boolean) {
  const members = async (): Promise<readonly Member[]> => {
    for (const { place } of nodes) {
      const signal = AbortSignal.timeout(5_000);
      const url = `http://${place.address}:8008/cluster`;
      const answer = await fetch(url, { signal }).catch(() => undefined);
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
  const isStreaming = async (name: NodeName) => {
    const place = nodes.find((node) => node.name === name)?.place;
    const rows = await queryAt(
      await leader(),
      `select from pg_stat_replication where client_addr = $1::inet and state = 'streaming'
        and pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) < ${LATEST_BYTES}`,
      [place?.address],
      'postgres',
    );
    return rows.length === 1;
  };
  const follows = (name: NodeName) =>
    until(
      async () => {
        const role = isSynchronous ? 'sync_standby' : 'replica';
        const isStandby = (one: Member) => one.name === name && one.role === role;
        // Patroni calls a node a replica that does not stream yet.
        return (await members()).some(isStandby) && isStreaming(name).catch(() => false);
      },
      `${name} is a standby that follows`,
      PATIENCE_MS,
    );
  return { leader, follows };
}

async function queryAt<Row extends pg.QueryResultRow>(
  { place }: Node,
  text: string,
  values: readonly unknown[] = [],
  database = 'sallyport',
): Promise<Row[]> {
  const client = new pg.Client(
    `postgresql://postgres:superuser-secret@${place.address}/${database}`,
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
export async function startPatroniCluster(isSynchronous = true): Promise<PatroniCluster> {
  requirePeers('postgresql', 'haproxy');
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-patroni-'));
  await chmod(folder, 0o755);
  const programs = createPrograms(folder);
  const network = createNetwork();
  const stop = async () => {
    // Patroni stops its PostgreSQL.
    for (const name of ['db1', 'db2']) await programs.end(name, 'SIGTERM');
    for (const name of ['haproxy', 'etcd']) await programs.end(name, 'SIGKILL');
    network.remove();
    await removeFolder(folder);
  };
  try {
    const etcd = await startEtcd(programs, folder, network.etcd);
    const { subnet } = network;
    const start = await createStart(programs, folder, { etcd, subnet, isSynchronous });
    const nodes = await makeNodes(folder, network);
    const [first, second] = nodes;
    const { leader, follows } = createStates(nodes, isSynchronous);
    await start(first);
    const primary = await leader();
    await start(second);
    await follows(second.name);
    const balanced = await startHaproxy(programs, folder, nodes);
    const setUp = (text: string) => queryAt(primary, text, [], 'postgres');
    await setUp("create role sallyport login password 'secret'");
    await setUp('create database sallyport owner sallyport');
    const at = (hosts: string) => `postgresql://sallyport:secret@${hosts}/sallyport`;
    const nodeOf = (name: NodeName) => (name === 'db1' ? first : second);
    return {
      url: at(`${first.place.address},${second.place.address}`),
      proxyUrl: `${at(`127.0.0.1:${balanced}`)}?target_session_attrs=read-write`,
      query: async (text, values) => queryAt(await leader(), text, values),
      leader: async () => (await leader()).name,
      primaries: async () => {
        const isPrimary = async ({ place }: Node) => {
          const signal = AbortSignal.timeout(5_000);
          const answer = await fetch(`http://${place.address}:8008/primary`, { signal });
          return answer.ok;
        };
        const states = await Promise.all(nodes.map((node) => isPrimary(node).catch(() => false)));
        return nodes.filter((_node, index) => states[index]).map(({ name }) => name);
      },
      async switchOver() {
        const { place, name } = await leader();
        const answer = await fetch(`http://${place.address}:8008/switchover`, {
          method: 'POST',
          body: JSON.stringify({ leader: name }),
        });
        if (!answer.ok) throw new Error(`Patroni did not switch over: ${await answer.text()}`);
      },
      async kill(name) {
        if (isSynchronous) await follows(name === 'db1' ? 'db2' : 'db1');
        await killNode(programs, nodeOf(name));
      },
      async rejoin(name) {
        await start(nodeOf(name));
        await follows(name);
      },
      follows,
      partition(name, from) {
        const other = nodeOf(name === 'db1' ? 'db2' : 'db1');
        const { place } = nodeOf(name);
        return from === 'all' ? place.cut() : place.cutFrom([other.place.address, network.etcd]);
      },
      async delayStandby(seconds) {
        const primary = await leader();
        const standby = primary === first ? second : first;
        const heals = [
          primary.place.cutFrom([standby.place.address]),
          standby.place.cutFrom([primary.place.address]),
        ];
        await until(
          async () => (await queryAt(standby, BEHIND, [seconds])).length === 1,
          'the standby is behind',
          PATIENCE_MS,
        );
        return async () => {
          for (const heal of heals) await heal();
        };
      },
      async stopEtcd() {
        await programs.end('etcd', 'SIGKILL');
        return async () => void (await startEtcd(programs, folder, network.etcd));
      },
      stop,
    };
  } catch (error) {
    const tails = programs.tails().join('\n');
    await stop();
    throw new Error(`The cluster does not start:\n${tails}`, { cause: error });
  }
}
