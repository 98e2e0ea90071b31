import {
  createHash,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { createServer } from 'node:net';

const TOUCHED = 1;

/** A FIDO2 device with one SSH key (OpenSSH, PROTOCOL.u2f). */
export interface SecurityDevice {
  /** The line of its `.pub` file. */
  readonly line: string;
  /** The public key in wire format. */
  readonly wire: Buffer;
  /** Signs as an agent does: the algorithm, the signature, the flags and the counter. */
  sign(text: Buffer, flags?: number): Buffer;
}

const number32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const string = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([number32(bytes.length), bytes]);
};
/** A number that is not negative (RFC 4251, mpint). */
const number = (bytes: Buffer): Buffer => {
  const short = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return string((short[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), short]) : short);
};
const digest = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest();
const raw = (key: JsonWebKey, name: 'x' | 'y'): Buffer => Buffer.from(key[name] ?? '', 'base64url');

/** Creates a device with a key of one of the two types that OpenSSH knows. */
export function createSecurityDevice(
  type: 'ed25519' | 'ecdsa',
  application = 'ssh:',
): SecurityDevice {
  const isEcdsa = type === 'ecdsa';
  const name = isEcdsa ? 'sk-ecdsa-sha2-nistp256@openssh.com' : 'sk-ssh-ed25519@openssh.com';
  const { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject } = isEcdsa
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), raw(key, 'x'), raw(key, 'y')]);
  const wire = Buffer.concat([
    string(name),
    ...(isEcdsa ? [string('nistp256'), string(point)] : [string(raw(key, 'x'))]),
    string(application),
  ]);
  let counter = randomBytes(2).readUInt16BE();
  return {
    line: `${name} ${wire.toString('base64')} device`,
    wire,
    sign(text, flags = TOUCHED) {
      const device = Buffer.concat([Buffer.from([flags]), number32(++counter)]);
      const signed = Buffer.concat([digest(application), device, digest(text)]);
      const signature = isEcdsa
        ? sign('sha256', signed, { key: privateKey, dsaEncoding: 'ieee-p1363' })
        : sign(null, signed, privateKey);
      const body = isEcdsa
        ? Buffer.concat([number(signature.subarray(0, 32)), number(signature.subarray(32))])
        : signature;
      return Buffer.concat([string(name), string(body), device]);
    },
  };
}

const FAILURE = 5;
const REQUEST_IDENTITIES = 11;
const IDENTITIES = 12;
const SIGN_REQUEST = 13;
const SIGN_RESPONSE = 14;

/**
 * Starts an SSH agent with a device at the path of a socket. Returns the function that stops it.
 */
export async function startAgent(device: SecurityDevice, path: string): Promise<() => void> {
  const answerTo = (message: Buffer): Buffer => {
    if (message[0] === REQUEST_IDENTITIES)
      return Buffer.concat([
        Buffer.from([IDENTITIES]),
        number32(1),
        string(device.wire),
        string('device'),
      ]);
    if (message[0] !== SIGN_REQUEST) return Buffer.from([FAILURE]);
    const begin = 1 + 4 + message.readUInt32BE(1);
    const text = message.subarray(begin + 4, begin + 4 + message.readUInt32BE(begin));
    return Buffer.concat([Buffer.from([SIGN_RESPONSE]), string(device.sign(text))]);
  };
  const server = createServer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE()) {
        const end = 4 + received.readUInt32BE();
        socket.write(string(answerTo(received.subarray(4, end))));
        received = received.subarray(end);
      }
    });
  });
  await new Promise<void>((done) => server.listen(path, done));
  return () => void server.close();
}
