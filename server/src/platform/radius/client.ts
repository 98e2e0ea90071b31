import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { type AccessAnswer, accessRequest, readAnswer } from './packet.ts';

/** A server that answers on one port. */
export interface RadiusServer {
  readonly host: string;
  readonly port: number;
}

/** How RADIUS servers are asked. */
export interface RadiusConfig {
  /** Tried in this order; the next one when one does not answer. */
  readonly servers: readonly RadiusServer[];
  readonly secret: string;
  /** How this installation names itself (NAS-Identifier). */
  readonly identifier: string;
  /** How long one server may take in all, in seconds. */
  readonly seconds: number;
  /** How long all of them may take together, in seconds; 90 unless given. */
  readonly totalSeconds?: number;
}

/** An answer, and the server that gave it. */
export interface RadiusAnswer extends AccessAnswer {
  readonly server: string;
}

/** No server answered; the message says what became of each. */
export class RadiusUnanswered extends Error {
  override readonly name = 'RadiusUnanswered';
}

const DEFAULT_PORT = 1812;
const MAX_SERVERS = 5;
/** The first question again after so long, then after twice as long each time: datagrams get lost. */
const AGAIN_MS = 1_000;
/** How long all servers together may take, in seconds: one of them may wait for a phone, but no sign-in waits for five. */
const TOTAL_SECONDS = 90;

/** Reads servers such as `radius.example.com, 10.0.0.2:1645, [fd00::1]:1812`; `undefined` when one is no address, or there are more than five. */
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
 * Asks whether a password belongs to a name (RFC 2865), or an answer to a challenge, with the state that came with it. Only an answer that the shared secret signs counts.
 *
 * @throws RadiusUnanswered when no server gives one
 * @throws RangeError when name or password is longer than the protocol carries
 */
export async function askRadius(
  config: RadiusConfig,
  username: string,
  password: string,
  state?: Buffer,
): Promise<RadiusAnswer> {
  const failures: string[] = [];
  const end = performance.now() + (config.totalSeconds ?? TOTAL_SECONDS) * 1_000;
  for (const server of config.servers) {
    const name = `${server.host}:${server.port}`;
    const left = (end - performance.now()) / 1_000;
    // Timers end a little early: what is left of the last one is no time to answer.
    if (left < 0.05) {
      failures.push(`${name}: not asked, the others took too long`);
      continue;
    }
    try {
      return {
        ...(await askServer(
          server,
          { ...config, seconds: Math.min(config.seconds, left) },
          username,
          password,
          state,
        )),
        server: name,
      };
    } catch (error) {
      if (error instanceof RangeError) throw error;
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new RadiusUnanswered(failures.join('; '));
}

async function askServer(
  { host, port }: RadiusServer,
  config: RadiusConfig,
  username: string,
  password: string,
  state?: Buffer,
): Promise<AccessAnswer> {
  const request = accessRequest(username, password, config, state);
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4' });
  const timers: NodeJS.Timeout[] = [];
  try {
    const deadline = config.seconds * 1000;
    const tooLong = new Promise<never>((_, reject) => {
      timers.push(setTimeout(() => reject(new Error('no answer')), deadline));
    });
    const answered = new Promise<AccessAnswer>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('message', (received) => {
        const answer = readAnswer(received, request, config.secret);
        if (answer) resolve(answer);
      });
    });
    // Nobody may be waiting for these any more when they fail.
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

/** Binds the socket to one peer: packets of others do not come in, and a closed port is known at once. */
async function connected(socket: Socket, port: number, host: string): Promise<void> {
  socket.connect(port, host);
  await once(socket, 'connect');
}
