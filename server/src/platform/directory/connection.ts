import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, getCACertificates } from 'node:tls';
import type { SourceState } from '@sallyport/contract';
import type { Client } from 'ldapts';
import { refuseMetadata } from '../address-policy.ts';
import { noteDates } from '../certificate-dates.ts';
import type { SettingProblems } from '../settings/rules.ts';
import { Trace } from './trace.ts';

/** Current settings of a directory. */
export interface DirectoryConfig {
  readonly uri: string;
  /** Encrypts by STARTTLS; the connection fails without it. */
  readonly startTls: boolean;
  /** Blank: anonymous bind. */
  readonly bindDn: string;
  readonly bindPassword: string;
  /** Search bases, in order. */
  readonly bases: readonly string[];
  /** Contains `%(user)s` in place of the username. */
  readonly filter: string;
  /** Attributes of the directory, by our field. */
  readonly attributes: AttributeMap;
  /** Attribute with the groups of a person; absent: groups are not read. */
  readonly groups?: string | undefined;
  /** Also reads the groups that contain a group of a person. */
  readonly hasNestedGroups?: boolean;
  /** Trusted certificate authorities (PEM) in place of those of the machine. */
  readonly authorities: readonly string[] | undefined;
}

/** Fields of a person in a directory. */
const PERSON_FIELDS = ['username', 'name', 'email', 'phone', 'wechat', 'comment'] as const;
export type PersonField = (typeof PERSON_FIELDS)[number];
type AttributeMap = Readonly<Partial<Record<PersonField, string>>>;

/** A person in a directory. */
export interface DirectoryPerson extends Readonly<Partial<Record<PersonField, string>>> {
  readonly dn: string;
  readonly username: string;
  /** Values of the attribute with groups; absent if groups are not read. */
  readonly groups?: readonly string[];
  readonly state: SourceState;
  /** Permanent id of the entry; absent if the directory sends none. */
  readonly key?: string;
}

/** Parses an attribute map from an object or JSON; undefined if it is invalid. */
export function readAttributeMap(value: unknown): AttributeMap | undefined {
  let map = value;
  if (typeof value === 'string') {
    try {
      map = JSON.parse(value);
    } catch {
      return undefined;
    }
  }
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return undefined;
  const entries = Object.entries(map as Record<string, unknown>);
  const isGood = entries.every(
    ([field, attribute]) =>
      PERSON_FIELDS.some((known) => known === field) && typeof attribute === 'string',
  );
  if (!isGood) return undefined;
  return Object.fromEntries(
    entries
      .map(([field, attribute]) => [field, String(attribute).trim()])
      .filter(([, attribute]) => attribute !== ''),
  );
}

/** Validates a map of user fields to the names that a directory or a provider uses. */
export function mapProblems(
  key: 'AUTH_LDAP_USER_ATTR_MAP' | 'AUTH_OPENID_USER_ATTR_MAP',
  value: unknown,
): SettingProblems {
  const map = readAttributeMap(value);
  return map?.username && map.name && map.email
    ? {}
    : { [key]: [{ code: 'directory_attribute_map' }] };
}

/** A connection after TLS (if configured) and bind. */
export interface Connection {
  readonly client: Client;
  readonly trace: Trace;
}

const CONNECT_TIMEOUT = 10_000;
const OPERATION_TIMEOUT = 10_000;

/** Returns the configured authorities, or those that the machine and the runtime trust. */
function authoritiesOf({ authorities }: DirectoryConfig): string[] {
  return authorities
    ? [...authorities]
    : [...new Set([...getCACertificates('default'), ...getCACertificates('system')])];
}

/**
 * Connects, encrypts, binds, runs `work`, and disconnects. Certificates are always verified. With
 * TLS no data is sent unencrypted.
 *
 * @throws DirectoryError with the step that failed
 */
export async function withDirectory<T>(
  config: DirectoryConfig,
  deadline: number,
  work: (connection: Connection) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const trace = new Trace();
  trace.hide(config.bindPassword);
  const sockets: Socket[] = [];
  let timer: NodeJS.Timeout | undefined;
  try {
    signal?.throwIfAborted();
    // Overall timeout for a directory that stalls in the middle of a response.
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The directory took too long')), deadline);
      signal?.addEventListener('abort', () => reject(new Error('Stopped')), { once: true });
    });
    return await Promise.race([converse(config, trace, sockets, work), tooLong]);
  } catch (error) {
    throw trace.failure(error);
  } finally {
    clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
  }
}

async function converse<T>(
  config: DirectoryConfig,
  trace: Trace,
  sockets: Socket[],
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const url = addressOf(config);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  await refuseMetadata(host);
  const secure = url.protocol === 'ldaps:';
  const tlsOptions = {
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ca: authoritiesOf(config),
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  } as const;
  const keep = <S extends Socket>(socket: S): S => {
    sockets.push(socket);
    return socket;
  };
  const library = await import('ldapts');
  const client = new library.Client({
    url: `${url.protocol}//${url.host}`,
    connectTimeout: CONNECT_TIMEOUT,
    timeout: OPERATION_TIMEOUT,
    // With TLS options the client would use TLS from the first byte, even for an ldap:// address.
    ...(secure && { tlsOptions }),
    createConnection: ((port: number, name: string) => {
      const socket = keep(connectPlain(port, name));
      socket.once('connect', () => connected(config.startTls));
      return socket;
    }) as typeof connectPlain,
    createSecureConnection: ((...args: Parameters<typeof connectTls>) => {
      const socket = keep(noteDates(connectTls(...args)));
      socket.once('connect', () => connected(true));
      socket.once('secureConnect', () => {
        trace.passed(socket.getProtocol() ?? '');
        trace.begin('bind');
      });
      return socket;
    }) as typeof connectTls,
  });
  const connected = (encrypts: boolean) => {
    trace.passed(url.host);
    trace.begin(encrypts ? 'tls' : 'bind');
  };
  trace.begin('connect');
  if (config.startTls && !secure) await client.startTLS({ ...tlsOptions });
  await client.bind(config.bindDn, config.bindPassword);
  trace.passed(config.bindDn);
  const result = await work({ client, trace });
  await client.unbind().catch(() => undefined);
  return result;
}

/** Rejects invalid settings before any data is sent. */
function addressOf({ uri, bindDn, bindPassword }: DirectoryConfig): URL {
  const url = URL.canParse(uri.trim()) ? new URL(uri.trim()) : undefined;
  if (!url || (url.protocol !== 'ldap:' && url.protocol !== 'ldaps:') || !url.hostname)
    throw new Error('The address begins with ldap:// or ldaps://');
  // Directories treat a bind without a password as anonymous (RFC 4513 §5.1.2), so a test would
  // seem to succeed.
  if (bindDn && !bindPassword) throw new Error('The bind DN has no password');
  return url;
}
