import { isIPv4, isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { readExactly } from '../protocols/read-exactly.ts';

/** A host and port as the site should connect to it. Names are resolved there. */
export interface SiteAddress {
  readonly host: string;
  readonly port: number;
}

const VERSION = 5;
const [IPV4, NAME, IPV6] = [1, 3, 4] as const;
const CONNECT = 1;
const NO_SIGN_IN = 0;
const SUCCEEDED = 0;
/** Longest name in a request. */
const MAX_NAME = 255;

/**
 * Asks the SOCKS server behind a stream for a connection (RFC 1928). Returns true if it is open:
 * what follows on the stream belongs to the host. OpenSSH 9.2 answers after it has connected; if
 * it cannot, or may not by PermitRemoteOpen, it closes the stream without an answer.
 */
export async function askSocks(stream: Duplex, address: SiteAddress): Promise<boolean> {
  const request = requestOf(address);
  if (!request) return false;
  stream.write(Buffer.from([VERSION, 1, NO_SIGN_IN]));
  const method = await readExactly(stream, 2);
  if (method?.[0] !== VERSION || method[1] !== NO_SIGN_IN) return false;
  stream.write(request);
  const head = await readExactly(stream, 4);
  if (head?.[0] !== VERSION || head[1] !== SUCCEEDED) return false;
  const length = await boundLength(stream, head[3]);
  return length !== undefined && (await readExactly(stream, length + 2)) !== undefined;
}

/** Bytes of the bound address in an answer. Undefined if it has another form. */
async function boundLength(stream: Duplex, kind: number | undefined): Promise<number | undefined> {
  if (kind === IPV4) return 4;
  if (kind === IPV6) return 16;
  return kind === NAME ? (await readExactly(stream, 1))?.[0] : undefined;
}

function requestOf({ host, port }: SiteAddress): Buffer | undefined {
  const place = placeOf(host);
  if (!place) return undefined;
  const end = Buffer.alloc(2);
  end.writeUInt16BE(port);
  return Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), place, end]);
}

function placeOf(host: string): Buffer | undefined {
  if (isIPv4(host)) return Buffer.from([IPV4, ...host.split('.').map(Number)]);
  if (isIPv6(host)) return Buffer.from([IPV6, ...groupsOf(host)]);
  const name = Buffer.from(host);
  return name.length === 0 || name.length > MAX_NAME
    ? undefined
    : Buffer.concat([Buffer.from([NAME, name.length]), name]);
}

/** The sixteen bytes of an IPv6 address. */
function groupsOf(host: string): number[] {
  // The URL parser writes an embedded IPv4 address as two groups.
  const [plain = ''] = host.split('%');
  const text = new URL(`http://[${plain}]/`).hostname.slice(1, -1);
  const [before = '', after] = text.split('::');
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [read(before), read(after ?? '')];
  const groups = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}
