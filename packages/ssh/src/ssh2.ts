import { createRequire } from 'node:module';
import type library from 'ssh2';
import type { CipherAlgorithm } from 'ssh2';
import { keepExecBytes } from './exec-bytes.ts';
import { repairKeyExchange } from './key-exchange.ts';
import { keepCipherKeys, loadCiphers } from './load-ciphers.ts';

export type {
  Algorithms,
  AuthContext,
  AuthenticationType,
  Client,
  ClientChannel,
  Connection,
  KexAlgorithm,
  NegotiatedAlgorithms,
  ParsedKey,
  PseudoTtyInfo,
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
  keepExecBytes();
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
 * one that takes twice the CPU time last (docs/adr/0016).
 */
export const CIPHERS: CipherAlgorithm[] = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'aes128-ctr',
  'aes192-ctr',
  'aes256-ctr',
  'chacha20-poly1305@openssh.com',
];
