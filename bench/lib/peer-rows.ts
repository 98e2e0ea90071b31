/** A row of the comparison with other programs. */
export interface PeerRow {
  readonly name: string;
  /** Names of our figure and of the one that is the unit, which are of one run. */
  readonly ours: string;
  readonly unit: string;
  /** Returns the share of the unit in percent; `times` for durations, less is better. */
  readonly as: '%' | 'times';
  /** The share that is the goal; absent where another row has the goal. */
  readonly goal?: number;
  /** Shares of the programs, on another machine. */
  readonly peers: Partial<Record<Peer, string>>;
}

export const PEERS = ['before', 'ssh -J', 'KoKo', 'Warpgate', 'PgBouncer'] as const;
/** `before` is Sallyport at commit `81556e50`. */
export type Peer = (typeof PEERS)[number];

/** Client options of all routes: one cipher and one key exchange for all programs. */
export const SAME_ALGORITHMS = [
  'Ciphers aes128-gcm@openssh.com',
  'KexAlgorithms curve25519-sha256',
];

/**
 * Shares of the programs as measured side by side on 2026-11-24: OpenSSH 9.2, KoKo `27b5bef` with
 * a core that answers from memory, Warpgate 0.28.3, PgBouncer 1.18, each compared with the same
 * client without them.
 */
export const PEER_ROWS: readonly PeerRow[] = [
  {
    name: '`pgbench -S`, 1 client',
    ours: 'pgbench -S, 1 client, bastion',
    unit: 'pgbench -S, 1 client, direct',
    as: '%',
    peers: { before: '6', Warpgate: '50, its log stops', PgBouncer: '83, no log' },
  },
  {
    name: '– to the relay with a sync, 1 client of PostgreSQL',
    ours: 'pgbench -S, 1 client, bastion',
    unit: 'pgbench -S, 1 client, relay with a sync',
    as: '%',
    goal: 80,
    peers: {},
  },
  {
    name: '`pgbench -S`, 8 clients',
    ours: 'pgbench -S, 8 clients, bastion',
    unit: 'pgbench -S, 8 clients, direct',
    as: '%',
    peers: { before: '2.4', Warpgate: '33, its log stops', PgBouncer: '73, no log' },
  },
  {
    name: '– to the relay with a sync, 8 clients of PostgreSQL',
    ours: 'pgbench -S, 8 clients, bastion',
    unit: 'pgbench -S, 8 clients, relay with a sync',
    as: '%',
    goal: 80,
    peers: {},
  },
  {
    name: 'MariaDB point select, 1 client',
    ours: 'MariaDB point select, 1 client, bastion',
    unit: 'MariaDB point select, 1 client, direct',
    as: '%',
    peers: { before: '5' },
  },
  {
    name: '– to the relay with a sync, 1 client of MariaDB',
    ours: 'MariaDB point select, 1 client, bastion',
    unit: 'MariaDB point select, 1 client, relay with a sync',
    as: '%',
    goal: 80,
    peers: {},
  },
  {
    name: 'MariaDB point select, 8 clients',
    ours: 'MariaDB point select, 8 clients, bastion',
    unit: 'MariaDB point select, 8 clients, direct',
    as: '%',
    peers: { before: '2' },
  },
  {
    name: '– to the relay with a sync, 8 clients of MariaDB',
    ours: 'MariaDB point select, 8 clients, bastion',
    unit: 'MariaDB point select, 8 clients, relay with a sync',
    as: '%',
    goal: 80,
    peers: {},
  },
  {
    name: 'Cursor of 100,000 rows by 100',
    ours: 'A cursor of 100,000 rows by 100, bastion',
    unit: 'A cursor of 100,000 rows by 100, direct',
    as: 'times',
    peers: { before: '10.5' },
  },
  {
    name: '– to the relay with a sync, the cursor',
    ours: 'A cursor of 100,000 rows by 100, bastion',
    unit: 'A cursor of 100,000 rows by 100, relay with a sync',
    as: 'times',
    goal: 1.5,
    peers: {},
  },
  {
    name: 'CPU of an opening, 8 at once, with the database',
    ours: 'Openings, 8 at once, CPU',
    unit: 'Openings before, 8 at once, CPU',
    as: '%',
    goal: 20,
    peers: {
      before: '100',
      'ssh -J': '10, no record',
      KoKo: '10, without its core',
      Warpgate: '69',
    },
  },
  {
    name: '`ssh HOST true`',
    ours: 'A command, bastion',
    unit: 'A command, ssh straight to the server',
    as: 'times',
    goal: 0.83,
    peers: { before: '0.89', 'ssh -J': '1.8', KoKo: '1.09', Warpgate: '1.24' },
  },
  {
    name: 'First prompt',
    ours: 'First prompt, bastion',
    unit: 'First prompt, ssh straight to the server',
    as: 'times',
    goal: 1.01,
    peers: { before: '1.27', 'ssh -J': '2.17', KoKo: '1.10', Warpgate: '1.27' },
  },
  {
    name: 'Echo of a key, p50',
    ours: 'Echo of a keystroke, bastion, p50',
    unit: 'Echo of a keystroke, ssh straight to the server, p50',
    as: 'times',
    goal: 1.9,
    peers: { before: '2.5', 'ssh -J': '1.3', KoKo: '2.2', Warpgate: '2.2' },
  },
  {
    name: 'Echo of a key, p99',
    ours: 'Echo of a keystroke, bastion, p99',
    unit: 'Echo of a keystroke, ssh straight to the server, p99',
    as: 'times',
    goal: 1.8,
    peers: { before: '4.8', 'ssh -J': '2.1', KoKo: '3.1', Warpgate: '1.9' },
  },
  {
    name: 'Download, aes128-gcm',
    ours: 'Download, bastion',
    unit: 'Download, ssh straight to the server',
    as: '%',
    goal: 80,
    peers: { before: '64', 'ssh -J': '63', KoKo: '55', Warpgate: 'not offered' },
  },
  {
    name: 'Upload, aes128-gcm',
    ours: 'Upload, bastion',
    unit: 'Upload, ssh straight to the server',
    as: '%',
    goal: 65,
    peers: { before: '46', 'ssh -J': '25', KoKo: '42', Warpgate: 'breaks off' },
  },
  {
    name: '1,000 files of 4 KiB by SFTP, get',
    ours: 'Small files, get, sftp through the bastion',
    unit: 'Small files, get, sftp straight to the server',
    as: '%',
    goal: 78,
    peers: { before: '32', 'ssh -J': '71', KoKo: '56', Warpgate: '72' },
  },
];
