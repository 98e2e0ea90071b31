import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { refuseMetadata } from '../address-policy.ts';
import {
  type AccessAnswer,
  type AccessRequest,
  accessRequest,
  readAnswer,
  unsignedKind,
} from './packet.ts';

export interface RadiusServer {
  readonly host: string;
  readonly port: number;
}

/** Settings of RADIUS sign-ins. */
export interface RadiusConfig {
  /** Servers in order; the next one is tried when one does not answer. */
  readonly servers: readonly RadiusServer[];
  readonly secret: string;
  /** Name of this installation (NAS-Identifier). */
  readonly identifier: string;
  /** Timeout per server, in seconds. */
  readonly seconds: number;
  /** Timeout of all servers together, in seconds; default 90. */
  readonly totalSeconds?: number;
}

/** An answer and its server. */
export interface RadiusAnswer extends AccessAnswer {
  readonly server: string;
}

/** No server answered; the message has the error of each. */
export class RadiusUnanswered extends Error {
  override readonly name = 'RadiusUnanswered';
  /** True if an answer came without a Message-Authenticator, so that it did not count. */
  readonly isUnsigned: boolean;
  constructor(message: string, isUnsigned: boolean) {
    super(message);
    this.isUnsigned = isUnsigned;
  }
}

/** Names of the answers in RFC 2865. */
const NAMES = {
  accept: 'Access-Accept',
  reject: 'Access-Reject',
  challenge: 'Access-Challenge',
} as const;

class Unsigned extends Error {}

const DEFAULT_PORT = 1812;
const MAX_SERVERS = 5;
/** First retransmission in milliseconds; the interval doubles each time. Datagrams get lost. */
const AGAIN_MS = 1_000;
/**
 * Default timeout of all servers together, in seconds. One server may wait for a phone, but a
 * sign-in must not wait for five.
 */
const TOTAL_SECONDS = 90;

/**
 * Parses servers such as `radius.example.com, 10.0.0.2:1645, [fd00::1]:1812`. Returns `undefined`
 * for an invalid address or more than five servers.
 */
export function readServers(text: string): readonly RadiusServer[] | undefined {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  const servers = parts.map(readServer);
  return servers.length <= MAX_SERVERS && servers.every((server) => server !== undefined)
    ? servers
    : undefined;
}

function readServer(text: string): RadiusServer | undefined {
  if (isIPv6(text)) return { host: text, port: DEFAULT_PORT };
  const [, bracketed, plain, port] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]{1,253}))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const number = port === undefined ? DEFAULT_PORT : Number(port);
  if (!host || (bracketed && !isIPv6(bracketed)) || number < 1 || number > 65_535) return undefined;
  return { host, port: number };
}

/**
 * Checks a username and password (RFC 2865), or the answer to a challenge with its state. Only an
 * answer signed with the shared secret counts.
 *
 * @throws RadiusUnanswered if no server answers
 * @throws RangeError if name or password exceeds the limits of the protocol
 */
export async function askRadius(
  config: RadiusConfig,
  username: string,
  password: string,
  state?: Buffer,
): Promise<RadiusAnswer> {
  const failures: string[] = [];
  let isUnsigned = false;
  const end = performance.now() + (config.totalSeconds ?? TOTAL_SECONDS) * 1_000;
  for (const server of config.servers) {
    const name = `${server.host}:${server.port}`;
    const left = (end - performance.now()) / 1_000;
    // Timers fire a little early: the remainder of the last one is too short for an answer.
    if (left < 0.05) {
      failures.push(`${name}: not asked, the others took too long`);
      continue;
    }
    try {
      return {
        ...(await askServer(server, accessRequest(username, password, config, state), {
          ...config,
          seconds: Math.min(config.seconds, left),
        })),
        server: name,
      };
    } catch (error) {
      if (error instanceof RangeError) throw error;
      isUnsigned ||= error instanceof Unsigned;
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new RadiusUnanswered(failures.join('; '), isUnsigned);
}

async function askServer(
  { host, port }: RadiusServer,
  request: AccessRequest,
  config: RadiusConfig,
): Promise<AccessAnswer> {
  await refuseMetadata(host);
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4' });
  const timers: NodeJS.Timeout[] = [];
  try {
    const deadline = config.seconds * 1000;
    let unsigned: AccessAnswer['kind'] | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      const fail = () =>
        reject(
          unsigned
            ? new Unsigned(`${NAMES[unsigned]} without Message-Authenticator`)
            : new Error('no answer'),
        );
      timers.push(setTimeout(fail, deadline));
    });
    const answered = new Promise<AccessAnswer>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('message', (received) => {
        const answer = readAnswer(received, request, config.secret);
        if (answer) resolve(answer);
        else unsigned ??= unsignedKind(received, request, config.secret);
      });
    });
    // These promises may reject after the race has ended.
    for (const promise of [tooLong, answered]) promise.catch(() => undefined);
    await Promise.race([connected(socket, port, host), tooLong]);
    for (let after = 0, wait = AGAIN_MS; after < deadline; after += wait, wait *= 2)
      timers.push(setTimeout(() => socket.send(request.packet, () => undefined), after));
    return await Promise.race([answered, tooLong]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    socket.close();
  }
}

/**
 * Binds the socket to one peer: packets of other senders are dropped, and a closed port fails at
 * once.
 */
async function connected(socket: Socket, port: number, host: string): Promise<void> {
  socket.connect(port, host);
  await once(socket, 'connect');
}
