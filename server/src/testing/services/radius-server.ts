import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requirePeers } from '../peers.ts';
import { until } from '../poll.ts';
import { removeFolder } from '../remove-folder.ts';

/** A real FreeRADIUS server in a separate folder. */
export interface RadiusServer {
  readonly address: string;
  readonly secret: string;
  /** Returns the output so far. */
  readonly log: () => string;
  stop(): Promise<void>;
}

/** A question after the password, and the accepted answers in sequence. */
export interface RadiusQuestion {
  readonly message: string;
  readonly answers: readonly string[];
}

/** Users by name. Other answers are in FreeRADIUS syntax. */
export type RadiusPeople = Readonly<
  Record<
    string,
    {
      readonly password: string;
      readonly reply?: string;
      readonly question?: RadiusQuestion;
      /** True: the server rejects the right password, too. */
      readonly isRejected?: boolean;
    }
  >
>;

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  socket.close();
  await once(socket, 'close');
  return port;
}

const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/**
 * Starts Debian's FreeRADIUS with these users on a free port. `signs`: answers have a
 * Message-Authenticator.
 */
export async function startRadiusServer(people: RadiusPeople, signs = true): Promise<RadiusServer> {
  requirePeers('freeradius');
  const secret = 'shared secret of the test';
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-radius-'));
  const port = await freeUdpPort();
  for (const name of ['run', 'log']) mkdirSync(join(folder, name));
  const users = Object.entries(people)
    .filter(([, { question }]) => !question)
    .map(
      ([name, { password, reply, isRejected }]) =>
        `${quoted(name)} Cleartext-Password := ${quoted(password)}${isRejected ? ', Auth-Type := Reject' : ''}${reply ? `\n\t${reply}` : ''}\n`,
    );
  writeFileSync(join(folder, 'users'), users.join('\n'));
  writeFileSync(join(folder, 'radiusd.conf'), settingsOf(folder, port, secret, signs, people));
  chmodSync(folder, 0o700);
  const child = spawn(
    '/usr/sbin/freeradius',
    ['-f', '-l', 'stdout', '-xx', '-d', folder, '-n', 'radiusd'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += String(chunk);
    });
  const closed = once(child, 'close');
  await until(() => {
    if (child.exitCode !== null) throw new Error(`freeradius ended:\n${printed.slice(-4_000)}`);
    return printed.includes('Ready to process requests');
  }, 'freeradius answers');
  return {
    address: `127.0.0.1:${port}`,
    secret,
    log: () => printed,
    async stop() {
      child.kill();
      await closed;
      await removeFolder(folder);
    },
  };
}

/** Versions before 3.2.5 sign answers only on request. */
const SIGN = `update reply {
  &Message-Authenticator := 0x00
}`;

/** Returns the configuration of questions; the state determines the expected answer. */
function questionsOf(people: RadiusPeople, signs: boolean): string {
  const questioned = Object.entries(people).flatMap(([name, { password, question }]) =>
    question ? [{ name, password, question }] : [],
  );
  return questioned
    .map(({ name, password, question: { message, answers } }) => {
      const steps = [password, ...answers].map((expected, index) => {
        const state =
          index === 0
            ? '!&State'
            : `&State == 0x${Buffer.from(`${name} ${index}`).toString('hex')}`;
        const next = Buffer.from(`${name} ${index + 1}`).toString('hex');
        const isLast = index === answers.length;
        const right = isLast
          ? 'update control { &Auth-Type := Accept }'
          : `update control { &Auth-Type := Accept, &Response-Packet-Type := Access-Challenge }
        update reply {
          &Reply-Message := ${quoted(message)}
          &State := 0x${next}
          ${signs ? '&Message-Authenticator := 0x00' : ''}
        }`;
        return `if (${state}) {
      if (&User-Password == ${quoted(expected)}) {
        ${right}
      } else {
        update control { &Auth-Type := Reject }
      }
    }`;
      });
      return `if (&User-Name == ${quoted(name)}) {
    ${steps.join(' els')} else {
      update control { &Auth-Type := Reject }
    }
    }`;
    })
    .join('\n    ');
}

const settingsOf = (
  folder: string,
  port: number,
  secret: string,
  signs: boolean,
  people: RadiusPeople,
): string => `
prefix = /usr
exec_prefix = /usr
libdir = /usr/lib/freeradius
raddbdir = ${folder}
run_dir = ${folder}/run
db_dir = ${folder}
logdir = ${folder}/log
pidfile = ${folder}/run/pid
max_request_time = 10
cleanup_delay = 2
max_requests = 1024
security {
  allow_core_dumps = no
  max_attributes = 200
  reject_delay = 0
  status_server = no
}
thread pool {
  start_servers = 1
  max_servers = 2
  min_spare_servers = 1
  max_spare_servers = 1
}
client test {
  ipaddr = 127.0.0.1
  secret = ${quoted(secret)}
}
modules {
  pap {
  }
  files {
    filename = ${folder}/users
  }
}
server default {
  listen {
    type = auth
    ipaddr = 127.0.0.1
    port = ${port}
  }
  authorize {
    ${questionsOf(people, signs)}
    files
    pap
  }
  authenticate {
    Auth-Type PAP {
      pap
    }
  }
  post-auth {
${signs ? SIGN : ''}
    Post-Auth-Type REJECT {
${signs ? SIGN : ''}
    }
  }
}
`;
