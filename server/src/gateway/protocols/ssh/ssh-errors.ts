import { Refusal } from '../../refusal.ts';

/** The server of a step on the route, for error messages. */
export interface Peer {
  readonly host: string;
  readonly port: number;
  readonly account: string;
}

const UNREACHABLE = new Set([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'EHOSTDOWN',
  'ENETDOWN',
  'EINVAL',
  'EACCES',
  'EPERM',
]);

/**
 * Maps an error of a step to a Refusal. The peer's own text is dropped: it would allow scans of the
 * network through us.
 */
export function refusalOf(error: unknown, peer: Peer): Refusal {
  if (error instanceof Refusal) return error;
  const host = `${peer.host}:${peer.port}`;
  const code = textOf(error, 'code');
  const level = textOf(error, 'level');
  if (code === 'ECONNREFUSED') return new Refusal('connect_refused', { host });
  if (code === 'ETIMEDOUT' || level === 'client-timeout')
    return new Refusal('connect_timeout', { host });
  if (code !== undefined && UNREACHABLE.has(code))
    return new Refusal('connect_unreachable', { host });
  if (level === 'client-authentication')
    return new Refusal('connect_credentials', { host, account: peer.account });
  return new Refusal('connect_protocol_error', { host });
}

/**
 * Maps the loss of a server that sent no data: a firewall, a limit or a starting service, but no
 * protocol error.
 */
export function silentRefusalOf(error: unknown, peer: Peer): Refusal {
  const refusal = refusalOf(error, peer);
  return refusal.problem.code === 'connect_protocol_error'
    ? new Refusal('connect_no_greeting', { host: `${peer.host}:${peer.port}` })
    : refusal;
}

/** Maps the failure of a gateway to reach the next server. */
export function forwardRefusalOf(error: unknown, next: Peer): Refusal {
  const host = `${next.host}:${next.port}`;
  const message = error instanceof Error ? error.message : '';
  if (/refused/i.test(message)) return new Refusal('connect_refused', { host });
  if (/timed? ?out/i.test(message)) return new Refusal('connect_timeout', { host });
  return new Refusal('connect_unreachable', { host });
}

function textOf(error: unknown, name: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}
