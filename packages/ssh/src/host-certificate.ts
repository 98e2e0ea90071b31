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
const ED25519 = 'ssh-ed25519';
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
  const certified = readEd25519(hostKey);
  const signer = readEd25519(authority);
  const now = Math.floor(Date.now() / 1000);
  const body = Buffer.concat([
    text(CERTIFIED_ED25519),
    text(randomBytes(NONCE_BYTES)),
    text(rawKeyOf(certified)),
    number64(0),
    number32(HOST),
    text(keyId),
    text(Buffer.concat(names.map(text))),
    number64(now - BEFORE_SECONDS),
    number64(now + validSeconds),
    // No critical options, extensions or reserved data.
    ...['', '', ''].map(text),
    text(signer.getPublicSSH()),
  ]);
  const signature: Buffer | Error = signer.sign(body);
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

function readEd25519(privateKey: string): ParsedKey {
  const key = parseKey(privateKey);
  if (key instanceof Error || !key.isPrivateKey() || key.type !== ED25519)
    throw new Error('an Ed25519 private key is needed');
  return key;
}

/** Returns the 32 bytes after the type in the wire format of a public key. */
function rawKeyOf(key: ParsedKey): Buffer {
  return key.getPublicSSH().subarray(4 + ED25519.length + 4);
}

function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number32(bytes.length), bytes]);
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function number64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
