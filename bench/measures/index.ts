import { SIZES } from '../generate/sizes.ts';
import type { Figure } from '../lib/figure.ts';
import type { World } from '../lib/world.ts';
import { access } from './access.ts';
import { auditCost } from './audit-cost.ts';
import { boot } from './boot.ts';
import { commandRules } from './command-rules.ts';
import { commands } from './commands.ts';
import { connections } from './connections.ts';
import { csv } from './csv.ts';
import { cut } from './cut.ts';
import { dashboard } from './dashboard.ts';
import { databases } from './databases.ts';
import { desktopFrames } from './desktop-frames.ts';
import { desktops } from './desktops.ts';
import { files } from './files.ts';
import { firstLoad } from './first-load.ts';
import { flood } from './flood.ts';
import { frames } from './frames.ts';
import { grants } from './grants.ts';
import { growth } from './growth.ts';
import { hostile } from './hostile.ts';
import { hostileSessions } from './hostile-sessions.ts';
import { idleMemory } from './idle-memory.ts';
import { ldap } from './ldap.ts';
import { listener } from './listener.ts';
import { lists } from './lists.ts';
import { load } from './load.ts';
import { manySessions } from './many-sessions.ts';
import { newScreen } from './new-screen.ts';
import { openings } from './openings.ts';
import { ops } from './ops.ts';
import { outage } from './outage.ts';
import { peers, peersTableOf } from './peers.ts';
import { processes } from './processes.ts';
import { remoteDatabase } from './remote-database.ts';
import { replay } from './replay.ts';
import { roundTrips } from './round-trips.ts';
import { scale } from './scale.ts';
import { screenSearch } from './screen-search.ts';
import { scrolling } from './scrolling.ts';
import { search } from './search.ts';
import { sites } from './sites.ts';
import { smallFiles } from './small-files.ts';
import { ssh } from './ssh.ts';
import { sshConnections } from './ssh-connections.ts';
import { terminal } from './terminal.ts';
import { twoServers } from './two-servers.ts';
import { upgrade } from './upgrade.ts';

const counted = (amount: number, of: string) => `${amount.toLocaleString('en')} ${of}`;
const ASSETS = counted(SIZES.assets, 'assets');
const NODES = counted(Math.round(SIZES.nodes / 1_000) * 1_000, 'nodes');
const PEOPLE = `${counted(SIZES.users, 'users')} and ${counted(SIZES.rules, 'permissions')}`;
const SESSIONS = counted(SIZES.sessions, 'sessions');

export interface Measure {
  readonly title: string;
  readonly run: (world: World) => Promise<Figure[]>;
  /** Paragraphs about the conditions, in Markdown. */
  readonly about?: string;
  /** A Markdown table in the place of the usual one. */
  readonly tableOf?: (figures: readonly Figure[]) => string;
}

/** Every measure by the name that runs it alone, in the order of the report. */
export const MEASURES: Readonly<Record<string, Measure>> = {
  boot: { title: 'Start', run: boot },
  peers: {
    title: 'Next to other programs',
    run: peers,
    about:
      'Each figure is a share of the same client without a program between it and the target, in the same run. `--before DIR` names a built checkout of Sallyport `81556e50`, and `SALLYPORT_BENCH_PGBOUNCER` the path of PgBouncer. The other programs were measured side by side on 2026-11-24 on another machine (2 cores, load 0.8 to 3.2): OpenSSH 9.2 as a jump host, KoKo `27b5bef` with a core that answers from memory, Warpgate 0.28.3, PgBouncer 1.18. *Before* is Sallyport `81556e50` in that run. OpenSSH and PgBouncer record nothing. The row of openings compares with *before*, since no client opens a session without a program.\n\n*Relay of bytes*, in the same run, is the least program of Node.js between a client and its target: it passes bytes in both directions, without its own encryption, sign-in, permission, log or recording. PgBouncer and OpenSSH are written in C.\n\nRows are missed for these reasons. Client, target and server share two cores, so a share follows from the CPU of the server. **Statements**: the folder of Sallyport is on a disk, and its log is complete after `kill -9`. No program with such a log answers faster than the disk syncs, so the goal is a share of the *relay with a sync*, the least program with a durable log: it syncs the bytes of a statement before its answer passes, and does nothing else. These rows are of 2026-11-30 and a busy machine: see [Databases through the listeners](#databases-through-the-listeners). **Openings**: two SSH handshakes take 2 ms of Node.js and the files of a durable recording about 1 ms; PostgreSQL takes 3 ms for sign-in, permission, logs, digest and counts. **Echo**: the relay of bytes misses the goal of the p99, too. **Small files**: the goal is the share of the relay of bytes. **Download**: a GiB takes 1.3 s of CPU, of which opening and sealing its packets are a third.',
    tableOf: peersTableOf,
  },
  'idle-memory': { title: 'Idle memory', run: idleMemory },
  'first-load': {
    title: 'First load of the pages (gzip)',
    run: firstLoad,
    about:
      'All files of a page until it rests, with the news of the header, which follow the first view by four seconds. Dialogs, the contents of popovers and the drawers of narrow windows load when they are used. The build splits by page with ordinary settings.',
  },
  'new-screen': { title: 'What a new screen adds to the other pages (gzip)', run: newScreen },
  ssh: { title: 'SSH without a pseudo-terminal', run: ssh },
  listener: { title: 'SSH through the listener, next to a jump host', run: listener },
  openings: { title: 'Openings over SSH', run: openings },
  processes: { title: 'Several processes of one server', run: processes },
  databases: {
    title: 'Databases through the listeners',
    run: databases,
    about:
      'The folders of Sallyport and of the targets are on one disk, unless a figure says that the folder is in memory. *Relay of bytes* is the least program of Node.js between a client and its target. *Relay with a sync* is the least one with a durable log (`bench/lib/sync-relay-process.ts`): it syncs the bytes of a statement before it passes the answer, and statements that arrive during a sync share the next one. It reads, checks, masks and records nothing. The goals are ratios to it, because a durable log cannot be faster than its disk. In the run of 2026-11-30 other programs used most of both processors (load 16 to 30): a program that waits for its disk then waits for a processor as well, each time. The CPU and the relays of the same run say more than the rates. Those of MariaDB are differences of two runs: 300 % with 8 clients comes from that, and was 94 % in the run before.',
  },
  desktops: { title: 'Desktops of VNC and RDP', run: desktops },
  'desktop-frames': { title: 'Desktops of RDP that change', run: desktopFrames },
  files: { title: 'Files over SFTP', run: files },
  sites: { title: 'Files behind a site', run: sites },
  'small-files': { title: 'Small files over SFTP', run: smallFiles },
  terminal: { title: 'Terminal', run: terminal },
  scrolling: { title: 'Pictures that change ten times a second', run: scrolling },
  'command-rules': { title: 'Command filters', run: commandRules },
  hostile: { title: 'Hostile targets and clients', run: hostile },
  'hostile-sessions': {
    title: '200 sessions of hostile targets, next to 200 of well-behaved ones',
    run: hostileSessions,
    about: 'Targets, clients and the server share the processors of the machine.',
  },
  flood: { title: 'Output without end', run: flood },
  frames: { title: 'Frames of the browser in a flood', run: frames },
  connections: { title: '1,000 idle terminals', run: connections },
  replay: { title: 'Replay of 200 MiB', run: replay },
  'ssh-connections': {
    title: '1,000 idle SSH sessions',
    run: sshConnections,
    about: 'A minute of an idle session is two keepalives, to its client and to its target.',
  },
  'many-sessions': {
    title: 'Thousands of idle SSH sessions',
    run: manySessions,
    about: '5,000 with `--long`, 500 without. The target runs in the process of the bench.',
  },
  upgrade: {
    title: 'An upgrade under 300 live sessions',
    run: upgrade,
    about:
      '100 SSH shells, 100 web terminals, 60 clients of PostgreSQL and 40 of SFTP, one process below a parent. An answer of each is due every half second.',
  },
  ops: { title: 'Work on 1,000 servers', run: ops },
  cut: { title: 'A session after a change to permissions', run: cut },
  outage: { title: 'Sessions while the database is away', run: outage },
  ldap: { title: 'People of a directory', run: ldap },
  lists: {
    title: `Lists with ${ASSETS}, ${SESSIONS}, ${PEOPLE}`,
    run: lists,
  },
  growth: {
    title: 'Growth of the lists',
    run: growth,
    about:
      'Cost of one request by the size of the installation; 1,000,000 assets with `--long`. The slope is the exponent of the fitted power of the assets: 0.1 is O(log n), 1 is O(n).',
  },
  dashboard: { title: `Dashboard with ${SESSIONS}`, run: dashboard },
  grants: {
    title: `Grants with ${ASSETS}, ${NODES}, ${PEOPLE}`,
    run: grants,
  },
  access: { title: 'Who reaches what, and why', run: access },
  search: {
    title: `One search over ${ASSETS}, ${SESSIONS} and everything else`,
    run: search,
  },
  commands: {
    title: `${counted(SIZES.commands, 'commands')} of a year`,
    run: commands,
  },
  'screen-search': {
    title: `Screens of ${counted(SIZES.screens, 'sessions')}`,
    run: screenSearch,
  },
  load: { title: '200 people at once', run: load },
  'two-servers': { title: '200 people on two servers, one of which is killed', run: twoServers },
  scale: {
    title: 'One server and two',
    run: scale,
    about:
      'Two installations with a database each. Each server has its own core where `taskset` exists, and the same clients; targets, clients and databases share all cores. Costs of idle servers are subtracted. A round trip is something that a server sent to the database after an answer. Keys and their echo go into the recording only. A command in a terminal is one row, as a statement is. The computed rows use the costs with one server.',
  },
  csv: { title: 'Files of 1,000,000 and of 10,000 rows', run: csv },
  'round-trips': { title: 'Database round trips of one write', run: roundTrips },
  'remote-database': { title: 'A database 100 ms away', run: remoteDatabase },
  audit: { title: 'What an entry of the operate log costs', run: auditCost },
};
