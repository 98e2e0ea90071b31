// The only place that imports ssh2 (the linter holds that): its native parts are refused before it looks for them.
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

/** Ciphers in the order in which we offer them: what OpenSSL does in one step per packet first, what costs twice as much CPU last (docs/adr/0016). */
export const CIPHERS: CipherAlgorithm[] = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'aes128-ctr',
  'aes192-ctr',
  'aes256-ctr',
  'chacha20-poly1305@openssh.com',
];
