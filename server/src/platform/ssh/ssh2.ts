// The only import of ssh2 (enforced by the linter): it must load after its native parts are
// disabled.
import './refuse-native.ts';
import './key-exchange.ts';

import ssh2, { type CipherAlgorithm } from 'ssh2';

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
export { ssh2 };

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
