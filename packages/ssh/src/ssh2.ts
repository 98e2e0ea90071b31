import { createRequire } from 'node:module';
import type library from 'ssh2';
import type { CipherAlgorithm } from 'ssh2';
import { keepCipherKeys, loadCiphers } from './ciphers.ts';
import { messageHandlers } from './internals.ts';
import { repairKeyExchange } from './key-exchange.ts';
import { raisePacketSizes } from './packet-floor.ts';

const CHANNEL_REQUEST = 98;
const EXEC = 'exec';
/**
 * Message type, channel, length and text of the request name. One byte with the want-reply flag
 * follows.
 */
const NAME_AT = 1 + 4 + 4;
const COMMAND_AT = NAME_AT + EXEC.length + 1;

let current: Buffer | undefined;

/**
 * Keeps the bytes of a channel request while ssh2 handles it. ssh2 decodes commands as UTF-8 and
 * replaces invalid bytes, so `rm` would delete another file, and it drops fields of `exit-signal`.
 */
function keepRequest(): void {
  const handlers = messageHandlers();
  const handle = handlers[CHANNEL_REQUEST];
  if (typeof handle !== 'function') throw new Error('ssh2 has changed inside');
  handlers[CHANNEL_REQUEST] = (protocol, payload) => {
    current = payload;
    try {
      return handle(protocol, payload);
    } finally {
      current = undefined;
    }
  };
}

/** Returns the channel request that is being handled, without copying it. */
export const currentRequest = (): Buffer | undefined => current;

/** Returns the bytes of the command whose `exec` event is being handled. */
export function execBytes(): Buffer | undefined {
  const payload = current;
  if (
    payload?.toString('latin1', NAME_AT, NAME_AT + EXEC.length) !== EXEC ||
    payload.length < COMMAND_AT + 4
  )
    return undefined;
  const end = COMMAND_AT + 4 + payload.readUInt32BE(COMMAND_AT);
  return payload.length < end ? undefined : Buffer.from(payload.subarray(COMMAND_AT + 4, end));
}

export type {
  Algorithms,
  AuthContext,
  AuthenticationType,
  Client,
  ClientChannel,
  ConnectConfig,
  Connection,
  KexAlgorithm,
  NegotiatedAlgorithms,
  ParsedKey,
  PseudoTtyInfo,
  PublicKeyAuthMethod,
  Server,
  ServerChannel,
  Session,
  SFTPWrapper,
} from 'ssh2';

type Library = Pick<typeof library, 'Client' | 'Server' | 'utils'>;

let loaded: Library | undefined;

/**
 * Loads ssh2 on first use, because an idle server does not need it. The repairs come first: ssh2
 * captures the functions that they replace.
 */
export function loadSsh2(): Library {
  if (loaded) return loaded;
  loadCiphers();
  keepCipherKeys();
  keepRequest();
  raisePacketSizes();
  repairKeyExchange();
  loaded = createRequire(import.meta.url)('ssh2') as Library;
  return loaded;
}

/** The library; other files import it from here, which the linter enforces. */
export const ssh2: Library = {
  get Client() {
    return loadSsh2().Client;
  },
  get Server() {
    return loadSsh2().Server;
  },
  get utils() {
    return loadSsh2().utils;
  },
};

/**
 * Ciphers in our order of preference: those that OpenSSL computes in one step per packet first, the
 * one that takes twice the CPU time last (docs/adr/0006).
 */
export const CIPHERS: CipherAlgorithm[] = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'aes128-ctr',
  'aes192-ctr',
  'aes256-ctr',
  'chacha20-poly1305@openssh.com',
];
