import { isIP, isIPv4, type Socket } from 'node:net';

/** Maximum header of version 1, and of version 2 as far as we read it. */
const MAX_TEXT = 107;
const MAX_BINARY = 16 + 2048;
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const TEXT_START = Buffer.from('PROXY ', 'latin1');

/**
 * A parsed header with its length and the client's address if present, `more` if incomplete, or
 * `none`.
 */
export type ProxyHeader =
  | { readonly bytes: number; readonly address: string | undefined }
  | 'more'
  | 'none';

/** Parses a PROXY protocol header, version 1 or 2, at the start of a connection. */
export function readProxyHeader(data: Buffer): ProxyHeader {
  if (startsLike(data, SIGNATURE)) return data.length < 16 ? 'more' : readBinary(data);
  if (startsLike(data, TEXT_START)) return readText(data);
  return 'none';
}

function startsLike(data: Buffer, start: Buffer): boolean {
  const length = Math.min(data.length, start.length);
  return data.subarray(0, length).equals(start.subarray(0, length));
}

function readText(data: Buffer): ProxyHeader {
  const end = data.subarray(0, MAX_TEXT).indexOf('\r\n');
  if (end < 0) return data.length >= MAX_TEXT ? 'none' : 'more';
  const [, family, source = '', , port = ''] = data.toString('latin1', 0, end).split(' ');
  if (family === 'UNKNOWN') return { bytes: end + 2, address: undefined };
  const isGood =
    (family === 'TCP4' && isIP(source) === 4) || (family === 'TCP6' && isIP(source) === 6);
  return isGood && /^\d{1,5}$/.test(port) ? { bytes: end + 2, address: source } : 'none';
}

function readBinary(data: Buffer): ProxyHeader {
  const [version, family] = [data.readUInt8(12), data.readUInt8(13)];
  const bytes = 16 + data.readUInt16BE(14);
  if (version >> 4 !== 2 || bytes > MAX_BINARY) return 'none';
  if (data.length < bytes) return 'more';
  const isLocal = (version & 0x0f) === 0;
  if (isLocal) return { bytes, address: undefined };
  if ((version & 0x0f) !== 1) return 'none';
  if (family === 0x11)
    return bytes >= 28 ? { bytes, address: [...data.subarray(16, 20)].join('.') } : 'none';
  if (family === 0x21)
    return bytes >= 52 ? { bytes, address: ipv6Of(data.subarray(16, 32)) } : 'none';
  return { bytes, address: undefined };
}

function ipv6Of(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    bytes.readUInt16BE(index * 2).toString(16),
  );
  const mapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';
  return mapped
    ? [...bytes.subarray(12)].join('.')
    : new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}

/**
 * Reads and removes the header of a trusted proxy. Resolves with the client's address, or
 * `fallback` for connections of the proxy itself, and with undefined without a valid header.
 */
export function takeProxyHeader(socket: Socket, fallback: string): Promise<string | undefined> {
  return new Promise((done) => {
    let data = Buffer.alloc(0);
    const finish = (address: string | undefined) => {
      socket.off('readable', read);
      socket.off('close', gone);
      done(address);
    };
    const gone = () => finish(undefined);
    const read = () => {
      const chunk: unknown = socket.read();
      if (!Buffer.isBuffer(chunk)) return;
      data = Buffer.concat([data, chunk]);
      const header = readProxyHeader(data);
      if (header === 'more') return;
      if (header === 'none') {
        finish(undefined);
        return;
      }
      const rest = data.subarray(header.bytes);
      if (rest.length > 0) socket.unshift(rest);
      finish(header.address ?? fallback);
    };
    socket.on('readable', read);
    socket.once('close', gone);
  });
}

/** Converts IPv4-mapped IPv6 addresses to IPv4. */
export function plainAddress(address: string | undefined): string {
  const plain = (address ?? '').replace(/^::ffff:/i, '');
  return isIPv4(plain) ? plain : (address ?? '');
}
