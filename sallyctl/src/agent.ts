import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { DeviceSshKey } from '../../contract/src/index.ts';
import { STATUS } from './failure.ts';
import { Refused, type Server } from './server.ts';

/** Messages of the SSH agent protocol (draft-ietf-sshm-ssh-agent). */
const FAILURE = 5;
const REQUEST_IDENTITIES = 11;
const IDENTITIES_ANSWER = 12;
const SIGN_REQUEST = 13;
const SIGN_RESPONSE = 14;
/** Longest message that the agent reads; a request to sign is below one KiB. */
const MAX_MESSAGE = 16 * 1024;

const KEY_TYPE = 'ssh-ed25519';
/** Length of the DER header before the 32 bytes of an Ed25519 public key (RFC 8410). */
const DER_HEADER = 12;

const word = (value: Buffer | string): Buffer => {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

const wireOf = (publicKey: KeyObject): Buffer =>
  Buffer.concat([
    word(KEY_TYPE),
    word(publicKey.export({ format: 'der', type: 'spki' }).subarray(DER_HEADER)),
  ]);

/** Reads the byte strings of a message; undefined if one is cut. */
function wordsOf(message: Buffer, count: number): readonly Buffer[] | undefined {
  const words: Buffer[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (message.length < at + 4) return undefined;
    const end = at + 4 + message.readUInt32BE(at);
    if (message.length < end) return undefined;
    words.push(message.subarray(at + 4, end));
    at = end;
  }
  return words;
}

/** A key that exists in the memory of this process only. */
interface MemoryKey {
  readonly wire: Buffer;
  readonly privateKey: KeyObject;
}

/** Answers one message of the program that connects. */
function answerTo(message: Buffer, { wire, privateKey }: MemoryKey): Buffer {
  const [kind] = message;
  if (kind === REQUEST_IDENTITIES)
    return Buffer.concat([
      Buffer.from([IDENTITIES_ANSWER, 0, 0, 0, 1]),
      word(wire),
      word('sallyctl'),
    ]);
  const [key, data] = (kind === SIGN_REQUEST && wordsOf(message.subarray(1), 2)) || [];
  if (!key || !data || !key.equals(wire)) return Buffer.from([FAILURE]);
  const signature = Buffer.concat([word(KEY_TYPE), word(sign(null, data, privateKey))]);
  return Buffer.concat([Buffer.from([SIGN_RESPONSE]), word(signature)]);
}

/** Answers the messages of a connection, in their order. */
function serve(socket: Socket, key: MemoryKey): void {
  let received = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 4) {
      const length = received.readUInt32BE();
      if (length === 0 || length > MAX_MESSAGE) {
        socket.destroy();
        return;
      }
      if (received.length < 4 + length) return;
      socket.write(word(answerTo(received.subarray(4, 4 + length), key)));
      received = received.subarray(4 + length);
    }
  });
}

/** Has the server accept a key for one connection. Returns false if it does not. */
async function register({ wire }: MemoryKey, server: Server): Promise<boolean> {
  try {
    await server.post<DeviceSshKey>('authentication/device/ssh-key/', {
      public_key: `${KEY_TYPE} ${wire.toString('base64')}`,
    });
    return true;
  } catch (error) {
    // Earlier servers, and those without SSH keys, ask for the password as before.
    if (error instanceof Refused && error.status !== STATUS.notSignedIn) return false;
    throw error;
  }
}

/**
 * Runs work with an SSH agent in a private folder. Its only key is made for this call, never leaves
 * the memory, and opens one connection within a minute. `work` receives the path of the agent;
 * undefined if the server accepts no such key, or this system has no sockets with a path.
 */
export async function withAgent<T>(
  server: Server,
  folder: string,
  work: (path: string | undefined) => Promise<T>,
): Promise<T> {
  if (process.platform === 'win32') return work(undefined);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = { wire: wireOf(publicKey), privateKey };
  const path = join(folder, 'agent');
  const agent = createServer((socket) => serve(socket, key));
  const isListening = await new Promise<boolean>((resolve) => {
    // Paths of sockets are short on some systems.
    agent.once('error', () => resolve(false));
    agent.listen(path, () => resolve(true));
  });
  try {
    return await work(isListening && (await register(key, server)) ? path : undefined);
  } finally {
    agent.close();
  }
}
