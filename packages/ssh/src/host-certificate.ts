/**
 * OpenSSH host certificates, `ssh-ed25519-cert-v01@openssh.com` (PROTOCOL.certkeys). The library
 * supports only plain host keys.
 */
import { randomBytes } from 'node:crypto';
import { type HostKey, nameHostKey, type Protocol } from './internals.ts';
import { parseKey } from './keys.ts';
import type { ParsedKey } from './ssh2.ts';

/** Algorithm name in the key exchange. */
export const CERTIFIED_ED25519 = 'ssh-ed25519-cert-v01@openssh.com';
export const ED25519 = 'ssh-ed25519';
const HOST = 2;
/** Certificates start in the past for clients whose clock is slow. */
const BEFORE_SECONDS = 3600;
const NONCE_BYTES = 32;

/** Content of a certificate. */
export interface CertificateFacts {
  /**
   * Private keys in OpenSSH format: the certified key and the authority's key. Both are Ed25519.
   */
  readonly hostKey: string;
  readonly authority: string;
  /** Shown in clients' logs. */
  readonly keyId: string;
  /** Host names of the certificate; clients treat `*` and `?` as wildcards. */
  readonly names: readonly string[];
  readonly validSeconds: number;
}

/**
 * Creates a host certificate in wire format.
 * @throws Error if a key is not an Ed25519 private key
 */
export function hostCertificate({
  hostKey,
  authority,
  keyId,
  names,
  validSeconds,
}: CertificateFacts): Buffer {
  const now = Math.floor(Date.now() / 1000);
  return signCertificate(readEd25519(authority), [
    rawKeyOf(readEd25519(hostKey)),
    number64(0n),
    number32(HOST),
    text(keyId),
    text(Buffer.concat(names.map(text))),
    number64(BigInt(now - BEFORE_SECONDS)),
    number64(BigInt(now + validSeconds)),
    // No critical options, extensions or reserved data.
    ...['', '', ''].map(text),
  ]);
}

/**
 * Signs a certificate. The fields follow the nonce in wire format, beginning with the raw key.
 * @throws Error if the authority cannot sign
 */
export function signCertificate(
  authority: ParsedKey,
  [rawKey = Buffer.alloc(0), ...fields]: readonly Buffer[],
): Buffer {
  const body = Buffer.concat([
    text(CERTIFIED_ED25519),
    text(randomBytes(NONCE_BYTES)),
    text(rawKey),
    ...fields,
    text(authority.getPublicSSH()),
  ]);
  const signature: Buffer | Error = authority.sign(body);
  if (signature instanceof Error) throw signature;
  return Buffer.concat([body, text(Buffer.concat([text(ED25519), text(signature)]))]);
}

/**
 * Creates a host key that presents its certificate. The signature must name the plain key type, but
 * the library writes the negotiated name. It reads that name right after it calls `sign`, so `sign`
 * replaces it.
 */
export function certifiedKey(key: HostKey, certificate: Buffer, protocol: Protocol): HostKey {
  return {
    type: key.type,
    getPublicSSH: () => certificate,
    sign: (data, algorithm) => {
      nameHostKey(protocol, ED25519);
      return key.sign(data, algorithm);
    },
  };
}

/** Parses a private key. @throws Error if it is not an Ed25519 private key */
export function readEd25519(privateKey: string): ParsedKey {
  const key = parseKey(privateKey);
  if (key instanceof Error || !key.isPrivateKey() || key.type !== ED25519)
    throw new Error('an Ed25519 private key is needed');
  return key;
}

/** Returns the 32 bytes after the type in the wire format of a public key. */
export function rawKeyOf(key: ParsedKey): Buffer {
  return key.getPublicSSH().subarray(4 + ED25519.length + 4);
}

/** Encodes a string of RFC 4251: its length and its bytes. */
export function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number32(bytes.length), bytes]);
}

/** Encodes a 32-bit number of RFC 4251. */
export function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Encodes a 64-bit number of RFC 4251. */
export function number64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
