// Run by hostile-sessions.ts: one target for each attack of a protocol, or one that behaves well.
import type { Socket } from 'node:net';
import { makeSelfSigned } from '../../server/src/testing/certificates.ts';
import {
  SESSION_LASTS,
  startHostileServer,
} from '../../server/src/testing/hostile/hostile-server.ts';
import { MYSQL_ATTACKS } from '../../server/src/testing/hostile/mysql.ts';
import { POSTGRESQL_ATTACKS } from '../../server/src/testing/hostile/postgresql.ts';
import { RDP_ATTACKS } from '../../server/src/testing/hostile/rdp.ts';
import { REDIS_ATTACKS } from '../../server/src/testing/hostile/redis.ts';
import { SFTP_ATTACKS } from '../../server/src/testing/hostile/sftp.ts';
import { CONTINUES, SSH_ATTACKS } from '../../server/src/testing/hostile/ssh.ts';
import { TELNET_ATTACKS } from '../../server/src/testing/hostile/telnet.ts';
import { startScriptedVnc, VNC_ATTACKS } from '../../server/src/testing/hostile/vnc.ts';
import { VNC_PICTURE_ATTACKS } from '../../server/src/testing/hostile/vnc-pictures.ts';
import { startHostileServer as startSshTarget } from '../../server/src/testing/ssh/hostile-ssh.ts';
import { startSshServer } from '../../server/src/testing/ssh/ssh-server.ts';
import { runPart } from './part-process.ts';

export interface HostileTargetsOptions {
  readonly protocol: MeasuredProtocol;
  readonly isHostile: boolean;
}

/** Terminals whose servers attack from their first byte on. */
export const HANDSHAKES = ['ssh handshakes', 'telnet handshakes'] as const;

export type MeasuredProtocol =
  | 'sftp'
  | 'postgresql'
  | 'mysql'
  | 'redis'
  | 'vnc'
  | 'rdp'
  | (typeof HANDSHAKES)[number];

/** A target, and the reason with which its sessions end; undefined if that is not known. */
export interface HostileTarget {
  readonly name: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly reason: string | undefined;
}

/** A server, and the account that it accepts. */
interface Started {
  readonly port: number;
  readonly username?: string;
  readonly password?: string | undefined;
}

interface HostileEnd {
  readonly name: string;
  readonly serve: (socket: Socket) => unknown;
  readonly expected: string;
}

type Start = { readonly name: string; readonly reason?: string } & (
  | { readonly serve: (socket: Socket) => unknown }
  | {
      readonly start: () => Promise<Started>;
    }
);

const QUIET = 'answers nothing';
/** A rectangle of 64 by 48 white pixels. */
const PICTURE = Buffer.concat([
  Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 0, 64, 0, 48, 0, 0, 0, 0]),
  Buffer.alloc(64 * 48 * 4, 255),
]);
const vnc: Start = {
  name: 'shows a desktop',
  reason: SESSION_LASTS,
  start: () => startScriptedVnc((socket) => void socket.write(PICTURE)),
};
const database = (attacks: typeof POSTGRESQL_ATTACKS): readonly Start[] =>
  attacks.map(({ name, serve, workspace }) => ({ name, serve, reason: workspace }));
type FileAttack = Pick<(typeof SFTP_ATTACKS)[number], 'name' | 'answers' | 'expected'>;
const BROKE = 'connect_target_broke';
/** Other errors of a file server leave the session open. */
const files = ({ name, answers, expected }: FileAttack): Start => ({
  name,
  ...(expected === BROKE && { reason: BROKE }),
  start: () => startSshServer({ sftp: () => ({ answers }) }),
});

const ended = ({ name, serve, expected }: HostileEnd): Start => ({
  name,
  serve,
  reason: expected === CONTINUES ? SESSION_LASTS : expected,
});

async function attacksOf(protocol: MeasuredProtocol): Promise<readonly Start[]> {
  if (protocol === 'postgresql') return database(POSTGRESQL_ATTACKS);
  if (protocol === 'mysql') return database(MYSQL_ATTACKS);
  if (protocol === 'redis') return database(REDIS_ATTACKS);
  if (protocol === 'sftp') return SFTP_ATTACKS.map(files);
  if (protocol === 'vnc') return [...VNC_ATTACKS, ...VNC_PICTURE_ATTACKS].map(ended);
  if (protocol === 'ssh handshakes') return SSH_ATTACKS.map(ended);
  if (protocol === 'telnet handshakes') return TELNET_ATTACKS.map(ended);
  const identity = await makeSelfSigned('IP:127.0.0.1');
  return RDP_ATTACKS.map(({ name, serve, expected }) => ({
    name,
    serve: (socket) => serve(socket, identity),
    // A newer session of the account at the same desktop also explains an end without a reason.
    ...(expected !== 'connect_rdp_no_bitmaps' && { reason: expected }),
  }));
}

async function goodOnes(protocol: MeasuredProtocol): Promise<readonly Start[]> {
  if (protocol === 'vnc') return [vnc];
  if (protocol === 'sftp')
    return [files({ name: 'has files', answers: () => undefined, expected: undefined })];
  if (protocol === 'ssh handshakes') return [{ name: 'has a shell', start: startShell }];
  if (protocol === 'telnet handshakes')
    return [{ name: 'has a prompt', serve: (socket) => socket.write('ready> ') }];
  const quiet = protocol === 'rdp' ? 'never begins the desktop' : QUIET;
  return (await attacksOf(protocol)).filter(({ name }) => name === quiet);
}

/** A shell that shows a prompt and answers nothing. */
const startShell = () => startSshTarget((channel) => void channel.write('ready> '));

runPart(async ({ protocol, isHostile }: HostileTargetsOptions): Promise<HostileTarget[]> => {
  const starts = await (isHostile ? attacksOf(protocol) : goodOnes(protocol));
  return Promise.all(
    starts.map(async (one, index) => {
      const server: Started = await ('start' in one ? one.start() : startHostileServer(one.serve));
      const { port, username = 'x', password = 'y' } = server;
      return { name: `${index}-${protocol}`, port, username, password, reason: one.reason };
    }),
  );
});
